package feed

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// minTwice is the number of characters within words, encoded twice, from which it is certain that the whole document
// was. Fewer may be a text about the subject.
const minTwice = 3

// decodeTwice undoes a second encoding in UTF-8: a program mistook UTF-8 for windows-1252 or ISO 8859-1 and encoded
// it again. It is certain if all characters above ASCII result from that, half of them within words. A C1 control
// character among them counts as much as minTwice, because texts do not contain such characters.
func decodeTwice(doc string) (text string, certain bool) {
	at := strings.IndexByte(doc, 0xC3) // begins every character that was encoded twice
	if at < 0 || fromTwice(doc[at:]).bytes == 0 {
		return "", false
	}
	var b strings.Builder
	b.Grow(len(doc))
	within, all, inWord := 0, 0, false
	for i := 0; i < len(doc); {
		if c := doc[i]; c < 0x80 {
			b.WriteByte(c)
			inWord = isLetter(c)
			i++
			continue
		}
		t := fromTwice(doc[i:])
		if t.bytes == 0 {
			return "", false
		}
		b.WriteRune(t.r)
		if t.control {
			within += minTwice
		}
		if i += t.bytes; inWord || i < len(doc) && (isLetter(doc[i]) || doc[i] >= 0x80) {
			within++
		}
		all++
		inWord = true
	}
	return b.String(), within >= minTwice && 2*within >= all
}

// A twice is a character that was encoded twice, and its length in bytes; 0: it was not.
type twice struct {
	r       rune
	bytes   int
	control bool // one of its bytes became a control character
}

func fromTwice(s string) twice {
	var once [utf8.UTFMax]byte
	bytes, control := 0, false
	for i := range once {
		r, n := utf8.DecodeRuneInString(s[bytes:])
		c, known := charmap.Windows1252.EncodeRune(r)
		switch {
		case r >= 0x80 && r < 0x100: // windows-1252 has other characters at 80 to 9F
			c, known, control = byte(r), true, control || r < 0xA0
		// windows-1252 lacks the last byte of ”
		case r == utf8.RuneError && n == 3 && string(once[:i]) == "\xE2\x80":
			c, known = 0x9D, true
		}
		if !known || c < 0x80 {
			return twice{}
		}
		once[i] = c
		bytes += n
		if utf8.FullRune(once[:i+1]) {
			r, n := utf8.DecodeRune(once[:i+1])
			if n != i+1 || n == 1 {
				return twice{}
			}
			return twice{r, bytes, control}
		}
	}
	return twice{}
}
