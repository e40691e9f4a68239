package dmarc

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestReportAddress(t *testing.T) {
	if got := ReportAddress("bounces@example.org"); got != "bounces+dmarc@example.org" {
		t.Error(got)
	}
	if got := ReportAddress(""); got != "" {
		t.Error(got)
	}
}

func TestParseRecord(t *testing.T) {
	for _, tt := range []struct {
		text string
		// want has the policies for the domain, a subdomain and a nonexistent name; "no" if the text is not a record.
		want string
	}{
		{"v=DMARC1; p=reject", "reject reject reject"},
		{"v=DMARC1;p=Reject;SP=none", "reject reject reject"}, // names of tags are in lower case
		{"v=DMARC1; p=reject; sp=quarantine", "reject quarantine quarantine"},
		{"v=DMARC1; p=reject; np=none", "reject reject none"},
		{"v=DMARC1; sp=none; p=reject; np=quarantine", "reject none quarantine"},
		{"v=DMARC1; p=reject; sp=quarantine; t=y", "quarantine none none"},
		{"v=DMARC1; p=none; t=y", "none none none"},
		{"v=DMARC1; p=quarantine; pct=0", "quarantine quarantine quarantine"}, // pct has no effect any more
		{"v=DMARC1; rua=mailto:a@example.org", "none none none"},
		{"v=DMARC1; p=non; rua=mailto:a@example.org", "none none none"},
		{"v=DMARC1; p=reject; sp=non; rua=mailto:a@example.org", "none none none"},
		{"v=DMARC1; p=reject; sp=non", "nothing nothing nothing"},
		{"v=DMARC1; sp=none", "nothing nothing nothing"},
		{"v=DMARC1; p=non; rua=https://example.org/", "nothing nothing nothing"},
		{"v=DMARC2; p=reject", "no"},
		{"v=dmarc1; p=reject", "no"},
		{"p=reject; v=DMARC1", "no"},
		{"v=spf1 -all", "no"},
		{"", "no"},
	} {
		r, ok := ParseRecord(tt.text)
		got := "no"
		if ok {
			got = ""
			for _, name := range [][2]bool{{false, true}, {true, true}, {true, false}} {
				p := "nothing"
				if r.Policy != "" {
					p = string(r.Applied(name[0], name[1]))
				}
				got = strings.TrimSpace(got + " " + p)
			}
		}
		if got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
	r, _ := ParseRecord("v=DMARC1; p=none; aspf=s; adkim=S; psd=N; ri=86400; pct=0; rf=afrf; " +
		"rua=mailto:a%2Bdmarc@example.org!10m , https://x.example, MAILTO:b@example.org, mailto:nobody; odd; p=reject")
	if !r.StrictSPF || !r.StrictDKIM || r.PublicSuffix != "n" || r.Percent != "0" || !r.Faulty || r.Policy != None ||
		!slices.Equal(r.Removed, []string{"pct", "rf", "ri"}) ||
		!slices.Equal(r.Reports, []string{"a+dmarc@example.org", "b@example.org"}) {
		t.Errorf("%+v", r)
	}
	if r, _ := ParseRecord("v=DMARC1; p=none;"); r.Faulty || r.PublicSuffix != "u" || r.Testing || r.StrictDKIM {
		t.Errorf("%+v", r)
	}
}

// dns has the TXT records of a test, by the name below _dmarc.
type dns map[string][]string

func (z dns) lookup(asked *[]string) LookupFunc {
	return func(_ context.Context, name string) ([]string, error) {
		*asked = append(*asked, strings.TrimPrefix(name, "_dmarc."))
		if texts := z[strings.TrimPrefix(name, "_dmarc.")]; len(texts) != 1 || texts[0] != "trouble" {
			return texts, nil
		}
		return nil, errors.New("trouble")
	}
}

func TestWalk(t *testing.T) {
	const reject, none = "v=DMARC1; p=reject; sp=quarantine", "v=DMARC1; p=none"
	for _, tt := range []struct {
		name   string
		zone   dns
		domain string
		asked  string
		org    string
		policy string // domain of the applied record; empty: none
	}{
		{"own record", dns{"example.org": {reject}}, "example.org", "example.org org", "example.org", "example.org"},
		{"of the organization", dns{"example.org": {"other", reject}}, "a.mail.example.org",
			"a.mail.example.org mail.example.org example.org org", "example.org", "example.org"},
		{"the shortest name is the organization", dns{"mail.example.org": {none}, "example.org": {reject}},
			"a.mail.example.org",
			"a.mail.example.org mail.example.org example.org org", "example.org", "example.org"},
		{"its own comes before the organization's", dns{"mail.example.org": {none}, "example.org": {reject}},
			"mail.example.org",
			"mail.example.org example.org org", "example.org", "mail.example.org"},
		{"nothing", dns{}, "mail.example.org", "mail.example.org example.org org", "mail.example.org", ""},
		{"psd=n ends the walk", dns{"mail.example.org": {none + "; psd=n"}, "example.org": {reject}},
			"a.mail.example.org",
			"a.mail.example.org mail.example.org", "mail.example.org", "mail.example.org"},
		{"psd=y above", dns{"co.example": {none + "; psd=y"}}, "a.mail.shop.co.example",
			"a.mail.shop.co.example mail.shop.co.example shop.co.example co.example",
			"shop.co.example", "co.example"},
		{"psd=y above a record", dns{"co.example": {none + "; psd=y"}, "shop.co.example": {reject}},
			"mail.shop.co.example",
			"mail.shop.co.example shop.co.example co.example", "shop.co.example", "shop.co.example"},
		{"psd=y at the first name", dns{"co.example": {none + "; psd=y"}}, "co.example", "co.example", "co.example",
			"co.example"},
		{"a record between is not the organization's",
			dns{"co.example": {none + "; psd=y"}, "mail.shop.co.example": {reject}}, "a.mail.shop.co.example",
			"a.mail.shop.co.example mail.shop.co.example shop.co.example co.example", "shop.co.example", "co.example"},
		{"two records are none", dns{"mail.example.org": {none, none}, "example.org": {reject}}, "mail.example.org",
			"mail.example.org example.org org", "example.org", "example.org"},
		{"a record that nobody applies", dns{"mail.example.org": {"v=DMARC1; sp=none"}, "example.org": {reject}},
			"mail.example.org",
			"mail.example.org example.org org", "example.org", "example.org"},
		{"eight labels", dns{}, "a.b.c.d.e.f.example.org",
			"a.b.c.d.e.f.example.org b.c.d.e.f.example.org c.d.e.f.example.org d.e.f.example.org " +
				"e.f.example.org f.example.org example.org org", "a.b.c.d.e.f.example.org", ""},
		{"thirteen labels", dns{"example.com": {reject}}, "a.b.c.d.e.f.g.h.i.j.mail.example.com",
			"a.b.c.d.e.f.g.h.i.j.mail.example.com g.h.i.j.mail.example.com h.i.j.mail.example.com " +
				"i.j.mail.example.com j.mail.example.com mail.example.com example.com com",
			"example.com", "example.com"},
		{"psd=y beyond what was passed over", dns{"example.com": {reject + "; psd=y"}},
			"a.b.c.d.e.f.g.h.i.j.mail.example.com",
			"a.b.c.d.e.f.g.h.i.j.mail.example.com g.h.i.j.mail.example.com h.i.j.mail.example.com " +
				"i.j.mail.example.com j.mail.example.com mail.example.com example.com",
			"mail.example.com", "example.com"},
		{"one label", dns{}, "localhost", "localhost", "localhost", ""},
	} {
		var asked []string
		w, err := Discover(t.Context(), tt.zone.lookup(&asked), tt.domain)
		p, _ := w.Policy()
		if err != nil || strings.Join(asked, " ") != tt.asked || w.Organization() != tt.org || p.Domain != tt.policy {
			t.Errorf("%s: asked %q, organization %s, policy of %q, %v", tt.name, asked, w.Organization(), p.Domain, err)
		}
	}
	var asked []string
	_, err := Discover(t.Context(), dns{"example.org": {"trouble"}}.lookup(&asked), "mail.example.org")
	if failed, ok := errors.AsType[*LookupError](err); !ok || failed.Name != "_dmarc.example.org" || len(asked) != 2 {
		t.Errorf("%v after %q", err, asked)
	}
}

func TestAligned(t *testing.T) {
	zone := dns{"example.org": {"v=DMARC1; p=none"}, "dept.example.org": {"v=DMARC1; p=none; psd=n"},
		"uk": {"v=DMARC1; p=none; psd=y"}}
	for _, tt := range []struct {
		from, identifier string
		relaxed, strict  bool
	}{
		{"example.org", "example.org", true, true},
		{"example.org", "bounce.example.org", true, false},
		{"news.example.org", "bounce.example.org", true, false},
		{"news.example.org", "example.org", true, false},
		{"example.org", "dept.example.org", false, false}, // psd=n separates them
		{"a.dept.example.org", "b.dept.example.org", true, false},
		{"example.org", "relay.example", false, false},
		{"one.uk", "two.uk", false, false},
		{"one.uk", "mail.one.uk", true, false},
		{"news.example.net", "bounce.example.net", false, false}, // no record connects them
		{"news.example.net", "news.example.net", true, true},
	} {
		var asked []string
		from, _ := Discover(t.Context(), zone.lookup(&asked), tt.from)
		identifier, _ := Discover(t.Context(), zone.lookup(&asked), tt.identifier)
		if from.Aligned(identifier, false) != tt.relaxed || from.Aligned(identifier, true) != tt.strict {
			t.Errorf("%s and %s: relaxed %v, strict %v", tt.from, tt.identifier, !tt.relaxed, !tt.strict)
		}
	}
}
