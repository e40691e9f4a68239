package feed

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
)

// again encodes UTF-8 a second time, like a program that mistakes it for another encoding.
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
	for was, want := range map[string]string{ // one control character is enough; a lost byte of a quote
		"It\u00e2\u0080\u0099s": "It’s", "\u00e2\u0080\u0093": "–",
		"â€œCafÃ©â€\uFFFD dÃ©jÃ\u00a0": "“Café” déjà",
	} {
		if got, ok := decodeTwice(was); got != want || !ok {
			t.Errorf("%q became %q, %t", was, got, ok)
		}
	}
	for _, s := range []string{
		"Ã\uFFFDland, CafÃ©, dÃ©jÃ\u00a0 vu, Ã©tÃ©", // lost characters stay lost
		"", "plain", "L’été à Paris, déjà", "Ã", "São Paulo, MÃE, ÃÃÃ", "日本語", // correct text
		"how “Ã©” comes to be in a page",       // a mention in correct text
		"the signs Ã© Ã¨ Ãª and â€™ are UTF-8", // a quotation within words
		"CafÃ©", // too few
		again(t, "été, là, où", charmap.ISO8859_1) + " and été besides", // only a part of it
	} {
		if got, ok := decodeTwice(s); ok {
			t.Errorf("%q became %q", s, got)
		}
	}
}

// TestTwice reads a document in double-encoded UTF-8 and checks the reported repair.
func TestTwice(t *testing.T) {
	d := mustParse(t, again(t,
		channel+`<item><title>L’été à Lyon</title><link>http://x.org/été</link></item></channel></rss>`,
		charmap.Windows1252), "")
	if d.Posts[0].Title != "L’été à Lyon" || d.Posts[0].Link != "http://x.org/été" || len(d.Repairs) != 1 ||
		d.Repairs[0] != "double-encoded UTF-8" {
		t.Errorf("%+v", d)
	}
}

// TestStrayZero checks that a zero byte beside the first '<' does not make a document UTF-16.
func TestStrayZero(t *testing.T) {
	for _, s := range []string{"\x00" + channel, channel[:1] + "\x00" + channel[1:], "\x00\x00" + channel} {
		if d := mustParse(t, s+"</channel></rss>", ""); d.Title != "T" {
			t.Errorf("%q: %+v", s, d)
		}
	}
}
