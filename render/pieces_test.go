package render

import (
	"io"
	"math/rand/v2"
	"mime/quotedprintable"
	"strings"
	"testing"
)

func TestQuoted(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain\n", "plain\r\n"},
		{"a=b\n", "a=3Db\r\n"},
		{"é\n", "=C3=A9\r\n"},
		{"end \nend\t\n", "end=20\r\nend=09\r\n"}, // white space at the end of a line could get lost
		{".\n..\n a.\n", "=2E\r\n=2E.\r\n a.\r\n"},
		{"a\rb\n", "a=0Db\r\n"},
		{strings.Repeat("x", 80) + "\n", strings.Repeat("x", 75) + "=\r\nxxxxx\r\n"},
		{strings.Repeat("x", 74) + "é\n", strings.Repeat("x", 74) + "=\r\n=C3=A9\r\n"}, // no escape is split
	} {
		if got := newPiece(c.in).coded; got != c.want {
			t.Errorf("%q becomes %q, want %q", c.in, got, c.want)
		}
	}
}

// TestQuotedAgainstStandard decodes random text with the standard library.
func TestQuotedAgainstStandard(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		in := make([]byte, rng.IntN(400))
		for i := range in {
			in[i] = "ab= .\t\n\xc3\xa9x"[rng.IntN(10)]
		}
		s := string(in) + "\n"
		checkDecodes(t, []string{newPiece(s).coded}, s)
	}
}

// BenchmarkQuoted compares newPiece with the standard library's encoder.
func BenchmarkQuoted(b *testing.B) {
	m := mailOf(b, typical())
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(len(m.HTML)))
		for b.Loop() {
			newPiece(m.HTML)
		}
	})
	b.Run("standard", func(b *testing.B) {
		b.SetBytes(int64(len(m.HTML)))
		for b.Loop() {
			w := quotedprintable.NewWriter(io.Discard)
			_, _ = io.WriteString(w, m.HTML)
			_ = w.Close()
		}
	})
}
