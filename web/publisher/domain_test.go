package publisher

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"digest/internal/catalogue"
	"digest/internal/doctor"
	"digest/mailer"
	"digest/newsletter"
)

// records is a resolver that returns the same TXT records for every name.
type records []string

func (r records) LookupTXT(context.Context, string) ([]string, error) { return r, nil }

// TestEachFindingIsSaid checks that findings of package doctor about a DKIM record are stored in English and shown in
// every language.
func TestEachFindingIsSaid(t *testing.T) {
	key, err := mailer.NewDKIMKey("anna.example", "a", time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	_, right, err := mailer.DKIMRecord(key)
	if err != nil {
		t.Fatal(err)
	}
	if f, answered := doctor.LookForKey(t.Context(), records{right}, key); f.Status != doctor.OK || !answered {
		t.Fatalf("the right record: %+v", f)
	}
	for name, found := range map[string]records{
		"none": nil, "two": {right, right}, "no key": {"v=DKIM1; k=rsa"}, "revoked": {"v=DKIM1; p="},
		"another kind": {"v=DKIM1; k=ed25519; p=AAAA"},
		"another key":  {"v=DKIM1; p=AAAA"}, "no SHA-256": {right + "; h=sha1"}, "not for mail": {right + "; s=other"},
		"tried out": {right + "; t=y"},
	} {
		f, answered := doctor.LookForKey(t.Context(), found, key)
		if f.Status == doctor.OK || !answered {
			t.Errorf("%s: %+v", name, f)
		}
		said := domainPage{Own: newsletter.Domain{Finding: f.Found}}.Found()
		if got := fmt.Sprint(said); got != f.Found {
			t.Errorf("%s: %q is said as %q", name, f.Found, got)
		}
		for _, l := range catalogue.All() {
			if got := said.In(l); l != catalogue.English() &&
				(got == f.Found || !strings.Contains(got, "a._domainkey.anna.example")) {
				t.Errorf("%s: in %s it is %q", name, l.Name, got)
			}
		}
	}
}
