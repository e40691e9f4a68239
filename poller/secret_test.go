package poller

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestCostOfSecrets holds that the time is proportional to the document. A secret of 2,000 characters,
// which may be written in many ways, takes at most four times as long as one of 100. A document eight times
// as long takes at most 24 times as long. The test measures again when another process may have disturbed
// it.
func TestCostOfSecrets(t *testing.T) {
	secret := func(size int) string { return "https://h.example/" + strings.Repeat("&%/", size/3) }
	documents := map[string]string{
		"the secret, but for its end": strings.Repeat("&%/", 600) +
			"x", "the same as HTML": strings.Repeat("&amp;%25&#47;", 600) + "x",
		"beginnings of escapes": `&amp%\u00&#`, "percents": "%25", "references": "&amp;", "backslashes": `\`,
		"words": "some words ", "digits": "%2525252",
	}
	for name, part := range documents {
		short := bytes.Repeat([]byte(part), 1<<14/len(part))
		long := bytes.Repeat(short, 8)
		for try := 1; ; try++ {
			small := shortest(func() { withoutSecret(short, secret(100)) })
			large := shortest(func() { withoutSecret(short, secret(2000)) })
			if large <= 4*small+10*time.Millisecond &&
				shortest(func() { withoutSecret(long, secret(2000)) }) <= 24*large+50*time.Millisecond {
				break
			}
			if try == 5 {
				t.Fatalf("%s: %v with a short secret, %v with a long one, and too long for eight times the document",
					name, small, large)
			}
		}
	}
}

func shortest(f func()) time.Duration {
	least := time.Hour
	for range 2 {
		begun := time.Now()
		f()
		least = min(least, time.Since(begun))
	}
	return least
}

// FuzzReplaceWritten compares the search with a simple, slow one.
func FuzzReplaceWritten(f *testing.F) {
	f.Add([]byte(`<a href="https://h.example/a&amp;b">x</a> \/a\u0026b %2Fa%2526b`), "/a&b")
	f.Add([]byte("aaabaaab&#38;&#x26;&amp;amp;"), "aab")
	f.Add([]byte(`\\\\u002f %5cu002f &#92;u002f`), `/`)
	f.Fuzz(func(t *testing.T, document []byte, text string) {
		if text == "" {
			return
		}
		var all []written
		var meant, wanted []byte
		decode(document, func(c written) { all, meant = append(all, c), append(meant, c.meant) })
		decode([]byte(text), func(c written) { wanted = append(wanted, c.meant) })
		var want []byte
		kept := 0
		for at := 0; ; {
			i := bytes.Index(meant[at:], wanted)
			if i < 0 {
				break
			}
			want = append(append(want, document[kept:all[at+i].from]...), '!')
			at += i + len(wanted)
			kept = all[at-1].to
		}
		want = append(want, document[kept:]...)
		if got := replaceWritten(document, text, "!"); !bytes.Equal(got, want) {
			t.Errorf("%q without %q: %q, want %q", document, text, got, want)
		}
		for i, c := range all {
			if c.from >= c.to || i > 0 && c.from < all[i-1].from || c.to > len(document) {
				t.Fatalf("%q: byte %d is at %d to %d", document, i, c.from, c.to)
			}
		}
	})
}
