package render

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Feed generators append text to a post: a link to the rest, the place of first publication, or a link to comments.
// Excerpts omit these endings, because the headline links to the post.

// without removes the endings of feed generators from a summary of one line.
func without(summary, title string) string {
	s := withoutFilm(withoutMarkup(summary))
	for range 4 {
		before := s
		if at := appearedFrom(s, title); at >= 0 {
			s = s[:at]
		}
		s = withoutCutAppearance(s, title)
		if strings.Contains(strings.ToLower(s), "comments") {
			s = discussed.ReplaceAllString(s, "")
		}
		s = withoutWayOn(s, title)
		if title != "" {
			s = strings.TrimRight(s, " ★∞") // the sign that link blogs use for a link to their own page
		}
		if at := bracketedAt(s); at != nil {
			s = strings.TrimSuffix(strings.TrimRight(s[:at[0]], " "), "…") + "…"
		}
		if s = strings.TrimSpace(s); s == before {
			break
		}
	}
	if strings.Trim(s, " .…") == "" {
		return ""
	}
	if strings.HasSuffix(s, "………") { // cut twice
		s = strings.TrimRight(s, "… ") + "…"
	}
	return s
}

// bracketedAt returns the position of bracketed dots at the end of a text, or nil.
func bracketedAt(s string) []int {
	if end := strings.TrimSuffix(s, "…"); !strings.HasSuffix(end, "]") && !strings.HasSuffix(end, ")") {
		return nil
	}
	return bracketed.FindStringIndex(s)
}

// appearedFrom returns the position of the ending that names where the text first appeared, or -1. Text after such
// words belongs to the author.
func appearedFrom(s, title string) int {
	const mostOfSite, most = 160, 600 // characters of the site's name and of the whole ending
	end := ending(s)
	lower := lowered(end)
	for _, a := range appearing {
		for _, behind := range a.behind {
			if !strings.Contains(lower, behind) {
				continue
			}
			at := strings.LastIndex(lower, " "+behind+" ")
			if at < 0 || utf8.RuneCountInString(end[at+len(behind)+2:]) > mostOfSite {
				continue
			}
			if from := opened(lower[:at], a.before, title); from >= 0 && utf8.RuneCountInString(end[from:]) <= most {
				return len(s) - len(end) + from
			}
		}
	}
	if containsAny(end, apartWords) {
		if at := apart.FindStringIndex(end); at != nil && utf8.RuneCountInString(end[at[0]:]) <= most {
			return len(s) - len(end) + at[0]
		}
	}
	return -1
}

// opened returns the position in s of a phrase of words that is followed by the title. Otherwise it returns the
// last position of a phrase, or -1.
func opened(s string, words []string, title string) int {
	last, end := -1, -1
	for _, word := range words {
		for at, from := 0, 0; ; from = at + len(word) {
			if at = strings.Index(s[from:], word+" "); at < 0 {
				break
			}
			if at += from; at > 0 && s[at-1] != ' ' {
				continue
			}
			if rest, titled := after(s[at+len(word):], title); titled && !strings.ContainsFunc(rest, inWord) {
				return at
			}
			if at+len(word) > end {
				last, end = at, at+len(word)
			}
		}
	}
	return last
}

// withoutCutAppearance removes the same ending if it was cut. At least the beginning of the title must be in it.
func withoutCutAppearance(s, title string) string {
	cut, isCut := strings.CutSuffix(lowered(s), "…")
	if !isCut {
		return s
	}
	for _, a := range appearing {
		for _, before := range a.before {
			at := strings.LastIndex(cut, before+" ")
			if at < 0 || at > 0 && cut[at-1] != ' ' || !beginsSentence(s, at) {
				continue
			}
			behind := cut[at+len(before)+1:]
			const enough = 3 // words of a title
			if left, begun := after(title, behind); begun && (left == "" || wordsOf(behind) >= enough) {
				return s[:at]
			}
			rest, whole := after(behind, title)
			if rest = strings.TrimSpace(rest); whole &&
				slices.ContainsFunc(a.behind, func(words string) bool { return strings.HasPrefix(words, rest) }) {
				return s[:at]
			}
		}
	}
	return s
}

func beginsSentence(s string, at int) bool {
	first, _ := utf8.DecodeRuneInString(s[at:])
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s[:at], " "))
	return at == 0 || unicode.IsUpper(first) || strings.ContainsRune(".!?…。！？؟:\"”»)]", last)
}

// lowered returns s in lower case with the same length. It keeps letters whose lower case has another length, and
// invalid UTF-8.
func lowered(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if l := unicode.ToLower(r); n > 1 && utf8.RuneLen(l) == n || r < utf8.RuneSelf {
			b.WriteRune(l)
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// ending returns the last words of a text, in which generators write their endings.
func ending(s string) string {
	const most = 1200 // bytes
	if len(s) <= most {
		return s
	}
	end := s[len(s)-most:]
	return end[strings.IndexByte(end, ' ')+1:]
}

func containsAny(s string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(s, word) })
}

var (
	// appearing lists the endings of WordPress in the languages of our readers: words, the title, words, the name of
	// the site. All are in lower case.
	appearing = []struct{ before, behind []string }{
		{[]string{"the post"}, []string{"first appeared on", "appeared first on"}},
		{[]string{"der beitrag", "das beitrag", "beitrag"}, []string{"erschien zuerst auf", "erschien zuerst bei"}},
		{[]string{"l’article", "l'article", "cet article", "le post"}, []string{"est apparu en premier sur"}},
		{[]string{"la entrada", "el artículo", "la publicación", "el cargo"}, []string{"se publicó primero en",
			"apareció primero en", "aparece primero en", "se publicó por primera vez en"}},
		{[]string{"o post", "o artigo", "o conteúdo", "a postagem"},
			[]string{"apareceu primeiro em", "apareceu primeiro no", "apareceu primeiro na", "aparece primeiro em",
				"aparece primeiro no", "aparece primeiro na", "foi publicado primeiro em", "foi publicado primeiro no",
				"foi publicado primeiro na"}},
		{[]string{"l’articolo", "l'articolo", "il post"}, []string{"proviene da", "sembra essere il primo su"}},
		{[]string{"het bericht", "het artikel"}, []string{"verscheen eerst op"}},
		{[]string{"artykuł", "wpis"}, []string{"pochodzi z serwisu"}},
		{[]string{"inlägget"}, []string{"dök först upp på", "publicerades först på"}},
		{[]string{"сообщение", "запись"}, []string{"появились сначала на",
			"впервые появилась на", "появилась сначала на"}},
		{[]string{"ظهرت المقالة", "ظهر المقال", "المقالة"}, []string{"أولاً على"}},
		{[]string{"הפוסט"}, []string{"הופיע לראשונה"}},
	}

	// apart matches the same ending in languages with another word order. All matches contain one of apartWords, which
	// are a hundred times as fast to find.
	apart = regexp.MustCompile(
		`(?:^|\s)投稿\s?.+\s?は\s?.+\s?に最初に表示されました。$|[^。！？\s]+最先出现在.+。$`)
	apartWords = []string{"に最初に", "最先出现在"}

	// discussed matches the ending of posts from link aggregators, and posts without other text.
	discussed = regexp.MustCompile(
		`(?:\s|^)submitted by\s+/u/\S+(?:\s+to\s+r/\S+)?\s+\[link\]\s+\[comments\]$|^Comments$` +
			`|^Article URL: \S+ Comments URL: \S+ Points: \d+ # Comments: \d+$`)

	bracketed = regexp.MustCompile(`\s?(?:\[…\]|\[\.\.\.\]|\(…\)|\(\.\.\.\))…?$`)

	// wayOn matches words that link to the rest. Only a mark, the title, or the site's name and a mark may follow them.
	wayOn = regexp.MustCompile(
		`(?i)[\[(]?(?:continue reading|keep reading|read more|read the rest(?: of (?:this|the) (?:entry|post|article))?|read the full (?:story|article|post)|` +
			`weiterlesen|mehr lesen|lire la suite|lisez la suite|en savoir plus|seguir leyendo|sigue leyendo|leer más|continue lendo|continuar lendo|leia mais|ler mais|` +
			`continua a leggere|leggi tutto|lees verder|lees meer|czytaj dalej|läs mer|читать далее|читать дальше|続きを読む|继续阅读|繼續閱讀|阅读全文|閱讀全文|اقرأ المزيد|קרא עוד)`)

	// wayOnWords are a fast test for wayOn, as apartWords for apart.
	wayOnWords = []string{"reading", "read more", "read the", "weiterlesen", "mehr lesen", "la suite", "en savoir plus",
		"leyendo", "leer más", "lendo",
		"leia mais", "ler mais", "a leggere", "leggi tutto", "lees verder", "lees meer", "czytaj dalej", "läs mer",
		"читать да", "続きを読む", "继续阅读", "繼續閱讀",
		"阅读全文", "閱讀全文", "اقرأ المزيد", "קרא עוד"}

	markdownLink = regexp.MustCompile(
		`!?\[([^\[\]]*)\]\(https?://[^\s()]*(?:\([^\s()]*\)[^\s()]*)*(?:\s["“”'][^"“”']*["“”'])?\)`)
	writtenLink = regexp.MustCompile(`(?i)<a\s[^<>]*href=["']https?:[^<>]*>`)
)

func withoutWayOn(s, title string) string {
	if !containsAny(strings.ToLower(ending(s)), wayOnWords) {
		return s
	}
	all := wayOn.FindAllStringIndex(s, -1)
	if len(all) == 0 {
		return s
	}
	at := all[len(all)-1]
	before, behind := strings.TrimRight(s[:at[0]], " "), strings.Trim(s[at[1]:], " )]")
	bare, marked := behind, false
	for _, mark := range [...]string{"→", "»", "›", ">", ">>", "…", "...", "⟶", "➔", "←"} {
		if rest, has := strings.CutSuffix(bare, mark); has {
			bare, marked = strings.TrimRight(rest, " :"), true
			break
		}
	}
	rest, titled := after(bare, title)
	titled = titled && !strings.ContainsFunc(rest, inWord)
	last, _ := utf8.DecodeLastRuneInString(before)
	ended := before == "" || strings.ContainsRune(".!?…。！？؟\"”»)]", last)
	const mostOfSite = 60 // columns
	if titled || bare == "" && (ended || marked) || marked && ended && widthOf(bare) <= mostOfSite &&
		!strings.ContainsAny(bare, ".!?。") {
		return before
	}
	return s
}

// withoutFilm removes words at the beginning that replace a film, because the post shows the film's picture.
func withoutFilm(s string) string {
	for _, words := range [...]string{"watch on youtube", "watch this video on youtube", "watch on vimeo"} {
		for len(s) >= len(words) && strings.EqualFold(s[:len(words)], words) {
			rest := strings.TrimLeft(s[len(words):], " .:|·")
			if rest == "" || strings.HasPrefix(rest, "…") {
				return s
			}
			s = rest
		}
	}
	return s
}

// withoutMarkup replaces links in Markdown or in escaped HTML by their words.
func withoutMarkup(s string) string {
	if strings.Contains(s, "](http") {
		s = markdownLink.ReplaceAllString(s, "$1")
	}
	if writtenLink.MatchString(s) {
		s = strings.ReplaceAll(writtenLink.ReplaceAllString(s, ""), "</a>", "")
	}
	return withoutSigns(s)
}
