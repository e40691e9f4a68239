package feed

import (
	"encoding/base64"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"digest/internal/hypertext"
)

// A form is the format of a text construct.
type form uint8

const (
	unsaid form = iota // RSS: mostly HTML; Atom without type: by the standard plain text, often HTML
	plain
	markup
	encoded // in base64
)

const maxLine = 1 << 14

// A text is a text construct as in the document.
type text struct {
	raw  string // the content of the element
	form form
	base string // absolute, if an xml:base applies
}

// content returns a copy of the text without one layer of XML and without surrounding white space. A part of the
// document would keep all of it in memory.
func (t text) content() string { return strings.Clone(strings.TrimSpace(innerText(t.raw))) }

// empty reports whether a text has no element and only white space, in CDATA or outside of it.
func (t text) empty() bool {
	raw := strings.TrimSpace(t.raw)
	if !strings.HasPrefix(raw, "<!") {
		return raw == ""
	}
	for tok := range tokens(raw) {
		if tok.kind == tokenStart || strings.TrimSpace(tok.text) != "" {
			return false
		}
	}
	return true
}

// value removes one layer of XML from the text, and reports whether the result is certainly HTML.
func (t text) value() (string, bool) {
	if hasElements(t.raw) && t.form != encoded {
		return strings.TrimSpace(unwrapDiv(flatten(t.raw))), true
	}
	value := strings.TrimSpace(innerText(t.raw))
	if t.form == encoded {
		if b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(value), "")); err == nil &&
			utf8.Valid(b) {
			value = cleanText(string(b))
		}
		return value, false
	}
	return value, t.form == markup
}

// html returns the text as unsafe HTML. It decodes entities in plain text too, because Blogger and others leave them
// in.
func (t text) html() string {
	value, certain := t.value()
	if t.form != plain {
		if again, ok := escapedTwice(value); ok {
			return again
		}
	}
	if certain || t.form != plain && hasTags(value) {
		return value
	}
	return paragraphs(decodeEntities(value))
}

// paragraphs converts plain text to HTML: an empty line ends a paragraph.
func paragraphs(s string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(strings.ReplaceAll(s, "\r\n", "\n"), "\n\n") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		b.WriteString("<p>")
		b.WriteString(strings.ReplaceAll(html.EscapeString(part), "\n", "<br/>"))
		b.WriteString("</p>")
	}
	return b.String()
}

// plain returns the text, such as a title or a name, as one line without tags and entities.
func (t text) plain() string {
	t.raw = strings.ToValidUTF8(t.raw[:min(len(t.raw), maxLine)], "")
	value, certain := t.value()
	if certain {
		t.form = markup
	}
	return strings.Clone(plainLine(value, t.form)) // a part of the document would keep all of it in memory
}

// plainLine removes tags and entities from a line. Publishers escape titles twice or not at all. Therefore it decodes
// entities again, and treats apparent inline HTML as HTML.
func plainLine(s string, f form) string {
	isHTML := f == markup
	switch {
	case isHTML && strings.IndexByte(s, '<') >= 0 && strings.IndexByte(s, '>') < 0 && !strings.Contains(s, "<!"):
		s = decodeEntities(s) // an unescaped "a < b"
	case isHTML, hasInlineTags(s, f):
		s = stripTags(withFormulas(s))
	default:
		s = decodeEntities(s)
	}
	for range 2 {
		again := decodeEntities(s)
		if again == s {
			break
		}
		s = again
	}
	if !isHTML && hasInlineTags(s, f) {
		s = stripTags(s)
	}
	return singleSpaced(s)
}

// singleSpaced trims s and replaces each run of ASCII white space with a space. Typographic spaces (no-break,
// ideographic) stay.
func singleSpaced(s string) string {
	fields := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' })
	return strings.TrimSpace(strings.Join(fields, " "))
}

func hasElements(raw string) bool {
	if strings.IndexByte(raw, '<') < 0 {
		return false
	}
	for tok := range tokens(raw) {
		if tok.kind == tokenStart {
			return true
		}
	}
	return false
}

// innerText joins the text and the CDATA sections of raw, without tags.
func innerText(raw string) string {
	if strings.IndexByte(raw, '<') < 0 {
		return decodeEntities(raw)
	}
	var b strings.Builder
	for tok := range tokens(raw) {
		switch tok.kind {
		case tokenText:
			b.WriteString(decodeEntities(tok.text))
		case tokenCDATA:
			b.WriteString(tok.text)
		}
	}
	return b.String()
}

// flatten converts XHTML to HTML: without prefixes, with end tags for empty elements, and with CDATA escaped.
func flatten(raw string) string {
	b := make([]byte, 0, len(raw)+64)
	for tok := range tokens(raw) {
		switch tok.kind {
		case tokenText:
			b = append(b, tok.text...)
		case tokenCDATA:
			b = join(b, escaper.Replace(tok.text))
		case tokenStart:
			b = flatTag(b, &tok)
		case tokenEnd:
			_, local := splitName(tok.name)
			b = join(b, "</", local, ">")
		}
	}
	return string(b)
}

func flatTag(b []byte, tok *token) []byte {
	_, local := splitName(tok.name)
	b = join(b, "<", local)
	for _, a := range tok.attrs {
		if strings.HasPrefix(a.name, "xmlns") {
			continue
		}
		b = join(b, " ", a.name, `="`, escaper.Replace(decodeEntities(a.value)), `"`)
	}
	b = append(b, '>')
	if tok.empty && !void[atom.Lookup([]byte(strings.ToLower(local)))] {
		b = join(b, "</", local, ">")
	}
	return b
}

// unwrapDiv removes the <div> that must surround XHTML content (RFC 4287 §3.1.1.3).
func unwrapDiv(s string) string {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, "<div>") || !strings.HasSuffix(s, "</div>") {
		return s
	}
	inner := s[len("<div>") : len(s)-len("</div>")]
	if strings.Contains(inner, "<div") || strings.Contains(inner, "</div") {
		return s
	}
	return inner
}

// stripTags returns the decoded text of HTML. Blocks and breaks become spaces.
func stripTags(s string) string { return textOf(s, math.MaxInt, unseen) }

// excerpt returns about the first n characters of the text of HTML on one line, cut at a word. It omits captions,
// struck text and, if there is other text, code. It decodes entities that were escaped twice.
func excerpt(s string, n int) string {
	line := func(without map[atom.Atom]bool) string {
		return singleSpaced(decodeEntities(textOf(withFormulas(s), 6*n, without)))
	}
	return shorten(firstOf(line(notInExcerpts), line(notInCode)), n)
}

// textOf returns the text of HTML without certain elements. It stops when the text is longer than limit, in bytes.
func textOf(s string, limit int, without map[atom.Atom]bool) string {
	var b strings.Builder
	z := hypertext.Tokenizer(s)
	hidden := 0
	var around atom.Atom // element of the last start tag; 0 after an end tag
	for b.Len() < limit {
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			if hidden == 0 {
				b.WriteString(raised(string(z.Text()), around))
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			if tag == atom.Img && hidden == 0 {
				b.WriteString(altInLine(z))
			}
			if kind != html.StartTagToken {
				around = 0
			} else if tag != atom.A || around == 0 { // the number of a footnote is a link
				around = tag
			}
			switch {
			case without[tag] && kind == html.StartTagToken:
				hidden++
			case without[tag] && kind == html.EndTagToken:
				hidden = max(0, hidden-1)
			}
			if !inline[tag] && tag != atom.Img {
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}

// altInLine returns the description of a picture within a sentence, and a space for another picture. The tokenizer is
// behind the name of the tag.
func altInLine(z *html.Tokenizer) string {
	alt, class := "", ""
	for more := true; more; {
		var key, value []byte
		switch key, value, more = z.TagAttr(); string(key) {
		case "alt":
			alt = string(value)
		case "class":
			class = string(value)
		}
	}
	if class != inLine {
		return " "
	}
	return alt
}

// raised converts the content of <sup> and <sub> to Unicode's superscripts and subscripts, so that 10<sup>6</sup>
// does not become 106. It converts only numbers, not 19<sup>th</sup>.
func raised(s string, in atom.Atom) string {
	const plain = "0123456789+-−=()"
	var to []rune
	switch in {
	case atom.Sup:
		to = []rune("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾")
	case atom.Sub:
		to = []rune("₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
	}
	if to == nil || !strings.ContainsAny(s, plain[:10]) || strings.Trim(s, plain) != "" {
		return s
	}
	from := []rune(plain)
	return strings.Map(func(r rune) rune { return to[slices.Index(from, r)] }, s)
}

func atoms(names string) map[atom.Atom]bool {
	set := make(map[atom.Atom]bool)
	for name := range strings.FieldsSeq(names) {
		set[atom.Lookup([]byte(name))] = true
	}
	return set
}

// Classes of HTML elements.
var (
	// The content of unseen elements is not text, although the tokeniser returns it as text.
	unseen        = atoms("script style noscript iframe")
	notInExcerpts = atoms("script style noscript iframe figcaption del s strike pre")
	notInCode     = atoms("script style noscript iframe figcaption del s strike") // for posts of code alone
	// Tags of inline elements do not separate words.
	inline = atoms(`a abbr b bdi bdo cite code del em font i ins kbd mark q s samp small span strong sub sup time
		tt u var wbr strike big acronym ruby rt rb rp nobr`)
	void = atoms("area base br col embed hr img input link meta param source track wbr")
	// Text with one of the known elements is HTML.
	known = atoms(`a abbr acronym article aside audio b big blockquote body br caption center cite code dd del
		details div dl dt em embed figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe
		img input ins kbd li mark object ol p pre q rp rt ruby s samp script section small span strike strong style
		sub summary sup table tbody td th thead time tr tt u ul var video wbr address bdi bdo col colgroup dfn menu
		nav picture source template tfoot`)
)

func hasTags(s string) bool {
	return findTag(s, func(atom.Atom, string) bool { return true })
}

// hasInlineTags reports whether a line has inline HTML: an element with an end tag, a picture with an address, or,
// except in plain text, a break. "The <b> tag" and "<img> in HTML" have none.
func hasInlineTags(s string, f form) bool {
	if strings.IndexByte(s, '<') < 0 {
		return false
	}
	lower := strings.ToLower(s)
	return findTag(s, func(a atom.Atom, name string) bool {
		switch a {
		case atom.Br, atom.Wbr, atom.Hr:
			return f != plain
		case atom.Img:
			return strings.Contains(lower, "src=")
		}
		return strings.Contains(lower, "</"+name+">")
	})
}

// findTag reports whether ok returns true for any HTML start tag in s.
func findTag(s string, ok func(atom.Atom, string) bool) bool {
	s = s[:strings.LastIndexByte(s, '>')+1]
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			return false
		}
		s = s[i+1:]
		n := 0
		for n < len(s) && n < 12 && isNameByte(s[n]) {
			n++
		}
		if n == 0 || n == len(s) || !strings.ContainsRune("> /\t\r\n", rune(s[n])) {
			continue
		}
		name := strings.ToLower(s[:n])
		if a := atom.Lookup([]byte(name)); known[a] && ok(a, name) {
			return true
		}
	}
}

func holdsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}

// firstOf returns the first string that is not blank, without surrounding white space.
func firstOf(all ...string) string {
	for _, s := range all {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}

// shorten cuts s to at most n characters, preferably after a word, and appends an ellipsis.
func shorten(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	end := 0
	for range n - 1 {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	cut := s[:end]
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 && s[end] != ' ' {
		cut = cut[:i]
	}
	return strings.TrimSuffix(strings.TrimRight(cut, " ,;:-–—("), "…") + "…"
}
