package feed

import (
	"iter"
	"strings"
)

type tokenKind uint8

const (
	tokenEOF   tokenKind = iota
	tokenText            // character data, entities not decoded
	tokenCDATA           // the content of a CDATA section
	tokenStart
	tokenEnd
)

// A token is a piece of markup. Its strings are parts of the document.
type token struct {
	kind  tokenKind
	text  string // of text and CDATA
	name  string // of tags, with prefix
	attrs []attribute
	empty bool // a self-closing start tag
	more  bool // it has more than maxAttributes, and lacks the rest
	at    int  // offset of its first byte
	cut   bool // the document ends inside it
}

// An attribute's value is as written, entities not decoded.
type attribute struct{ name, value string }

// attr returns the decoded value of an attribute; "": it is absent. Names ignore case, because feeds write
// isPermalink as often as isPermaLink.
func (t *token) attr(name string) string {
	for _, a := range t.attrs {
		if strings.EqualFold(a.name, name) {
			return strings.TrimSpace(decodeEntities(a.value))
		}
	}
	return ""
}

// A scanner splits XML into tokens and never fails: invalid markup becomes text. It skips comments, processing
// instructions and declarations (doctype.go expands the entities before). Within the brackets of a DOCTYPE, each
// declaration ends at its first '>'.
type scanner struct {
	doc   string
	pos   int
	attrs []attribute // reused

	// These prevent repeated searches for the same end in hostile documents.
	noComment, noInstruction bool // the rest of the document has no such end
}

// maxAttributes limits the attributes of one tag. The largest roots of real feeds have about forty.
const maxAttributes = 1000

func tokens(doc string) iter.Seq[token] {
	return func(yield func(token) bool) {
		s := scanner{doc: doc}
		for tok := s.next(); tok.kind != tokenEOF && yield(tok); {
			tok = s.next()
		}
	}
}

// next returns the next token; at the end of the document it always returns tokenEOF.
func (s *scanner) next() token {
	for s.pos < len(s.doc) {
		at := s.pos
		if s.doc[at] != '<' {
			return s.textToken(at)
		}
		rest := s.doc[at:]
		switch {
		case len(rest) > 1 && isNameStart(rest[1]):
			return s.startTag(at)
		case len(rest) > 2 && rest[1] == '/' && isNameStart(rest[2]):
			return s.endTag(at)
		case strings.HasPrefix(rest, "<![CDATA["):
			return s.cdata(at)
		case s.skipOther(rest):
		default:
			return s.textToken(at)
		}
	}
	return token{kind: tokenEOF, at: len(s.doc)}
}

func (s *scanner) textToken(at int) token {
	end := strings.IndexByte(s.doc[at+1:], '<')
	if end < 0 {
		s.pos = len(s.doc)
	} else {
		s.pos = at + 1 + end
	}
	return token{kind: tokenText, text: s.doc[at:s.pos], at: at}
}

func (s *scanner) cdata(at int) token {
	from := at + len("<![CDATA[")
	end := strings.Index(s.doc[from:], "]]>")
	if end < 0 {
		s.pos = len(s.doc)
		return token{kind: tokenCDATA, text: s.doc[from:], at: at, cut: true}
	}
	s.pos = from + end + len("]]>")
	return token{kind: tokenCDATA, text: s.doc[from : from+end], at: at}
}

// skipOther skips a comment, an instruction or a declaration; false: rest begins with none of these.
func (s *scanner) skipOther(rest string) bool {
	switch {
	case strings.HasPrefix(rest, "<!--"):
		s.skipPast(rest, 4, "-->", &s.noComment)
	case strings.HasPrefix(rest, "<?"), len(rest) > 2 && rest[1] == '!' && isLetter(rest[2]):
		s.skipPast(rest, 2, ">", &s.noInstruction)
	default:
		return false
	}
	return true
}

// skipPast moves behind end. If end is missing, it sets *missing and skips only the opening.
func (s *scanner) skipPast(rest string, opening int, end string, missing *bool) {
	i := -1
	if !*missing {
		i = strings.Index(rest[opening:], end)
		*missing = i < 0
	}
	if i < 0 {
		s.pos += opening
		return
	}
	s.pos += opening + i + len(end)
}

func (s *scanner) endTag(at int) token {
	i := nameEnd(s.doc, at+2)
	t := token{kind: tokenEnd, name: s.doc[at+2 : i], at: at}
	for i < len(s.doc) && s.doc[i] != '>' && s.doc[i] != '<' {
		i++
	}
	t.cut = i >= len(s.doc)
	if !t.cut && s.doc[i] == '>' {
		i++
	}
	s.pos = i
	return t
}

func (s *scanner) startTag(at int) token {
	i := nameEnd(s.doc, at+1)
	t := token{kind: tokenStart, name: s.doc[at+1 : i], at: at}
	s.attrs = s.attrs[:0]
	for {
		i = skipSpace(s.doc, i)
		switch {
		case i >= len(s.doc):
			t.cut = true
		case s.doc[i] == '>':
			i++
		case s.doc[i] == '/':
			t.empty = i+1 < len(s.doc) && s.doc[i+1] == '>'
			i++
			continue
		case s.doc[i] == '<': // unclosed; the next tag begins
		default:
			i = s.attribute(i)
			continue
		}
		break
	}
	t.more = len(s.attrs) > maxAttributes
	t.attrs, s.pos = s.attrs[:min(len(s.attrs), maxAttributes)], i
	return t
}

// attribute reads the attribute at i and returns the index behind it, which is always greater than i.
func (s *scanner) attribute(i int) int {
	from := i
	if i = nameEnd(s.doc, i); i == from {
		return i + 1 // a stray byte
	}
	name := s.doc[from:i]
	j := skipSpace(s.doc, i)
	if j >= len(s.doc) || s.doc[j] != '=' {
		s.hold(name, "")
		return i
	}
	value, end := attributeValue(s.doc, skipSpace(s.doc, j+1))
	s.hold(name, value)
	return end
}

// hold appends an attribute. It keeps one beyond the maximum, so that startTag knows about it.
func (s *scanner) hold(name, value string) {
	if len(s.attrs) <= maxAttributes {
		s.attrs = append(s.attrs, attribute{name, value})
	}
}

// attributeValue reads a value with or without quotes. A value with an unclosed quote ends at the end of the tag.
func attributeValue(doc string, i int) (string, int) {
	if i < len(doc) && (doc[i] == '"' || doc[i] == '\'') {
		if end := strings.IndexByte(doc[i+1:], doc[i]); end >= 0 {
			return doc[i+1 : i+1+end], i + end + 2
		}
		i++
	}
	from := i
	for i < len(doc) && doc[i] != '>' && doc[i] != ' ' && doc[i] != '\n' && doc[i] != '\t' && doc[i] != '\r' {
		i++
	}
	if i < len(doc) && doc[i] == '>' && i > from && doc[i-1] == '/' {
		i--
	}
	return doc[from:i], i
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

func nameEnd(s string, i int) int {
	for i < len(s) && isNameByte(s[i]) {
		i++
	}
	return i
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isNameStart(c byte) bool { return isLetter(c) || c == '_' || c == ':' || c >= 0x80 }

func isNameByte(c byte) bool {
	return isNameStart(c) || c >= '0' && c <= '9' || c == '-' || c == '.'
}
