package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A policy is what a DMARC record asks of receivers (RFC 7489 §6.3).
type policy struct {
	at         string // the domain whose record it is
	asks       string // none, quarantine or reject
	strictSPF  bool
	strictDKIM bool
}

// dmarc finds out whether From's domain has a policy, and whether mail of ours
// meets it.
func (x *checker) dmarc(ctx context.Context) Finding {
	domain := domainOf(x.From)
	if why := x.noRecords("From is at", domain); why != "" {
		return skip(why)
	}
	org := organisation(domain)
	at, records := domain, []string(nil)
	for _, at = range slices.Compact([]string{domain, org}) {
		texts, err := x.names.texts(ctx, "_dmarc."+at)
		if err != nil {
			return unasked("_dmarc."+at, err)
		}
		if records = dmarcRecords(texts); len(records) > 0 {
			break
		}
	}
	todo := fmt.Sprintf("publish at _dmarc.%s the one TXT record: v=DMARC1; p=none; rua=mailto:postmaster@%s (reports go to that address; ask for more than none when they show that all is well)", org, org)
	switch len(records) {
	case 0:
		return verdict(Wrong, org+" has no DMARC record", todo)
	case 1:
	default:
		return verdict(Wrong, fmt.Sprintf("_dmarc.%s has %d DMARC records, and receivers take none of them", at, len(records)), todo)
	}
	p, ok := parsePolicy(records[0], at != domain)
	if !ok {
		return verdict(Wrong, fmt.Sprintf("the DMARC record at _dmarc.%s cannot be understood (%s)", at, cut(records[0])), todo)
	}
	p.at = at
	return x.judgePolicy(domain, p)
}

// dmarcRecords are the texts that are DMARC records.
func dmarcRecords(texts []string) (records []string) {
	for _, t := range texts {
		if isFirst(t, "DMARC1") {
			records = append(records, t)
		}
	}
	return records
}

// parsePolicy reads a record, for a domain below the one that has it or for
// that one. A policy that is none counts as p=none when there is somebody to
// report to (RFC 7489 §6.6.3); what else cannot be understood is left out.
func parsePolicy(record string, below bool) (policy, bool) {
	tags, ok := parseTags(record)
	if !ok {
		return policy{}, false
	}
	p := policy{
		asks:       strings.ToLower(tags["p"]),
		strictSPF:  strings.EqualFold(tags["aspf"], "s"),
		strictDKIM: strings.EqualFold(tags["adkim"], "s"),
	}
	if !isAsked(p.asks) {
		if tags["rua"] == "" {
			return policy{}, false
		}
		p.asks = "none"
	}
	if sub := strings.ToLower(tags["sp"]); below && isAsked(sub) {
		p.asks = sub
	}
	return p, true
}

func isAsked(s string) bool { return s == "none" || s == "quarantine" || s == "reject" }

// judgePolicy finds out whether SPF or DKIM can speak for From's domain.
func (x *checker) judgePolicy(domain string, p policy) Finding {
	f := verdict(OK, fmt.Sprintf("_dmarc.%s asks for %s", p.at, p.asks), "")
	back := domainOf(x.envelope())
	bySPF := back == domain || !p.strictSPF && organisation(back) == organisation(domain)
	key, signed := x.signingKey()
	byDKIM := signed && (key.Domain == domain || !p.strictDKIM)
	bad := Warn
	if p.asks != "none" {
		bad = Wrong
	}
	switch {
	case bySPF && byDKIM:
		f.note(OK, "SPF and DKIM can speak for "+domain, "")
	case byDKIM:
		f.note(OK, "DKIM can speak for "+domain+", SPF is of "+back, "")
	case bySPF && signed:
		f.note(Warn, fmt.Sprintf("the signature is of %s and adkim=s wants %s itself: SPF alone speaks for it, which a forward breaks", key.Domain, domain), "run: digest dkim new "+domain)
	case bySPF:
		f.note(OK, "SPF can speak for "+domain, "")
	case signed:
		f.note(bad, fmt.Sprintf("neither SPF (of %s) nor the signature (of %s) speaks for %s as strictly as the record wants", back, key.Domain, domain),
			"take adkim=s out of the record, or run: digest dkim new "+domain)
	case x.Database.Read():
		f.note(bad, fmt.Sprintf("SPF is of %s, and nothing is signed for %s by us", back, domain), "run: digest dkim new "+domain)
	}
	return f
}
