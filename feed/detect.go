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

// detect guesses the encoding of bytes that are not UTF-8 and whose
// declaration, if any, is false. nil: nothing stands out, so it is windows-1252
// or UTF-8 with a few bad bytes.
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
	// Single letters among ASCII are a Latin language.
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
	if e := doubleByte(runs); e != nil {
		return e
	}
	return alphabet(share, 0.75)
}

// alphabet recognises the single-byte encodings by where their small letters
// lie; enough is the share of bytes above ASCII that must lie there.
func alphabet(share func(from, to int) float64, enough float64) encoding.Encoding {
	switch {
	case share(0xE0, 0xFF)+share(0xDC, 0xDF) >= enough && share(0xDC, 0xDF) > 0.04:
		return charmap.Windows1253 // accented vowels
	case share(0xE0, 0xFA) >= enough && share(0xFB, 0xFF) == 0:
		return charmap.Windows1255 // 27 letters, no capitals
	case share(0xE0, 0xFF) >= enough:
		return charmap.Windows1251
	case share(0xC0, 0xDF) >= enough:
		return charmap.KOI8R
	case share(0xA1, 0xBF) > 0.25 && share(0xE0, 0xEE) > 0.1 && share(0x80, 0xA0)+share(0xDB, 0xDE)+share(0xEF, 0xFF) < 0.02:
		return charmap.Windows874 // the gaps of its table are empty
	}
	return nil
}

// doubleByte recognises the encodings of East Asia by the pairs of bytes that
// everyday characters have.
func doubleByte(runs [][]byte) encoding.Encoding {
	var best encoding.Encoding
	bestScore := 0.75
	for _, c := range []struct {
		encoding encoding.Encoding
		weight   func(lead, trail byte) float64
		kana     float64 // at least this share of pairs must be kana
	}{
		{japanese.EUCJP, weightEUCJP, 0.2}, {japanese.ShiftJIS, weightShiftJIS, 0.2},
		{korean.EUCKR, weightEUCKR, 0}, {traditionalchinese.Big5, weightBig5, 0}, {simplifiedchinese.GB18030, weightGB, 0},
	} {
		score, kana := pairScore(runs, c.weight)
		if kana >= c.kana && score > bestScore+0.02 {
			best, bestScore = c.encoding, score
		}
	}
	return best
}

// pairScore is the mean weight of the pairs, and the share of those that weigh
// exactly 1.1, kana. A byte that is no pair weighs -1.
func pairScore(runs [][]byte, weight func(lead, trail byte) float64) (score, kana float64) {
	pairs := 0
	for _, run := range runs {
		for i := 0; i < len(run); i++ {
			if run[i] < 0x80 {
				continue
			}
			w := -1.0
			if i+1 < len(run) {
				w = weight(run[i], run[i+1])
				i++
			}
			if w == 1.1 {
				kana++
			}
			score += w
			pairs++
		}
	}
	return score / float64(max(1, pairs)), kana / float64(max(1, pairs))
}

func weightEUCJP(lead, trail byte) float64 {
	switch {
	case trail < 0xA1:
		return -1
	case lead == 0xA4 || lead == 0xA5:
		return 1.1
	case lead >= 0xB0 && lead <= 0xCF:
		return 0.9
	case lead == 0xA1 || lead == 0xA3:
		return 0.8
	}
	return 0
}

func weightShiftJIS(lead, trail byte) float64 {
	switch {
	case trail < 0x40:
		return -1
	case lead == 0x82 && trail >= 0x9F, lead == 0x83 && trail <= 0x96:
		return 1.1
	case lead >= 0x88 && lead <= 0x97:
		return 0.9
	case lead == 0x81 || lead == 0x82:
		return 0.8
	}
	return 0
}

func weightEUCKR(lead, trail byte) float64 {
	switch {
	case trail < 0xA1:
		return -1
	case lead >= 0xB0 && lead <= 0xC8:
		return 1.05
	case lead >= 0xA1 && lead <= 0xA3:
		return 0.8
	}
	return 0
}

func weightBig5(lead, trail byte) float64 {
	switch {
	case trail < 0x40 || trail > 0x7E && trail < 0xA1:
		return -1
	case lead >= 0xA4 && lead <= 0xC6:
		return 1
	case lead >= 0xA1 && lead <= 0xA3:
		return 0.8
	}
	return 0
}

func weightGB(lead, trail byte) float64 {
	switch {
	case trail < 0x40:
		return -1
	case lead >= 0xB0 && lead <= 0xD7 && trail >= 0xA1:
		return 1
	case lead >= 0xA1 && lead <= 0xA3 && trail >= 0xA1:
		return 0.8
	}
	return 0
}

// highRuns gathers the runs of bytes above ASCII, with the ASCII bytes that may
// be the second of a pair, up to limit bytes.
func highRuns(body []byte, limit int) [][]byte {
	var runs [][]byte
	total := 0
	for i := 0; i < len(body) && total < limit; i++ {
		if body[i] < 0x80 {
			continue
		}
		j := i
		for j < len(body) && (body[j] >= 0x80 || body[j] >= 0x40 && leads(body[i:j])) {
			j++
		}
		runs = append(runs, body[i:j])
		total += j - i
		i = j
	}
	return runs
}

// leads reports whether the bytes before end in the first half of a pair.
func leads(before []byte) bool {
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
