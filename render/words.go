package render

import (
	"cmp"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// maxMarks limits the combining marks after a letter. No writing system needs more, and thousands of them could fill an
// email.
const maxMarks = 6

// clean converts untrusted text to one line of at most cols columns. The result is valid UTF-8 without control
// characters and direction marks, with collapsed white space, and with "…" if it was cut.
func clean(s string, cols int) string {
	if tidy(s) && len(s) <= cols {
		return s
	}
	return cut(scrub(s, dropped), cols)
}

// scrub converts s to one line without the characters that drop reports.
func scrub(s string, drop func(rune) bool) string {
	var b strings.Builder
	space, marks, flag := false, 0, 0
	for i, r := range s {
		flag = max(flag, i+flagLen(s[i:]))
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case i >= flag && drop(r):
			continue
		case columns(r) == 0:
			marks++
		default:
			marks = 0
		}
		if marks > maxMarks {
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// flagLen returns the length in bytes of the flag of England, Scotland or Wales at the beginning of s, or 0. Such a flag
// is a black flag with tags. All other tags hide text (Unicode Technical Standard 51, annex C.1).
func flagLen(s string) int {
	if !strings.HasPrefix(s, "🏴\U000e0067\U000e0062") {
		return 0
	}
	for _, flag := range [...]string{"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
		"🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
		"🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"} {
		if strings.HasPrefix(s, flag) {
			return len(flag)
		}
	}
	return 0
}

// tidy reports whether s is ASCII that needs no cleaning.
func tidy(s string) bool {
	space := true
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f || s[i] == ' ' && space {
			return false
		}
		space = s[i] == ' '
	}
	return !space || s == ""
}

// dropped reports characters that are removed everywhere: control characters, soft hyphens, bidi controls for embedding
// and isolation, tags, and noncharacters.
func dropped(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\ufeff', r == '\u00ad', r == '\u200b':
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r >= 0xe0000 && r <= 0xe007f, r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe:
		return true
	}
	return false
}

// cut shortens s to at most cols columns, at a space if one is near, and never between a letter and its marks.
func cut(s string, cols int) string {
	if widthOf(s) <= cols {
		return s
	}
	used, end, space := 0, 0, 0
	for i, r := range s {
		w := columns(r)
		if w > 0 && used+w > cols-1 {
			end = i
			break
		}
		if r == ' ' {
			space = i
		}
		used += w
	}
	if space > end/2 {
		end = space
	}
	return strings.TrimRight(s[:end], " .,;:–—-…\u200d") + "…"
}

func cutBytes(s string, most int) string {
	for cols := widthOf(s); len(s) > most; cols-- {
		s = cut(s, cols)
	}
	return s
}

// widthOf returns the width of s in columns of a monospaced font.
func widthOf(s string) int {
	n := 0
	for _, r := range s {
		n += columns(r)
	}
	return n
}

// columns returns the width of a character in columns: 0 for marks, 2 for wide East Asian characters and emoji (Unicode
// Standard Annex 11).
func columns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case wide(r):
		return 2
	}
	return 1
}

func wide(r rune) bool {
	if r < 0x1100 { // nearly all text
		return false
	}
	k := width.LookupRune(r).Kind()
	return k == width.EastAsianWide || k == width.EastAsianFullwidth
}

// textColumns is the width of the text version, and leastColumns the minimum width of an indented line. Links may be
// longer.
const (
	textColumns  = 72
	leastColumns = 24
)

// lineEnd returns the end of a line of s and the beginning of the next one.
func lineEnd(s string, room int) (end, next int) {
	used, prev := 0, rune(0)
	for i, r := range s {
		switch {
		case r == ' ':
			if used > room {
				return cmp.Or(end, i), cmp.Or(next, i+1)
			}
			end, next = i, i+1
		case i > 0 && used <= room && (wide(r) || wide(prev)) && columns(r) > 0 && !clings(r):
			end, next = i, i
			if prev == ' ' {
				end = i - 1
			}
		}
		used += columns(r)
		prev = r
		if used > room && end > 0 {
			return end, next
		}
	}
	return len(s), len(s)
}

// clings reports whether r must not begin a line (kinsoku, the common characters).
func clings(r rune) bool {
	return strings.ContainsRune(
		"、。，．・：；？！）］｝」』】〉》ー…‥々,.;:!?)]}ぁぃぅぇぉっゃゅょァィゥェォッャュョ", r)
}
