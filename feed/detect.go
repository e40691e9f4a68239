package feed

import (
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// detect guesses the encoding of bytes that are not UTF-8 and have no valid declaration. It returns nil if no
// encoding matches: then the text is windows-1252, or UTF-8 with a few bad bytes.
func detect(body []byte) encoding.Encoding {
	runs := highRuns(body, 8192)
	high := 0
	var bytes [256]int
	for _, run := range runs {
		for _, c := range run {
			if c >= 0x80 {
				bytes[c]++
				high++
			}
		}
	}
	// Isolated bytes above ASCII are letters of a Latin language.
	if high < 8 || high < 2*len(runs) || mostlyUTF8(runs) {
		return nil
	}
	share := func(from, to int) float64 {
		n := 0
		for c := from; c <= to; c++ {
			n += bytes[c]
		}
		return float64(n) / float64(high)
	}
	if e := alphabet(share, 0.95); e != nil {
		return e
	}
	if e := detectDoubleByte(runs); e != nil {
		return e
	}
	return alphabet(share, 0.75)
}

// alphabet recognises single-byte encodings by the position of their small letters. The argument enough is the share
// of bytes above ASCII that must be there.
func alphabet(share func(from, to int) float64, enough float64) encoding.Encoding {
	switch {
	case share(0xE0, 0xFF)+share(0xDC, 0xDF) >= enough && share(0xDC, 0xDF) > 0.04:
		return charmap.Windows1253 // has accented vowels
	case share(0xE0, 0xFA) >= enough && share(0xFB, 0xFF) == 0:
		return charmap.Windows1255 // has 27 letters and no capitals
	case share(0xE0, 0xFF) >= enough:
		return charmap.Windows1251
	case share(0xC0, 0xDF) >= enough:
		return charmap.KOI8R
	case share(0xA1, 0xBF) > 0.25 && share(0xE0, 0xEE) > 0.1 &&
		share(0x80, 0xA0)+share(0xDB, 0xDE)+share(0xEF, 0xFF) < 0.02:
		return charmap.Windows874 // has gaps in its table
	}
	return nil
}

// A doubleByte is an East Asian encoding, with the byte pairs of its frequent characters.
type doubleByte struct {
	encoding encoding.Encoding
	trail    byte    // the smallest second byte of a pair
	kana     float64 // the minimum share of pairs that are kana
	pairs    []pairs // the first match counts; other pairs weigh 0
}

// Pairs are the byte pairs within bounds, and their weight: -1 for impossible pairs, kanaWeight for kana.
type pairs struct {
	leadFrom, leadTo, trailFrom, trailTo byte
	weight                               float64
}

const kanaWeight = 1.1

var doubleBytes = []doubleByte{
	{japanese.EUCJP, 0xA1, 0.2, []pairs{
		{0xA4, 0xA5, 0xA1, 0xFF, kanaWeight}, {0xB0, 0xCF, 0xA1, 0xFF, 0.9}, {0xA1, 0xA1, 0xA1, 0xFF, 0.8},
		{0xA3, 0xA3, 0xA1, 0xFF, 0.8},
	}},
	{japanese.ShiftJIS, 0x40, 0.2, []pairs{
		{0x82, 0x82, 0x9F, 0xFF, kanaWeight}, {0x83, 0x83, 0x40, 0x96, kanaWeight}, {0x88, 0x97, 0x40, 0xFF, 0.9},
		{0x81, 0x82, 0x40, 0xFF, 0.8},
	}},
	{korean.EUCKR, 0xA1, 0, []pairs{{0xB0, 0xC8, 0xA1, 0xFF, 1.05}, {0xA1, 0xA3, 0xA1, 0xFF, 0.8}}},
	{traditionalchinese.Big5, 0x40, 0, []pairs{{0x80, 0xFF, 0x7F, 0xA0, -1}, {0xA4, 0xC6, 0x40, 0xFF, 1},
		{0xA1, 0xA3, 0x40, 0xFF, 0.8}}},
	{simplifiedchinese.GB18030, 0x40, 0, []pairs{{0xB0, 0xD7, 0xA1, 0xFF, 1}, {0xA1, 0xA3, 0xA1, 0xFF, 0.8}}},
}

func (d *doubleByte) weigh(lead, trail byte) float64 {
	if trail < d.trail {
		return -1
	}
	for _, p := range d.pairs {
		if lead >= p.leadFrom && lead <= p.leadTo && trail >= p.trailFrom && trail <= p.trailTo {
			return p.weight
		}
	}
	return 0
}

// detectDoubleByte returns the encoding whose frequent pairs make up most of the runs; nil: none.
func detectDoubleByte(runs [][]byte) encoding.Encoding {
	var best encoding.Encoding
	bestScore := 0.75
	for i := range doubleBytes {
		d := &doubleBytes[i]
		score, kana := d.score(runs)
		if kana >= d.kana && score > bestScore+0.02 {
			best, bestScore = d.encoding, score
		}
	}
	return best
}

// score returns the mean weight of the pairs, and the share of kana among them. A byte without a pair weighs -1.
func (d *doubleByte) score(runs [][]byte) (score, kana float64) {
	pairs := 0
	for _, run := range runs {
		for i := 0; i < len(run); i++ {
			if run[i] < 0x80 {
				continue
			}
			w := -1.0
			if i+1 < len(run) {
				w = d.weigh(run[i], run[i+1])
				i++
			}
			if w == kanaWeight {
				kana++
			}
			score += w
			pairs++
		}
	}
	return score / float64(max(1, pairs)), kana / float64(max(1, pairs))
}

// highRuns returns the runs of bytes above ASCII, up to limit bytes in total. A run includes ASCII bytes that may be
// the second of a pair.
func highRuns(body []byte, limit int) [][]byte {
	var runs [][]byte
	total := 0
	for i := 0; i < len(body) && total < limit; i++ {
		if body[i] < 0x80 {
			continue
		}
		j := i
		for j < len(body) && (body[j] >= 0x80 || body[j] >= 0x40 && pairBegun(body[i:j])) {
			j++
		}
		runs = append(runs, body[i:j])
		total += j - i
		i = j
	}
	return runs
}

// pairBegun reports whether before ends with the first byte of a pair.
func pairBegun(before []byte) bool {
	n := 0
	for n < len(before) && before[len(before)-1-n] >= 0x80 {
		n++
	}
	return n%2 == 1
}

func mostlyUTF8(runs [][]byte) bool {
	good, bad := 0, 0
	for _, run := range runs {
		for len(run) > 0 {
			r, n := utf8.DecodeRune(run)
			switch {
			case n > 1:
				good += n
			case r == utf8.RuneError:
				bad++
			}
			run = run[n:]
		}
	}
	return good > 4*bad
}
