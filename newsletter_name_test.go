package digest_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"digest"
)

// TestPlainName is a table of names in confirmations.
func TestPlainName(t *testing.T) {
	for name, want := range map[string]string{
		"Anna & co":                            "Anna & co",
		"Notes, No. 5: “A.I.” & C++":           "Notes, No. 5: “A.I.” & C++",
		"Node.js weekly 3.0":                   "Node.js weekly 3.0",
		"Das Blättchen – für Jäger":            "Das Blättchen – für Jäger",
		"毎日の新聞。朝刊":                             "毎日の新聞。朝刊",
		"דפים מהעיר":                           "דפים מהעיר",
		"नमस्ते दुनिया":                        "नमस्ते दुनिया",
		"👩\u200d🚀 in orbit":                    "👩\u200d🚀 in orbit",
		"You won! Claim it at evil.com now":    "You won! Claim it at evil com now",
		"Visit EVIL.Example.ORG/win?a=1":       "Visit EVIL Example ORG/win?a=1",
		"https://evil.example/":                "https evil.example/",
		"www.evil.test":                        "www evil test",
		"mailto:x or TEL:+1555":                "mailto x or TEL +1555",
		"Pay at 93.184.216.34/x":               "Pay at 93 184 216 34/x",
		"evil\u2024com, evil\ufe52com":         "evil com, evil com",
		"evil.c\u200dom":                       "evil c\u200dom",
		"(evil.com)":                           "(evil com)",
		"evil。com and пример.рф":               "evil com and пример рф",
		"write to me@evil.com":                 "write to me evil com",
		"one\r\nBcc: all@example.org":          "one Bcc: all example org",
		"a\u202eb\u2066c\u200f\u200b\u00add\a": "abcd",
		strings.Repeat("long ", 30):            strings.Repeat("long ", 12) + "…",
		"":                                     "",
	} {
		if got := digest.PlainName(name); got != want {
			t.Errorf("%q is shown as %q, want %q", name, got, want)
		}
	}
}

func FuzzPlainName(f *testing.F) {
	for _, s := range []string{"Anna & co", "evil.com", "a@b://c", "..www.x", "\xff\u2028",
		"ｗｗｗ．ｅｖｉｌ．ｃｏｍ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := digest.PlainName(name)
		if utf8.RuneCountInString(got) > digest.MostName+1 || strings.ContainsAny(got, "@\r\n") ||
			strings.Contains(got, "://") || !utf8.ValidString(got) {
			t.Errorf("%q is shown as %q", name, got)
		}
		if strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) || r >= 0x202a && r <= 0x202e }) {
			t.Errorf("%q turns what stands beside it: %q", name, got)
		}
		if again := digest.PlainName(got); again != got && utf8.RuneCountInString(got) <= digest.MostName {
			t.Errorf("%q is shown as %q, and that as %q", name, got, again)
		}
	})
}

// TestCheckNames checks that a name that cannot be shown as typed is rejected, unless the newsletter already has it.
func TestCheckNames(t *testing.T) {
	old := digest.Newsletter{Name: "kottke.org", FromName: strings.Repeat("long ", 19)}
	for name, c := range map[string]struct {
		n  digest.Newsletter
		ok bool
	}{
		"as it was":      {old, true},
		"plain":          {digest.Newsletter{Name: "Kottke", FromName: "Jason"}, true},
		"a host":         {digest.Newsletter{Name: "evil.com"}, false},
		"of the sender":  {digest.Newsletter{Name: "Kottke", FromName: "evil.com"}, false},
		"that is wanted": {digest.Newsletter{Name: "kottke.org", WantedName: "evil.com"}, false},
		"an address":     {digest.Newsletter{Name: "https://x"}, false},
		"sixty":          {digest.Newsletter{Name: strings.Repeat("ü", 60)}, true},
		"sixty-one":      {digest.Newsletter{Name: strings.Repeat("ü", 61)}, false},
	} {
		if err := c.n.CheckNames(old); (err == nil) != c.ok || err != nil && digest.KindOf(err) != digest.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWithNames checks that a new name waits, and that the approved one stays.
func TestWithNames(t *testing.T) {
	approved := digest.Newsletter{Name: "Boats", FromName: "Anna"}
	for name, c := range map[string]struct{ typed, want digest.Newsletter }{
		"nothing new": {digest.Newsletter{Name: "Boats", FromName: "Anna"},
			digest.Newsletter{Name: "Boats", FromName: "Anna"}},
		"another name": {digest.Newsletter{Name: "PayPal", FromName: "Anna"},
			digest.Newsletter{Name: "Boats", FromName: "Anna", WantedName: "PayPal"}},
		"another sender": {digest.Newsletter{Name: "Boats", FromName: "PayPal"},
			digest.Newsletter{Name: "Boats", FromName: "Anna", WantedFromName: "PayPal"}},
		"both": {digest.Newsletter{Name: "A", FromName: "B"},
			digest.Newsletter{Name: "Boats", FromName: "Anna", WantedName: "A", WantedFromName: "B"}},
		"no sender": {digest.Newsletter{Name: "Boats"}, digest.Newsletter{Name: "Boats"}},
		"the approved name": {digest.Newsletter{Name: "Boats", FromName: "Boats"},
			digest.Newsletter{Name: "Boats", FromName: "Boats"}},
		"what waited before": {digest.Newsletter{Name: "Boats", FromName: "Anna", WantedName: "X"},
			digest.Newsletter{Name: "Boats", FromName: "Anna"}},
	} {
		got := c.typed.WithNames(approved)
		if got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
		if wanted := got.Wanted(); name != "what waited before" &&
			(wanted.Name != c.typed.Name || wanted.FromName != c.typed.FromName) {
			t.Errorf("%s: wants %q, %q", name, wanted.Name, wanted.FromName)
		}
	}
}
