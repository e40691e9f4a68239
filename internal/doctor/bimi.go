package doctor

import (
	"context"
	"fmt"
	"strings"

	"digest/internal/dmarc"
)

// bimi checks the record that makes some mailbox providers show a logo beside email (BIMI). They show it only if
// the domain enforces DMARC.
func (x *checker) bimi(ctx context.Context) Finding {
	domain := domainOf(x.From)
	var f Finding
	walk, ok := x.walk(ctx, domain, &f)
	if !ok {
		return f
	}
	name, record, err := x.logoRecord(ctx, domain, walk.Organization())
	if err != nil {
		return unasked(name, err)
	}
	lax := unenforced(walk)
	switch {
	case record == "" && lax != "":
		return skip("no logo is published; providers only show one if DMARC is enforced")
	case record == "":
		return verdict(OK,
			fmt.Sprintf("no logo is published; to show one in some mail programs,"+
				" publish at default._bimi.%s the TXT record: v=BIMI1; l=https://…/logo.svg", domain), "")
	}
	f = verdict(OK, name+" has a logo", "")
	tags, ok := dmarc.ParseTags(record)
	if !ok {
		f.note(Warn, fmt.Sprintf("the record is not valid (%s)", cut(record)),
			"correct it; an example: v=BIMI1; l=https://…/logo.svg")
	}
	for _, tag := range []string{"l", "a"} {
		if at := tags[tag]; at != "" && !strings.HasPrefix(strings.ToLower(at), "https://") {
			f.note(Warn, fmt.Sprintf("%s=%s is not an https address", tag, cut(at)),
				fmt.Sprintf("correct %s in the record at %s; it must begin with https://", tag, name))
		}
	}
	if lax != "" {
		f.note(Warn, "no provider shows it, because "+lax,
			"set the policy of the DMARC record to quarantine or reject, and remove t=y and sp=none")
	}
	return f
}

// logoRecord returns the name and text of a domain's BIMI record, or of its organization's.
func (x *checker) logoRecord(ctx context.Context, domain, organization string) (name, record string, err error) {
	for _, at := range []string{domain, organization} {
		name = "default._bimi." + at
		texts, err := x.names.texts(ctx, name)
		if err != nil {
			return name, "", err
		}
		for _, text := range texts {
			if dmarc.HasVersion(text, "BIMI1") {
				return name, text, nil
			}
		}
	}
	return name, "", nil
}

// unenforced returns why a domain and its organization do not enforce DMARC; "": they do.
func unenforced(walk dmarc.Walk) string {
	if _, ok := walk.Policy(); !ok {
		return walk.Domain + " has no DMARC policy"
	}
	for _, p := range walk.Found {
		if p.Domain != walk.Domain && p.Domain != walk.Organization() {
			continue
		}
		switch r := p.Record; {
		case r.Testing:
			return fmt.Sprintf("_dmarc.%s has t=y", p.Domain)
		case !dmarc.None.Weaker(r.Policy), r.Subdomains == dmarc.None:
			return fmt.Sprintf("_dmarc.%s does not have the policy quarantine or reject", p.Domain)
		}
	}
	return ""
}
