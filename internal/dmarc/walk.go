package dmarc

import (
	"context"
	"strings"
)

// A LookupFunc returns the TXT records of a name. If the name does not exist, it returns none and no error.
type LookupFunc func(ctx context.Context, name string) ([]string, error)

// A Walk holds the records that a DNS tree walk found (RFC 9989 §4.10).
type Walk struct {
	Domain string      // start of the walk
	Found  []Published // from the longest to the shortest name
}

// Published holds the DMARC records of a domain.
type Published struct {
	Domain string
	Texts  []string // receivers ignore all of them if there are several
	Record Record   // valid only if Texts has one element
}

// single reports whether receivers use the record.
func (p Published) single() bool { return len(p.Texts) == 1 }

// A LookupError is a failed lookup of a name.
type LookupError struct {
	Name string
	Err  error
}

// Error implements error.
func (e *LookupError) Error() string { return "looking up " + e.Name + ": " + e.Err.Error() }

// Unwrap returns the error of the lookup.
func (e *LookupError) Unwrap() error { return e.Err }

// Discover walks the DNS from a domain towards the root and collects the DMARC records on the way. An error
// is a *LookupError.
func Discover(ctx context.Context, lookup LookupFunc, domain string) (Walk, error) {
	w := Walk{Domain: domain}
	for _, at := range walked(domain) {
		texts, err := lookup(ctx, "_dmarc."+at)
		if err != nil {
			return w, &LookupError{"_dmarc." + at, err}
		}
		found := Published{Domain: at}
		for _, text := range texts {
			if r, ok := ParseRecord(text); ok {
				found.Texts, found.Record = append(found.Texts, text), r
			}
		}
		if len(found.Texts) > 0 {
			w.Found = append(w.Found, found)
		}
		if found.single() && found.Record.PublicSuffix != "u" {
			break
		}
	}
	return w, nil
}

// walked returns the domains whose records a walk looks up: at most eight, for a domain of any length.
func walked(domain string) []string {
	const most = 8
	list := []string{domain}
	labels := strings.Split(domain, ".")
	for i := max(1, len(labels)-most+1); i < len(labels); i++ {
		list = append(list, strings.Join(labels[i:], "."))
	}
	return list
}

// Organization returns the organizational domain, which the identifiers of a message must share to align.
func (w Walk) Organization() string {
	org := w.Domain
	for _, p := range w.Found {
		switch {
		case !p.single():
		case p.Record.PublicSuffix == "y" && p.Domain != w.Domain:
			labels := strings.Split(strings.TrimSuffix(w.Domain, "."+p.Domain), ".")
			return labels[len(labels)-1] + "." + p.Domain
		default:
			org = p.Domain
		}
	}
	return org
}

// Policy returns the record that receivers apply to messages from the domain: its own, its organizational domain's, or
// the public suffix's, in this order. It returns false if receivers find no record.
func (w Walk) Policy() (Published, bool) {
	org := w.Organization()
	for _, at := range []string{w.Domain, org, ""} {
		for _, p := range w.Found {
			isSuffix := at == "" && p.Record.PublicSuffix == "y"
			if (p.Domain == at || isSuffix) && p.single() && p.Record.Policy != "" {
				return p, true
			}
		}
	}
	return Published{}, false
}

// Aligned reports whether an identifier that SPF or DKIM authenticated speaks for the domain of From.
func (w Walk) Aligned(identifier Walk, strict bool) bool {
	return w.Domain == identifier.Domain || !strict && w.Organization() == identifier.Organization()
}
