package feed

import (
	"strings"
	"testing"
)

func TestLanguage(t *testing.T) {
	for _, c := range []struct{ declared, want string }{
		{"en", "en"}, {"EN-us", "EN-us"}, {" fr-CA\n", "fr-CA"}, {"sr-Latn", "sr-Latn"},
		{"en-GB-oxendict", "en-GB-oxendict"},
		{"iw", "iw"},                                       // deprecated, but registered
		{"en_US", "en-US"},                                 // a common form in programs
		{"eng", "en"}, {"ger-AT", "de-AT"}, {"tlh", "tlh"}, // the shortest code
		{"English", "en"}, {"DEUTSCH", "de"}, {"русский", "ru"}, // names
		{"en-English", "en"}, {"de-DE, en", "de"}, {"en-", "en"}, // with an invalid rest
		{"", ""}, {"-", ""}, {"a", ""}, {"utf-8", ""}, {"jp", ""}, {"C", ""}, {"root", ""}, {"und", ""}, {"x-mine", ""},
		{"none", ""},
		{"en-a-very-long-tag-that-nobody-would-ever-write", ""},
	} {
		if got := Language(c.declared); got != c.want {
			t.Errorf("%q is %q, want %q", c.declared, got, c.want)
		}
	}
}

func FuzzLanguage(f *testing.F) {
	for _, s := range []string{"en_US", "English", "ger-AT", "zh-Hans-CN", "de-DE, en", "sl-rozaj-biske-1994", "x-mine",
		"i-klingon"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Language(s)
		if twice := Language(once); twice != once || len(once) > maxLanguage ||
			strings.ContainsAny(once, " \t\n_\"'<>&") {
			t.Fatalf("%q is %q, then %q", s, once, twice)
		}
	})
}
