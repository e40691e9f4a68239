package doctor

import (
	"context"
	"fmt"

	"digest/mailer"
)

// complaints checks whether emails contain the address for complaints (RFC 9477), and whether it can receive them.
func (x *checker) complaints(ctx context.Context) Finding {
	if x.CFBLAddress == "" {
		return skip("DIGEST_CFBL_ADDRESS is not set, so emails have no address for complaints")
	}
	from, domain := domainOf(x.From), domainOf(x.CFBLAddress)
	if why := x.lacks(theRecords | theDatabase); why != "" {
		return skip(why)
	}
	if key, signed := x.signingKey(); !signed || key.Domain != from {
		return verdict(Wrong, fmt.Sprintf(
			"emails do not name %s for complaints: receivers require a DKIM signature for exactly %s", x.CFBLAddress,
			from), "run: digest dkim new "+from)
	}
	if !mailer.CanComplainTo(x.CFBLAddress, x.From) {
		return verdict(Wrong, fmt.Sprintf(
			"emails do not name %s for complaints: receivers require an address at %s or a subdomain", x.CFBLAddress,
			from), "correct DIGEST_CFBL_ADDRESS")
	}
	f := verdict(OK, "complaints go to "+x.CFBLAddress, "")
	if why := x.noDNS(); why == "" {
		x.complaintServer(ctx, domain, &f)
	}
	return f
}

func (x *checker) complaintServer(ctx context.Context, domain string, f *Finding) {
	hosts, err := x.exchangers(ctx, domain)
	switch {
	case err != nil:
		f.noAnswer("the MX record of "+domain, err)
	case len(hosts) == 0 || isNullMX(hosts):
		f.note(Wrong, "no server receives mail for "+
			domain, fmt.Sprintf("publish an MX record for %s, or correct DIGEST_CFBL_ADDRESS", domain))
	}
}
