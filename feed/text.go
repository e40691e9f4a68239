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

// A form says how a text construct is to be read.
type form uint8

const (
	unsaid form = iota // RSS: nobody knows, mostly HTML; Atom without type: text by the book, HTML by habit
	plain
	markup
	encoded // in base64
)

// maxLine bounds, in bytes, the raw text of what is shown on one line.
const maxLine = 1 << 14

// A text is a text construct as it stands in the document.
type text struct {
	raw  string // the inside of the element
	form form
	base string // absolute, when an xml:base is in scope
	src  string // where Atom's content is elsewhere: its address
}

// empty reports whether there is nothing in a text: no element, and no character but white
// space, in CDATA or outside of it.
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

// value gives the text with one layer of XML taken off, and whether it is
// certain to be HTML.
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

// html gives the text as HTML, not yet made safe. Entities are decoded in plain
// text too: Blogger and others leave them in.
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

// paragraphs makes HTML of plain text: an empty line ends a paragraph.
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

// plain gives the text as one line without tags and entities: titles, names.
func (t text) plain() string {
	t.raw = strings.ToValidUTF8(t.raw[:min(len(t.raw), maxLine)], "")
	value, certain := t.value()
	if certain {
		t.form = markup
	}
	return strings.Clone(plainLine(value, t.form)) // a title must not keep its document in memory
}

// plainLine takes tags and entities off a line. Publishers escape titles twice
// or not at all, so what still looks like an entity is decoded again, and what
// looks like inline HTML is taken for it.
func plainLine(s string, f form) string {
	isHTML := f == markup
	switch {
	case isHTML && strings.IndexByte(s, '<') >= 0 && strings.IndexByte(s, '>') < 0 && !strings.Contains(s, "<!"):
		s = decodeEntities(s) // "a < b" that should have been escaped
	case isHTML, hasInlineTags(s, f):
		s = stripTags(s)
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
	return oneLine(s)
}

// oneLine trims s and makes every run of ASCII white space one space. The
// spaces of typography (no-break, ideographic) stay.
func oneLine(s string) string {
	fields := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' })
	return strings.TrimSpace(strings.Join(fields, " "))
}

// hasElements reports whether raw holds tags outside of CDATA.
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

// innerText joins the text and the CDATA sections of raw; tags are left out.
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

// flatten makes HTML of XHTML: prefixes off, empty elements closed by an end
// tag, CDATA escaped.
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

// unwrapDiv takes off the <div> that XHTML content must be wrapped in (RFC 4287 §3.1.1.3).
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

// stripTags gives the text of HTML, decoded; blocks and breaks become spaces.
func stripTags(s string) string { return textOf(s, math.MaxInt, unseen) }

// excerpt gives the first n characters, about, of the text of HTML on one
// line, cut at a word. It has no captions and no struck text, and decodes
// entities that were escaped twice.
func excerpt(s string, n int) string {
	return shorten(oneLine(decodeEntities(textOf(s, 6*n, notInExcerpts))), n)
}

// textOf gives the text of HTML without what stands in the elements left out,
// until it is longer than limit, in bytes.
func textOf(s string, limit int, without map[atom.Atom]bool) string {
	var b strings.Builder
	z := hypertext.Tokenizer(s)
	hidden := 0
	var around atom.Atom // what the last tag began; 0: it ended something
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
			if kind != html.StartTagToken {
				around = 0
			} else if tag != atom.A || around == 0 { // the number of a note is a link
				around = tag
			}
			switch {
			case without[tag] && kind == html.StartTagToken:
				hidden++
			case without[tag] && kind == html.EndTagToken:
				hidden = max(0, hidden-1)
			}
			if !inline[tag] {
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}

// raised gives the inside of <sup> and <sub> in the characters that Unicode has for it, so that 10<sup>6</sup> is not
// read as 106. What is more than a number stays as it is: 19<sup>th</sup>.
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

// elements makes a set of names.
func elements(names string) map[atom.Atom]bool {
	set := make(map[atom.Atom]bool)
	for name := range strings.FieldsSeq(names) {
		set[atom.Lookup([]byte(name))] = true
	}
	return set
}

// The elements of HTML, as far as it matters which they are.
var (
	// unseen are those whose inside is no text, though the tokeniser gives it as text.
	unseen        = elements("script style noscript iframe")
	notInExcerpts = elements("script style noscript iframe figcaption del s strike")
	// inline are those that separate no words.
	inline = elements(`a abbr b bdi bdo cite code del em font i ins kbd mark q s samp small span strong sub sup time
		tt u var wbr strike big acronym ruby rt rb rp nobr`)
	void = elements("area base br col embed hr img input link meta param source track wbr")
	// known are those by which HTML is recognised.
	known = elements(`a abbr acronym article aside audio b big blockquote body br caption center cite code dd del
		details div dl dt em embed figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe
		img input ins kbd li mark object ol p pre q rp rt ruby s samp script section small span strike strong style
		sub summary sup table tbody td th thead time tr tt u ul var video wbr address bdi bdo col colgroup dfn menu
		nav picture source template tfoot`)
)

// hasTags reports whether s holds a tag of HTML.
func hasTags(s string) bool {
	return findTag(s, func(atom.Atom, string) bool { return true })
}

// hasInlineTags reports whether a line holds inline HTML: an element that is
// also closed, a picture with an address, or a break where the line is not said to be
// plain. "The <b> tag" and "<img> in HTML" do not.
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

// findTag reports whether any start tag of HTML in s satisfies ok.
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

// holdsAny reports whether s holds one of the parts.
func holdsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}

// firstOf gives the first string that is more than white space, without the space around it.
func firstOf(all ...string) string {
	for _, s := range all {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}

// shorten cuts s to at most n characters, at a word where there are words, and
// says so with an ellipsis.
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
