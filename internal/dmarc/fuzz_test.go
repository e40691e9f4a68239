package dmarc

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzRecord walks a DNS in which anyone can publish any record.
func FuzzRecord(f *testing.F) {
	f.Add("v=DMARC1; p=reject; sp=none; np=quarantine; rua=mailto:a@example.org", "a.b.example.org", 2)
	f.Add("v=DMARC1; psd=y", "example.org", 1)
	f.Add(" v = DMARC1 ;;p=none;p", "a.b.c.d.e.f.g.h.i.j", 0)
	f.Add("v=DMARC1; t=y; pct=0; p=", "..", 1)
	f.Fuzz(func(t *testing.T, text, domain string, at int) {
		asked := 0
		w, err := Discover(t.Context(), func(context.Context, string) ([]string, error) {
			if asked++; asked-1 == at {
				return []string{text}, nil
			}
			return nil, nil
		}, domain)
		if err != nil || asked > 8 {
			t.Errorf("asked %d times, %v", asked, err)
		}
		tags, _ := ParseTags(text)
		for name, value := range tags {
			if name == "" || strings.Contains(name+value, ";") || strings.TrimSpace(value) != value {
				t.Errorf("tag %q=%q", name, value)
			}
		}
		if org := w.Organization(); !isWithin(domain, org) {
			t.Errorf("%q is not of %q", domain, org)
		}
		p, ok := w.Policy()
		for _, exists := range []bool{true, false} {
			if a := p.Record.Applied(p.Domain != domain, exists); ok && a != None && a != Quarantine && a != Reject {
				t.Errorf("policy %q", a)
			}
		}
	})
}

// FuzzReport parses attachments that anyone can send.
func FuzzReport(f *testing.F) {
	for _, name := range []string{"rfc7489.xml", "rfc9990.xml"} {
		f.Add(sample(f, name))
		f.Add(gzipped(sample(f, name)))
		f.Add(zipped([]string{"a.xml"}, sample(f, name)))
	}
	f.Fuzz(func(t *testing.T, attached []byte) {
		r, err := ParseReport(attached)
		if err != nil {
			return
		}
		if r.Reporter == "" || !utf8.ValidString(r.Reporter+r.ID) || strings.ContainsAny(r.Reporter+r.ID, "\x00\r\n") ||
			r.End.Before(r.Begin) || len(r.Rows) == 0 || len(r.Rows) > maxRecords {
			t.Errorf("%+v", r)
		}
		for _, row := range r.Rows {
			if row.Count < 1 || row.Count > maxCount || row.Source == "" || !isWithin(row.From, r.Domain) {
				t.Errorf("%+v", row)
			}
		}
	})
}
