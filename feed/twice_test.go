package feed

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
)

// again encodes what is UTF-8 already, as a program does that takes it for another encoding.
func again(t testing.TB, s string, as *charmap.Charmap) string {
	t.Helper()
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(as.DecodeByte(s[i]))
	}
	return b.String()
}

func TestDecodeTwice(t *testing.T) {
	for _, s := range []string{
		"L’été à Paris — déjà vu", "Привет, мир", "日本語", "naïve café, don’t",
		"a🙂b 🙂🙂", "\uFEFF<rss>été, là",
	} {
		for _, as := range []*charmap.Charmap{charmap.ISO8859_1, charmap.Windows1252} {
			if as == charmap.Windows1252 && strings.ContainsAny(again(t, s, as), "\uFFFD") {
				continue
			}
			if got, ok := decodeTwice(again(t, s, as)); got != s || !ok {
				t.Errorf("%q, %v: %q, %t", s, as, got, ok)
			}
		}
	}
	for was, want := range map[string]string{ // one control character is enough; a quote of which a byte was lost
		"It\u00e2\u0080\u0099s": "It’s", "\u00e2\u0080\u0093": "–",
		"â€œCafÃ©â€\uFFFD dÃ©jÃ\u00a0": "“Café” déjà",
	} {
		if got, ok := decodeTwice(was); got != want || !ok {
			t.Errorf("%q became %q, %t", was, got, ok)
		}
	}
	for _, s := range []string{
		"Ã\uFFFDland, CafÃ©, dÃ©jÃ\u00a0 vu, Ã©tÃ©", // what was lost is not guessed
		"", "plain", "L’été à Paris, déjà", "Ã", "São Paulo, MÃE, ÃÃÃ", "日本語", // as they were meant
		"how “Ã©” comes to be in a page",       // told of in text that is whole
		"the signs Ã© Ã¨ Ãª and â€™ are UTF-8", // quoted, in words of their own
		"CafÃ©", // too few
		again(t, "été, là, où", charmap.ISO8859_1) + " and été besides", // a part of it
	} {
		if got, ok := decodeTwice(s); ok {
			t.Errorf("%q became %q", s, got)
		}
	}
}

// TestTwice holds that a document in double-encoded UTF-8 is read, and said to be.
func TestTwice(t *testing.T) {
	d := mustParse(t, again(t,
		channel+`<item><title>L’été à Lyon</title><link>http://x.org/été</link></item></channel></rss>`,
		charmap.Windows1252), "")
	if d.Posts[0].Title != "L’été à Lyon" || d.Posts[0].Link != "http://x.org/été" || len(d.Repairs) != 1 ||
		d.Repairs[0] != "double-encoded UTF-8" {
		t.Errorf("%+v", d)
	}
}

// TestStrayZero holds that a zero byte beside the first '<' makes no UTF-16 of a document.
func TestStrayZero(t *testing.T) {
	for _, s := range []string{"\x00" + channel, channel[:1] + "\x00" + channel[1:], "\x00\x00" + channel} {
		if d := mustParse(t, s+"</channel></rss>", ""); d.Title != "T" {
			t.Errorf("%q: %+v", s, d)
		}
	}
}
