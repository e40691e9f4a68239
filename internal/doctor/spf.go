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

// spf checks whether the domain for bounces allows the mail server to send (RFC 7208).
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
		return verdict(Wrong, domain+" has no SPF record",
			fmt.Sprintf("publish at %s the TXT record: %s", domain, exampleSPF(s)))
	case 1:
	default:
		return verdict(Wrong, fmt.Sprintf("%s has %d SPF records, and receivers ignore all of them", domain,
			len(records)),
			"merge them into one: "+strings.Join(records, " | "))
	}
	f, usable := x.judgeRecord(ctx, domain, records[0], s)
	if usable {
		x.judgeSender(ctx, domain, s, &f)
	}
	return f
}

// spfRecords returns the texts that are SPF records (RFC 7208 §4.5).
func spfRecords(texts []string) (records []string) {
	for _, t := range texts {
		if lower := strings.ToLower(t); lower == "v=spf1" || strings.HasPrefix(lower, "v=spf1 ") {
			records = append(records, t)
		}
	}
	return records
}

// exampleSPF returns a record that allows the mail server to send, as far as its addresses are known.
func exampleSPF(s sender) string {
	switch {
	case s.foreign:
		return "v=spf1 include:NAME -all (use the NAME that your mail provider gives)"
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

// nobody returns an address that no server has (RFC 5737). A record that allows it allows every server. A check for it
// evaluates the whole record.
func nobody() netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, 1}) }

// judgeRecord judges a record without regard to our server. usable reports whether receivers use it.
func (x *checker) judgeRecord(ctx context.Context, domain, record string, s sender) (f Finding, usable bool) {
	const end = "end it with -all, or with ~all until you are sure"
	result, err := x.checkSPF(ctx, nobody())
	switch {
	case refusesAll(record):
		return verdict(Wrong, fmt.Sprintf("the SPF record of %s allows no server to send (%s)", domain, record),
			"add the mail server: "+exampleSPF(s)), false
	case result == spf.Pass:
		return verdict(Wrong, fmt.Sprintf("the SPF record of %s allows every server to send (%s)", domain, record),
			"remove +all and other terms that match every server; "+end), false
	case result == spf.TempError, result == spf.None: // it existed a moment ago
		return unasked("a name in the SPF record of "+domain, err), false
	case result == spf.PermError:
		what, todo := brokenSPF(err)
		return verdict(Wrong, fmt.Sprintf("the SPF record of %s %s (%s)", domain, what, record), todo), false
	case result == spf.Neutral:
		return verdict(Warn, fmt.Sprintf("the SPF record of %s does not exclude other servers (%s)", domain, record),
			end), true
	}
	return verdict(OK, fmt.Sprintf("%s has: %s", domain, record), ""), true
}

// refusesAll reports whether no term of a record lets a server pass.
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

func brokenSPF(err error) (what, todo string) {
	switch {
	case errors.Is(err, spf.ErrLookupLimitReached):
		return "needs more than the 10 DNS lookups that receivers make",
			"remove terms you do not need (include, a, mx and exists need lookups; ip4 and ip6 do not)"
	case errors.Is(err, spf.ErrVoidLookupLimitReached):
		return "has more than 2 names that are not in the DNS", "remove them"
	case errors.Is(err, spf.ErrTooManyMXRecords):
		return "has a domain with too many MX records", "replace mx with the addresses, as ip4 and ip6"
	case errors.Is(err, spf.ErrMultipleRecords):
		return "includes a domain that has several SPF records", "tell the owner of that domain, or remove it"
	case errors.Is(err, spf.ErrNoResult):
		return "includes a domain without an SPF record", "remove it, or correct its name"
	}
	return "is not valid: " + err.Error(), "correct it; an example: v=spf1 mx ip4:198.51.100.7 -all"
}

func (x *checker) judgeSender(ctx context.Context, domain string, s sender, f *Finding) {
	if s.unknown != "" {
		f.note(OK, "the mail server was not checked: "+s.unknown, "")
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
		f.note(Warn, fmt.Sprintf(
			"it does not allow the addresses of %s; your mail provider may send from other addresses", x.Mail.Host),
			"compare the record with the instructions of your mail provider")
	case s.foreign:
		f.note(OK, fmt.Sprintf("it allows %s; your mail provider may send from other addresses too", x.Mail.Host), "")
	case len(failed) > 0:
		f.note(Wrong, "it does not allow the mail server to send from "+joined(failed),
			fmt.Sprintf("add this before the last term of the record at %s: %s", domain, spfTerms(failed)))
	default:
		f.note(OK, "it allows the mail server to send from "+joined(passed), "")
	}
}

// checkSPF evaluates SPF as a receiver of mail from an address does.
func (x *checker) checkSPF(ctx context.Context, from netip.Addr) (spf.Result, error) {
	domain := domainOf(x.envelope())
	return spf.CheckHostWithSender(net.IP(from.AsSlice()), domain, "postmaster@"+domain, spf.WithContext(ctx),
		spf.WithResolver(x.names))
}
