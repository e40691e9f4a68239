package render

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Many summaries begin with lines that a page shows above its text: the author, dates, the reading time. Emails and
// pages have these elsewhere, or not at all.

const (
	month = `(?:\p{L}{3,12}\.?)`
	date  = `(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{4}年\d{1,2}月\d{1,2}日|` +
		month + ` \d{1,2}(?:st|nd|rd|th)?, \d{4}|\d{1,2}(?:st|nd|rd|th|\.|er| de)? ` + month + `(?: de)?,? \d{4})`
	weekday   = `(?:(?:\p{L}{2,10}day|\p{L}{4,10}tag|Mittwoch|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche),? )?`
	timeOfDay = `(?:,?(?: at| um| à| a las| às)? \d{1,2}[:.h]\d\d(?: ?(?i:[ap]\.?m\.?|uhr))?(?: (?:UTC|GMT|[CE][ES]?T))?)?`
	minutes   = `(?i:minute[ns]?|minutos?|min\.?|mins|分|دقائق|دقيقة)`
)

var (
	// dated matches a date, and published a label before a date.
	dated     = regexp.MustCompile(`^` + weekday + date + timeOfDay)
	published = regexp.MustCompile(`^(?i:(?:first |originally )?published|posted|(?:last )?updated|date|` +
		`veröffentlicht|erstellt|(?:zuletzt )?aktualisiert|stand|publié|mis à jour|publicado|actualizado|atualizado|` +
		`postado|公開日?|投稿日?|更新日?|最終更新日?|نُشر|نشر|تاريخ النشر|آخر تحديث)(?i: on| am| le| el| em| في)?` +
		`\s?[:：]?\s?` + weekday + date + timeOfDay)

	// readIn matches a reading time.
	readIn = regexp.MustCompile(`^(?i:(?:estimated )?read(?:ing)? time|lesezeit|lesedauer|temps de lecture|` +
		`durée de lecture|tiempo de lectura|tempo de leitura|読了時間|読了目安|وقت القراءة|مدة القراءة)\s?[:：]?\s?` +
		`(?:[~≈約]|ca\. |about |env\. |aprox\. )?\s?\d+(?:\s?[-–]\s?\d+)?\s?` + minutes +
		`|^\d{1,3}[ -]` + minutes + `(?i: read\b| lesezeit| de lecture| de lectura| de leitura| للقراءة)|^\d{1,3}分で読めます`)

	// by matches the words before an author's name, and named a name that something else follows.
	by    = regexp.MustCompile(`^(?i:(?:written |posted |words )?by|von|par|por|escrito por|文|著者?|投稿者|執筆|بقلم)\s?[:：]?\s?`)
	named = regexp.MustCompile(`^\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){1,3}(?: (?:[|·•–—] )| (?:` +
		date + `))`)

	// signs matches marks of Markdown, and programs' own lines, at the beginning of a text.
	signs = regexp.MustCompile(`^(?:#{1,6}\s|>\s|-{3,}|={3,}|_{3,}|\*\s?\*\s?\*(?:\s|$)|\{-#.*?#-\})\s*`)
)

// mostLeadIns limits the lines that withoutLeadIn removes.
const mostLeadIns = 6

// withoutLeadIn removes an author, dates and a reading time from the beginning of a summary.
func withoutLeadIn(s, author string) string {
	for range mostLeadIns {
		before := s
		s = signs.ReplaceAllString(s, "")
		s = withoutByline(s, author)
		for _, e := range [...]*regexp.Regexp{published, readIn, dated} {
			if at := e.FindStringIndex(s); at != nil && endsLine(s[:at[1]], s[at[1]:]) {
				s = afterLine(s[at[1]:])
			}
		}
		if s == before {
			break
		}
	}
	return s
}

// withoutByline removes the author's name behind a word such as "by". A name that is not known ends at a sign or a
// date.
func withoutByline(s, author string) string {
	at := by.FindStringIndex(s)
	if at == nil {
		return s
	}
	name := s[at[1]:]
	if rest, same := after(name, author); same && author != "" && endsLine(name, rest) {
		return afterLine(rest)
	}
	if known := named.FindString(name); known != "" {
		words := strings.Fields(known)
		for i, w := range words {
			if r, _ := utf8.DecodeRuneInString(w); i > 0 && (!unicode.IsUpper(r) || isMonth(words[i:])) {
				return afterLine(name[strings.Index(name, " "+w)+1:])
			}
		}
	}
	return s
}

// isMonth reports whether words begin a date such as "February 15, 2026".
func isMonth(words []string) bool {
	return len(words) > 2 && dated.MatchString(strings.Join(words, " "))
}

// endsLine reports whether the text behind a line of its own is no continuation of it: it begins with a sign, a
// capital letter or a digit.
func endsLine(line, rest string) bool {
	next := strings.TrimLeft(rest, " ")
	r, _ := utf8.DecodeRuneInString(next)
	switch {
	case next == "":
		return true
	case strings.ContainsRune("|·•–—-*#“\"„«", r) || rest == next && strings.ContainsRune("：】）", r):
		return true
	case rest == next: // no space
		return false
	}
	return unicode.IsUpper(r) || unicode.IsDigit(r) || wide(r) || rightToLeft(r) && strings.ContainsAny(line, ":：")
}

// afterLine returns a text without the signs that separate it from the line before.
func afterLine(s string) string { return strings.TrimLeft(s, " |·•–—-") }

var (
	fenced   = regexp.MustCompile("```.*?(?:```|$)")
	headings = regexp.MustCompile(`(\s)#{2,6}\s`)
	bold     = regexp.MustCompile(`\*\*([^*\s](?:[^*]*[^*\s])?)\*\*|__([^_\s](?:[^_]*[^_\s])?)__`)
	noWords  = regexp.MustCompile(`!?\[\]\([^()\s]*\)`)
)

// withoutSigns removes blocks of code and the signs of Markdown from a summary.
func withoutSigns(s string) string {
	if strings.Contains(s, "```") {
		s = fenced.ReplaceAllString(s, "")
	}
	if strings.Contains(s, "](") {
		s = noWords.ReplaceAllString(s, "")
	}
	if strings.Contains(s, "##") {
		s = headings.ReplaceAllString(s, "$1")
	}
	if strings.Contains(s, "**") || strings.Contains(s, "__") {
		s = bold.ReplaceAllString(s, "$1$2")
	}
	return s
}
