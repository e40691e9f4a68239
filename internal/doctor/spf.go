package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"blitiri.com.ar/go/spf"
)

// spf finds out whether the domain that bounces go to lets the mail server
// send for it (RFC 7208).
func (x *checker) spf(ctx context.Context) Finding {
	domain := domainOf(x.envelope())
	if why := x.noRecords("bounces go to", domain); why != "" {
		return skip(why)
	}
	texts, err := x.names.texts(ctx, domain)
	if err != nil {
		return unasked("the SPF record of "+domain, err)
	}
	s, err := x.sender(ctx)
	if err != nil {
		return unasked(x.Mail.Host, err)
	}
	records := spfRecords(texts)
	switch len(records) {
	case 0:
		return verdict(Wrong, domain+" has no SPF record", fmt.Sprintf("publish at %s the TXT record: %s", domain, exampleSPF(s)))
	case 1:
	default:
		return verdict(Wrong, fmt.Sprintf("%s has %d SPF records, and receivers take none of them", domain, len(records)),
			"make one of them all: "+strings.Join(records, " | "))
	}
	f, usable := x.judgeRecord(ctx, domain, records[0], s)
	if usable {
		x.judgeSender(ctx, domain, s, &f)
	}
	return f
}

// spfRecords are the texts that are SPF records (RFC 7208 §4.5).
func spfRecords(texts []string) (records []string) {
	for _, t := range texts {
		if lower := strings.ToLower(t); lower == "v=spf1" || strings.HasPrefix(lower, "v=spf1 ") {
			records = append(records, t)
		}
	}
	return records
}

// exampleSPF is a record that lets the mail server send, as far as it is known.
func exampleSPF(s sender) string {
	switch {
	case s.foreign:
		return "v=spf1 include:NAME -all (your mail provider tells the NAME to include)"
	case len(s.addresses) == 0:
		return "v=spf1 ip4:ADDRESS -all (with the public ADDRESS of your mail server)"
	}
	return "v=spf1 " + spfTerms(s.addresses) + " -all"
}

func spfTerms(list []netip.Addr) string {
	var terms []string
	for _, a := range list {
		family := "ip4:"
		if a.Is6() {
			family = "ip6:"
		}
		terms = append(terms, family+a.String())
	}
	return strings.Join(terms, " ")
}

// nobody is an address that no server has (RFC 5737). A record that lets it
// send lets everyone; and it makes the whole record be walked through.
func nobody() netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, 1}) }

// judgeRecord judges a record apart from our server; usable when it is one
// that receivers go by.
func (x *checker) judgeRecord(ctx context.Context, domain, record string, s sender) (f Finding, usable bool) {
	const end = "end it with -all, or with ~all while you are not sure"
	result, err := x.checkSPF(ctx, nobody())
	switch {
	case refusesAll(record):
		return verdict(Wrong, fmt.Sprintf("the SPF record of %s lets nobody send (%s)", domain, record), "put the mail server into it: "+exampleSPF(s)), false
	case result == spf.Pass:
		return verdict(Wrong, fmt.Sprintf("the SPF record of %s lets everyone send (%s)", domain, record), "take +all, and what else lets everyone in, out of it; "+end), false
	case result == spf.TempError, result == spf.None: // it was there a moment ago
		return unasked("a name in the SPF record of "+domain, err), false
	case result == spf.PermError:
		what, todo := brokenSPF(err)
		return verdict(Wrong, fmt.Sprintf("the SPF record of %s %s (%s)", domain, what, record), todo), false
	case result == spf.Neutral:
		return verdict(Warn, fmt.Sprintf("the SPF record of %s says nothing of servers that are not in it (%s)", domain, record), end), true
	}
	return verdict(OK, fmt.Sprintf("%s has: %s", domain, record), ""), true
}

// refusesAll reports a record without a term by which anyone could pass.
func refusesAll(record string) bool {
	for _, term := range strings.Fields(record)[1:] {
		term = strings.ToLower(term)
		if strings.HasPrefix(term, "redirect=") {
			return false
		}
		if !strings.ContainsRune("-~?", rune(term[0])) && !strings.HasPrefix(term, "exp=") {
			return false
		}
	}
	return true
}

// brokenSPF says what is wrong with a record that cannot be used.
func brokenSPF(err error) (what, todo string) {
	switch {
	case errors.Is(err, spf.ErrLookupLimitReached):
		return "needs more than the 10 DNS lookups that receivers make", "take out what is not needed (include, a, mx and exists each cost lookups; ip4 and ip6 none)"
	case errors.Is(err, spf.ErrVoidLookupLimitReached):
		return "names more than 2 names that are not in the DNS", "take them out"
	case errors.Is(err, spf.ErrTooManyMXRecords):
		return "names a domain with too many MX records", "write the addresses as ip4 and ip6 in place of mx"
	case errors.Is(err, spf.ErrMultipleRecords):
		return "includes a domain that has several SPF records", "ask whoever runs that domain, or take it out"
	case errors.Is(err, spf.ErrNoResult):
		return "includes a domain that has none", "take it out, or correct its name"
	}
	return "cannot be understood: " + err.Error(), "correct it; an example: v=spf1 mx ip4:198.51.100.7 -all"
}

// judgeSender finds out whether the addresses of the mail server pass.
func (x *checker) judgeSender(ctx context.Context, domain string, s sender, f *Finding) {
	if s.unknown != "" {
		f.note(OK, "whether it lets the mail server send cannot be told: "+s.unknown, "")
		return
	}
	var passed, failed []netip.Addr
	for _, a := range s.addresses {
		result, err := x.checkSPF(ctx, a)
		switch result {
		case spf.Pass:
			passed = append(passed, a)
		case spf.TempError:
			f.noAnswer("a name in the SPF record of "+domain, err)
			return
		default:
			failed = append(failed, a)
		}
	}
	switch {
	case s.foreign && len(passed) == 0:
		f.note(Warn, fmt.Sprintf("it does not let the addresses of %s itself send; by which its mail leaves cannot be known here", x.Mail.Host),
			"see that the record includes what your mail provider says it must")
	case s.foreign:
		f.note(OK, fmt.Sprintf("it lets %s itself send; whether its mail leaves by other addresses cannot be known here", x.Mail.Host), "")
	case len(failed) > 0:
		f.note(Wrong, "it does not let the mail server send from "+joined(failed), fmt.Sprintf("put this before the last term of the record at %s: %s", domain, spfTerms(failed)))
	default:
		f.note(OK, "it lets the mail server send from "+joined(passed), "")
	}
}

// checkSPF is a receiver's check of a mail from an address.
func (x *checker) checkSPF(ctx context.Context, from netip.Addr) (spf.Result, error) {
	domain := domainOf(x.envelope())
	return spf.CheckHostWithSender(net.IP(from.AsSlice()), domain, "postmaster@"+domain, spf.WithContext(ctx), spf.WithResolver(x.names))
}
