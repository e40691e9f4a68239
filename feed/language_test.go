package feed

import "testing"

func TestLanguage(t *testing.T) {
	for _, c := range []struct{ declared, want string }{
		{"en", "en"}, {"EN-us", "EN-us"}, {" fr-CA\n", "fr-CA"}, {"sr-Latn", "sr-Latn"}, {"en-GB-oxendict", "en-GB-oxendict"},
		{"iw", "iw"},                                       // out of use, but registered
		{"en_US", "en-US"},                                 // as programs write it
		{"eng", "en"}, {"ger-AT", "de-AT"}, {"tlh", "tlh"}, // the shortest code
		{"English", "en"}, {"DEUTSCH", "de"}, {"русский", "ru"}, // names
		{"en-English", "en"}, {"de-DE, en", "de"}, {"en-", "en"}, // the rest is nonsense
		{"", ""}, {"-", ""}, {"a", ""}, {"utf-8", ""}, {"jp", ""}, {"C", ""}, {"root", ""}, {"und", ""}, {"x-mine", ""}, {"none", ""},
		{"en-a-very-long-tag-that-nobody-would-ever-write", ""},
	} {
		if got := Language(c.declared); got != c.want {
			t.Errorf("%q is %q, want %q", c.declared, got, c.want)
		}
	}
}
