package feed

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// detect guesses the encoding of bytes that are not UTF-8 and whose
// declaration, if any, is false. nil: nothing stands out, so it is windows-1252
// or UTF-8 with a few bad bytes.
func detect(body []byte) encoding.Encoding {
	sample := highSample(body, 8192)
	if len(sample) < 8 || mostlyUTF8(sample) {
		return nil
	}
	var best encoding.Encoding
	bestScore := 0.6 // below this the guess is worth nothing
	candidates := []encoding.Encoding{
		japanese.EUCJP, japanese.ShiftJIS, korean.EUCKR, simplifiedchinese.GB18030, traditionalchinese.Big5,
		charmap.KOI8R, charmap.Windows1251, charmap.Windows1255, charmap.Windows1253, charmap.Windows874,
	}
	if runLength(sample) < 2 { // single letters among ASCII: a Latin language
		return nil
	}
	for _, e := range candidates {
		if score := scriptScore(decodeWith(e, sample)); score > bestScore {
			best, bestScore = e, score
		}
	}
	return best
}

// highSample gathers the runs of bytes that hold bytes above ASCII, each with
// the byte behind it (the second of a pair may be ASCII).
func highSample(body []byte, limit int) []byte {
	var out []byte
	for i := 0; i < len(body) && len(out) < limit; i++ {
		if body[i] < 0x80 {
			continue
		}
		j := i
		for j < len(body) && (body[j] >= 0x80 || j > i && body[j-1] >= 0x80 && body[j] >= 0x40) {
			j++
		}
		out = append(append(out, body[i:j]...), ' ')
		i = j
	}
	return out
}

// runLength is the mean length of the runs of bytes above ASCII.
func runLength(sample []byte) float64 {
	high, runs := 0, 0
	for i, c := range sample {
		if c < 0x80 {
			continue
		}
		high++
		if i == 0 || sample[i-1] < 0x80 {
			runs++
		}
	}
	return float64(high) / float64(max(1, runs))
}

func mostlyUTF8(sample []byte) bool {
	good, bad := 0, 0
	for len(sample) > 0 {
		r, n := utf8.DecodeRune(sample)
		switch {
		case n > 1:
			good += n
		case r == utf8.RuneError:
			bad++
		}
		sample = sample[n:]
	}
	return good > bad
}

// scriptScore says how much a text looks written by someone: 1 when every
// character above ASCII is of the everyday part of one script.
func scriptScore(text string) float64 {
	var total, score float64
	for _, r := range text {
		if r < 0x80 {
			continue
		}
		total++
		score += runeScore(r)
	}
	if total == 0 {
		return 0
	}
	return score / total
}

func runeScore(r rune) float64 {
	switch {
	case r == utf8.RuneError, unicode.Is(unicode.Co, r):
		return -3
	case r >= 0x3040 && r < 0x30FF: // kana
		return 1.1
	case r >= 0xAC00 && r < 0xD7A4: // hangul
		return 1.05
	case r >= 0x430 && r <= 0x451, r >= 0x5D0 && r <= 0x5EA, r >= 0xE01 && r <= 0xE5B, r >= 0x3AC && r <= 0x3CE:
		return 1
	case r >= 0x4E00 && r < 0xA000:
		return hanScore(r)
	case r >= 0x3000 && r < 0x3020, r >= 0xFF01 && r < 0xFF5F:
		return 0.9
	case r >= 0x410 && r < 0x430, r >= 0x391 && r < 0x3AA:
		return 0.3
	case r >= 0xFF61 && r < 0xFFA0: // half-width kana: what Shift_JIS makes of other pairs
		return -0.5
	}
	return 0
}

// commonHan are the characters that every Chinese or Japanese text is full of.
const commonHan = "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生" +
	"這為來個們說國時會學對後過還進發當經開現點長問機實業電動車東書見門馬風" +
	"日本月見学生会新年分前後高書時間行来気出入文字名目手足下上左右大小"

func hanScore(r rune) float64 {
	for _, c := range commonHan {
		if c == r {
			return 1.2
		}
	}
	return 0.7
}
