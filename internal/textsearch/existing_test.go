package textsearch_test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"digest"
	"digest/internal/textsearch"
)

// matchedAtFirst implements the first rule of filters, from before filters and searches shared a definition of words.
// The text contains the filter letter by letter, and no letter continues its first or last word. Filters from that time
// must still match the same posts.
func matchedAtFirst(filter, text string) bool {
	pattern, folded := []rune(strings.TrimSpace(foldAtFirst(textsearch.Clean(filter)))), []rune(foldAtFirst(text))
	oneWord := func(a, b rune) bool {
		if unicode.IsMark(b) {
			return !unicode.IsSpace(a)
		}
		return wordAtFirst(a) && wordAtFirst(b)
	}
	for from := 0; from+len(pattern) <= len(folded) && textsearch.FilterKey(filter) != ""; from++ {
		to := from + len(pattern)
		if string(folded[from:to]) != string(pattern) || from > 0 && oneWord(folded[from-1], pattern[0]) {
			continue
		}
		last := pattern[len(pattern)-1]
		if to == len(folded) || unicode.Is(unicode.Hangul, last) && unicode.Is(unicode.Hangul, folded[to]) ||
			!oneWord(last, folded[to]) {
			return true
		}
	}
	return false
}

func wordAtFirst(r rune) bool {
	unspaced := r == 'ー' ||
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
			unicode.Myanmar, unicode.Tibetan)
	return (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '_') && !unspaced
}

// foldAtFirst is the first folding of filters, in which "æ" was not "ae".
func foldAtFirst(s string) string {
	plain := strings.NewReplacer("ø", "o", "ł", "l", "đ", "d", "ð", "d", "ħ", "h", "ŧ", "t", "ı", "i", "ـ", "",
		"‘", "'", "’", "'", "‚", "'", "‛", "'", "ʼ", "'", "′", "'", "“", `"`, "”", `"`, "„", `"`,
		"‟", `"`, "«", `"`, "»", `"`,
		"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "―", "-", "−", "-")
	folded := plain.Replace(cases.Fold().String(norm.NFKD.String(strings.ToValidUTF8(s, "\uFFFD"))))
	folded = strings.Map(func(r rune) rune {
		accent := unicode.Is(unicode.Mn, r) && r != '\u3099' && r != '\u309A' &&
			unicode.In(r, unicode.Inherited, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic,
				unicode.Hebrew)
		switch {
		case accent || unicode.Is(unicode.Cf, r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return unicode.ToLower(r)
	}, folded)
	for strings.Contains(folded, "  ") {
		folded = strings.ReplaceAll(folded, "  ", " ")
	}
	return norm.NFC.String(folded)
}

// TestExistingFiltersKeepMatching checks that every match of the first rule is still a match: in random text of
// difficult characters, and in the test documents of feeds.
func TestExistingFiltersKeepMatching(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	matched := 0
	check := func(filter, text string) {
		if !matchedAtFirst(filter, text) {
			return
		}
		if matched++; !match(filter, digest.Post{Title: text}) {
			t.Errorf("%+q is not found in %+q any more", filter, text)
		}
	}
	letters := []rune("aAbæÆœøłđðİıßẞſ  " +
		"--_..'’ʼ´`\"“«–ـ\u00ad\u200d\u0301\u0308\u0345ᾳᾼᾷιΙςΣ가각한국ㄱ新東カガか\u3099\u309Aーｶﾞﾟไทยก็ကမ\u1039བོད\u0f72" +
		"हिन्\u094dმᲛᏍꮝ12½①™㎏℃㈱№…µÅﬁǅŉþ\u0738ܐשָׁלاﷺ\ufeff\u2028\n\t🎉€+#&")
	change := []func(string) string{strings.ToUpper, strings.ToLower, textsearch.FilterKey, strings.Clone}
	for range 20_000 {
		text := make([]rune, 1+random.IntN(12))
		for i := range text {
			if text[i] = letters[random.IntN(len(letters))]; random.IntN(20) == 0 {
				text[i] = rune(1 + random.IntN(0xd7ff))
			}
		}
		from := random.IntN(len(text))
		check(change[random.IntN(len(change))](string(text[from:from+1+random.IntN(len(text)-from)])), string(text))
	}
	err := fs.WalkDir(os.DirFS("../../feed/testdata"), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		document, err := os.ReadFile("../../feed/testdata/" + path)
		list := strings.Fields(string(document))
		for i := 0; i+20 < len(list) && i < 400; i += 20 {
			text := strings.Join(list[i:i+20], " ")
			text = text[:min(len(text), 2000)]
			at := i + random.IntN(17)
			check(strings.Join(list[at:at+1+random.IntN(3)], " "), text)
		}
		return err
	})
	if err != nil || matched < 5_000 {
		t.Errorf("%d filters matched at first: %v", matched, err)
	}
}
