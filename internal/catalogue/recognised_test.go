package catalogue

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestValuesIn checks that a text matches a format only as a whole, with a value for each verb.
func TestValuesIn(t *testing.T) {
	for _, c := range []struct{ text, format, want string }{
		{"unchanged: 304", "unchanged: 304", "[]"}, {"unchanged: 304 x", "unchanged: 304", "no"}, {"", "%s", "no"},
		{"a", "%s", "[a]"},
		{"changed: 7 entries", "changed: %s entries", "[7]"}, {"changed: entries", "changed: %s entries", "no"},
		{"a, b, c", "%s, %s", "[a b, c]"}, {"a, ", "%s, %s", "no"}, {", b", "%s, %s", "no"},
		{"100% of x", "100%% of %s", "[x]"},
	} {
		values, is := valuesIn(c.text, c.format)
		if got := fmt.Sprint(values); is != (c.want != "no") || is && got != c.want {
			t.Errorf("%q as %q: %s, %v, want %s", c.text, c.format, got, is, c.want)
		}
	}
}

// FuzzValuesIn checks that the values reproduce the text.
func FuzzValuesIn(f *testing.F) {
	f.Add("changed: 7 entries", "changed: %s entries")
	f.Add("a, b, c", "%s, %s")
	f.Fuzz(func(t *testing.T, text, format string) {
		if n := strings.Count(format, "%"); n != strings.Count(format, "%s") {
			return
		}
		values, is := valuesIn(text, format)
		if got := fmt.Sprintf(format, values...); is && got != text {
			t.Errorf("%q as %q: %q", text, format, got)
		}
	})
}

// TestKnownKeyWithVerbs checks that a text that looks like a sentence with values stays unchanged.
func TestKnownKeyWithVerbs(t *testing.T) {
	for _, l := range All() {
		if got := Known("%s, since %s").In(l); got != "%s, since %s" {
			t.Errorf("%s: %q", l.Code, got)
		}
	}
}

// TestNoneIsNotOne checks that 0 and 1 have different texts in every language.
func TestNoneIsNotOne(t *testing.T) {
	for _, l := range All() {
		for _, k := range []Key{"%d polls", "%d feeds found", "%d times"} {
			none, one := k.With(0).In(l), k.With(1).In(l)
			if none == one || l.Code != "ar" && !strings.Contains(none, "0") {
				t.Errorf("%s: none is %q, and one %q", l.Code, none, one)
			}
		}
	}
}

// TestInstant checks the format of commands, and the formats of the languages.
func TestInstant(t *testing.T) {
	at := Instant(time.Date(2026, 11, 3, 9, 5, 0, 0, time.FixedZone("CET", 3600)))
	for code, want := range map[string]string{"en": "2026-11-03 09:05 CET", "de": "3. Nov. 2026, 09:05 CET"} {
		if got := at.In(Of(code)); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
	for _, l := range All() {
		if got := Key("%s, since %s").With(Key("failing"), at).In(l); !strings.Contains(got, at.In(l)) ||
			l.Code != "en" && strings.Contains(got, "2026-11") {
			t.Errorf("%s: %q", l.Code, got)
		}
	}
}
