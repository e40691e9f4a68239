package digest_test

import (
	"testing"
	"time"

	"digest"
)

func TestRates(t *testing.T) {
	for text, want := range map[string]digest.Rate{
		"0":     {},
		"100/m": {Messages: 100, Per: time.Minute},
		"1/s":   {Messages: 1, Per: time.Second},
		"500/h": {Messages: 500, Per: time.Hour},
		"9/d":   {Messages: 9, Per: 24 * time.Hour},
	} {
		got, err := digest.ParseRate(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("ParseRate(%q) = %v (%q), %v; want %v", text, got, got, err, want)
		}
	}
	for _, text := range []string{"", "100", "0/m", "-1/m", "x/m", "5/w", "5/", "/m", "99999999999/m", "1.5/m"} {
		if got, err := digest.ParseRate(text); err == nil {
			t.Errorf("ParseRate(%q) = %v, want an error", text, got)
		}
	}
}

func TestMailDomain(t *testing.T) {
	for in, want := range map[string]string{
		"bounces@bücher.example": "xn--bcher-kva.example",
		"Ann@B@A.Example":        "a.example", "a@-.Example": "-.example", "": "",
	} {
		if got := digest.MailDomain(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestTags(t *testing.T) {
	for _, plain := range []string{"bounces@example.org", "b+x@example.org"} {
		tagged := digest.Tagged(plain, "tok")
		if got, tag := digest.CutTag(tagged); got != plain || tag != "tok" {
			t.Errorf("CutTag(%q) = %q, %q", tagged, got, tag)
		}
	}
	for _, none := range []string{"bounces@example.org", "nothing", "", "a@b+c"} {
		if got, tag := digest.CutTag(none); got != none || tag != "" {
			t.Errorf("CutTag(%q) = %q, %q", none, got, tag)
		}
	}
}
