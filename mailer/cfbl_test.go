package mailer

import (
	"strings"
	"testing"

	"digest"
)

// TestComplaintsTo: mail has the address for complaints if its signature has exactly the domain of From. The address
// must have that domain or a subdomain, and the signature must cover it.
func TestComplaintsTo(t *testing.T) {
	parent := testKey(t)
	for _, c := range []struct {
		from, address string
		signed, want  bool
	}{
		{"a@example.org", "c@example.org", true, true},
		{"a@example.org", "c@mail.example.org", true, true},
		{"A <a@Example.org>", "c@EXAMPLE.org", true, true},
		{"a@example.org", "c@example.org", false, false},
		{"a@example.org", "c@badexample.org", true, false},
		{"a@example.org", "c@org", true, false},
		{"a@news.example.org", "c@news.example.org", true, false}, // signed by the parent domain
		{"a@example.org", "", true, false},
	} {
		var signer *DKIMSigner
		if c.signed {
			var err error
			if signer, err = NewDKIMSigner([]digest.DKIMKey{parent}, c.from); err != nil {
				t.Fatal(err)
			}
		}
		l := sample()
		l.From, l.ComplaintsTo = c.from, c.address
		message, err := signedMessage(l, signer)
		must(t, err)
		got := strings.Contains(string(message), "\r\nCFBL-Address: "+strings.ToLower(c.address)+"; report=arf\r\n")
		if has := strings.Contains(string(message), "CFBL-Address: "); got != c.want || has != c.want {
			t.Errorf("%+v: %v, %v", c, got, has)
		}
		if !c.want {
			continue
		}
		v, err := verify(t, parent, message)
		if err != nil || strings.Count(strings.ToLower(strings.Join(v.HeaderKeys, " ")), "cfbl-address") != 2 {
			t.Errorf("%+v: %v, signed are %v", c, err, v.HeaderKeys)
		}
	}
	l := sample()
	l.ComplaintsTo = "c@example.org\r\nBcc: b@example.org"
	if _, err := signedMessage(l, testSigner(t)); err == nil && CanComplainTo(l.ComplaintsTo, l.From) {
		t.Error("an address with a second field was taken")
	}
}
