package render

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Programs that make feeds end what they give of a post with words of their own: where the rest is, where it appeared
// first, where the comments are. The headline leads there; in an excerpt they are left out.

// without leaves the ends of programs out of a summary, which is one line.
func without(summary, title string) string {
	s := withoutMarkup(summary)
	for range 4 {
		before := s
		if at := appearedFrom(s); at >= 0 {
			s = s[:at]
		}
		if strings.Contains(strings.ToLower(s), "comments") {
			s = discussed.ReplaceAllString(s, "")
		}
		s = withoutWayOn(s, title)
		if at := bracketed.FindStringIndex(s); at != nil {
			s = strings.TrimSuffix(strings.TrimRight(s[:at[0]], " "), "…") + "…"
		}
		if s = strings.TrimSpace(s); s == before {
			break
		}
	}
	if strings.Trim(s, " .…") == "" {
		return ""
	}
	for _, cutTwice := range [...]string{"………", "...…"} {
		if strings.HasSuffix(s, cutTwice) {
			s = strings.TrimRight(s, ".… ") + "…"
		}
	}
	return s
}

// appearedFrom is where the words begin with which a text ends that say where it appeared first; -1 if it does
// not. What goes on behind them was written by somebody. Bounds within the expression would make it a hundred
// times as large, and as slow.
func appearedFrom(s string) int {
	const mostOfSite, most = 160, 600 // characters, of the site's name and of all
	end := ending(s)
	if !containsAny(strings.ToLower(end), appearedWords) {
		return -1
	}
	at := appeared.FindStringSubmatchIndex(end)
	if at == nil || utf8.RuneCountInString(end[at[0]:]) > most || at[2] >= 0 && utf8.RuneCountInString(end[at[2]:]) > mostOfSite {
		return -1
	}
	return len(s) - len(end) + at[0]
}

// ending is the end of a text, from a space on, in which programs leave their words.
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
	// appeared is how WordPress ends what it gives, in the languages of readers and in those around them.
	appeared = regexp.MustCompile(`(?i)(?:^|\s)(?:` + strings.Join([]string{
		`The post\s.+\s(?:first appeared|appeared first)\son\s`,
		`(?:Der Beitrag|Das Beitrag|Beitrag)\s.+\serschien zuerst\s(?:auf|bei)\s`,
		`(?:L[’']article|Cet article|Le post)\s.+\sest apparu en premier sur\s`,
		`(?:La entrada|El artículo|La publicación|El cargo)\s.+\s(?:se publicó primero|apareció primero|aparece primero|se publicó por primera vez)\sen\s`,
		`(?:O post|O artigo|O conteúdo|A postagem)\s.+\s(?:apareceu primeiro|aparece primeiro|foi publicado primeiro)\s(?:em|no|na)\s`,
		`(?:L[’']articolo|Il post)\s.+\s(?:proviene da|sembra essere il primo su)\s`,
		`(?:Het bericht|Het artikel)\s.+\sverscheen eerst op\s`,
		`(?:Artykuł|Wpis)\s.+\spochodzi z serwisu\s`,
		`(?:Inlägget)\s.+\s(?:dök först upp|publicerades först)\spå\s`,
		`(?:Сообщение|Запись)\s.+\s(?:появились сначала|впервые появилась|появилась сначала)\sна\s`,
		`(?:ظهرت المقالة|ظهر المقال|المقالة)\s.+\sأولاً على\s`,
		`הפוסט\s.+\sהופיע לראשונה\s`,
	}, "|") + `)(.*)$|(?:^|\s)投稿\s?.+\s?は\s?.+\s?に最初に表示されました。$|[^。！？\s]+最先出现在.+。$`)

	// appearedWords are words in lower case of which one is in all that appeared finds: to look for them is a hundred times as fast.
	appearedWords = []string{"appeared", "erschien zuerst", "est apparu", "se publicó", "apareció", "aparece", "apareceu", "foi publicado",
		"proviene da", "sembra essere", "verscheen eerst", "pochodzi z", "dök först", "publicerades först", "появил", "впервые",
		"ظهر", "المقالة", "לראשונה", "に最初に", "最先出现在"}

	// discussed is what stands below a post of a site where links are discussed, and all that some say of one.
	discussed = regexp.MustCompile(`(?:\s|^)submitted by\s+/u/\S+(?:\s+to\s+r/\S+)?\s+\[link\]\s+\[comments\]$|^Comments$` +
		`|^Article URL: \S+ Comments URL: \S+ Points: \d+ # Comments: \d+$`)

	// bracketed are dots that say that a text was cut.
	bracketed = regexp.MustCompile(`\s?(?:\[…\]|\[\.\.\.\]|\(…\)|\(\.\.\.\))…?$`)

	// wayOn are words that lead to the rest; behind them stand at most a mark, or the title, or the name of the site and a mark.
	wayOn = regexp.MustCompile(`(?i)[\[(]?(?:continue reading|keep reading|read more|read the rest(?: of (?:this|the) (?:entry|post|article))?|read the full (?:story|article|post)|` +
		`weiterlesen|mehr lesen|lire la suite|lisez la suite|en savoir plus|seguir leyendo|sigue leyendo|leer más|continue lendo|continuar lendo|leia mais|ler mais|` +
		`continua a leggere|leggi tutto|lees verder|lees meer|czytaj dalej|läs mer|читать далее|читать дальше|続きを読む|继续阅读|繼續閱讀|阅读全文|閱讀全文|اقرأ المزيد|קרא עוד)`)

	// wayOnWords are to wayOn what appearedWords are to appeared.
	wayOnWords = []string{"reading", "read more", "read the", "weiterlesen", "mehr lesen", "la suite", "en savoir plus", "leyendo", "leer más", "lendo",
		"leia mais", "ler mais", "a leggere", "leggi tutto", "lees verder", "lees meer", "czytaj dalej", "läs mer", "читать да", "続きを読む", "继续阅读", "繼續閱讀",
		"阅读全文", "閱讀全文", "اقرأ المزيد", "קרא עוד"}

	markdownLink = regexp.MustCompile(`!?\[([^\[\]]*)\]\(https?://[^\s()]*(?:\([^\s()]*\)[^\s()]*)*(?:\s["“”'][^"“”']*["“”'])?\)`)
	writtenLink  = regexp.MustCompile(`(?i)<a\s[^<>]*href=["']https?:[^<>]*>`)
)

// withoutWayOn leaves words at the end out that lead to the rest.
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
	if titled || bare == "" && (ended || marked) || marked && ended && widthOf(bare) <= mostOfSite && !strings.ContainsAny(bare, ".!?。") {
		return before
	}
	return s
}

// withoutMarkup makes words of links that were written as Markdown, or as HTML that was escaped once more.
func withoutMarkup(s string) string {
	if strings.Contains(s, "](http") {
		s = markdownLink.ReplaceAllString(s, "$1")
	}
	if writtenLink.MatchString(s) {
		s = strings.ReplaceAll(writtenLink.ReplaceAllString(s, ""), "</a>", "")
	}
	return s
}
