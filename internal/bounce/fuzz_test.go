package bounce

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"digest"
)

// FuzzParse checks that Parse returns for any input. Its result can be stored, and a hard bounce has a matching status.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.eml")
	for _, file := range files {
		f.Add(sample(f, filepath.Base(file)))
	}
	f.Add(report("Action: failed\nStatus: 5.1.1"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := Parse(raw)
		if err != nil && r.Kind != NoReport {
			t.Errorf("%+v, %v", r, err)
		}
		if (r.Kind == Failure) != (r.Bounce == digest.HardBounce || r.Bounce == digest.SoftBounce ||
			r.Bounce == digest.RefusedBounce) {
			t.Errorf("%+v", r)
		}
		if r.Bounce == digest.HardBounce && !strings.HasPrefix(r.Status, "5.") {
			t.Errorf("hard without a status: %+v", r)
		}
		for _, s := range []string{r.Evidence, r.Status} {
			if !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\r\n") || len(s) > maxEvidence+len("…") {
				t.Errorf("%q", s)
			}
		}
		if again, _ := Parse(raw); again.Kind != r.Kind || again.Evidence != r.Evidence {
			t.Errorf("%+v, then %+v", r, again)
		}
	})
}

// FuzzHeader checks that no address is ours without one of our tokens, with any header.
func FuzzHeader(f *testing.F) {
	d := testDesk("bounces@digest.example")
	f.Add([]byte("To: \"x\" <bounces+aaaa@digest.example>, y\r\n z: \r\n\r\n"), "bounces+aaaa@digest.example")
	f.Add([]byte("Delivered-To: bounces@digest.example\n\tx\n"), "<Bounces@DIGEST.example>")
	f.Add([]byte("X: SRS0=a=b=digest.example=bounces+x@example.org"), "bounces@d\u0131gest.example")
	f.Fuzz(func(t *testing.T, text []byte, address string) {
		header, rest := cutHeader(cutEnvelope(text))
		if len(rest) > len(text) {
			t.Error("more than there was")
		}
		var values []string
		for _, one := range header {
			if one.name == "" || strings.ContainsAny(one.name+one.value, "\n") {
				t.Errorf("%q", one)
			}
			values = append(values, one.value)
		}
		for _, to := range append(d.recipients(header), address) {
			if p, ours := d.destinationOf(to); ours && !p.plain() && !p.reports {
				t.Errorf("%q is %s", to, p)
			}
		}
		if p, ok := d.find(append(values, address)); ok {
			t.Errorf("%q holds %s", values, p)
		}
	})
}
