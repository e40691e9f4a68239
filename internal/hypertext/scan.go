package hypertext

import (
	"strings"

	"golang.org/x/net/html/atom"
)

type tag struct {
	name       atom.Atom // 0: an element that HTML does not know
	spelled    string    // name as written
	written    string    // the whole tag as written
	from, to   int
	end        bool
	empty      bool // self-closing
	attributes int  // with repeated ones
}

// A scanner finds the tags of a text as the tokenizer of x/net/html does. If that depends on the tree, which it does
// not know, it is in doubt. From there on, it treats each '<' before a letter as a tag.
type scanner struct {
	text    string
	plain   bool // as the tokenizer without a tree
	at      int
	tag     tag
	raw     string // the element whose content is text until its end tag
	foreign bool   // SVG, MathML or a template may be open, with different rules
	doubt   bool
	again   int // bytes that were read more than once in doubt
}

// next finds the next tag. It returns false at the end.
func (z *scanner) next() bool {
	for z.at < len(z.text) {
		if z.raw != "" {
			z.skipRaw()
			continue
		}
		i := strings.IndexByte(z.text[z.at:], '<')
		if i < 0 {
			break
		}
		from := z.at + i
		z.at = from + 1
		c, after := z.byteAt(from+1), z.byteAt(from+2)
		switch {
		case isLetter(c):
			return z.readTag(from, from+1)
		case c == '/' && isLetter(after):
			return z.readTag(from, from+2)
		case z.doubt:
		case c == '!' && strings.HasPrefix(z.text[from:], "<!--"):
			z.at = from + 4
			z.skipComment()
		case c == '!' && z.foreign && strings.HasPrefix(z.text[from:], "<![CDATA["):
			z.doubt = true
		case c == '!' || c == '?' || c == '/':
			z.at = from + 2
			if c == '/' && after == '>' {
				z.at = from + 3
			} else {
				z.skipPast(">")
			}
		}
	}
	z.at = len(z.text)
	return false
}

func (z *scanner) byteAt(i int) byte {
	if i < len(z.text) {
		return z.text[i]
	}
	return 0
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' }

// skipPast moves past the end of the current markup, or to the end of the text.
func (z *scanner) skipPast(end string) {
	if i := strings.Index(z.text[z.at:], end); i >= 0 {
		z.at += i + len(end)
		return
	}
	z.at = len(z.text)
}

// skipComment moves past the current comment. "-->" and "--!>" end it, and at its beginning also ">" and "->".
func (z *scanner) skipComment() {
	if z.byteAt(z.at) == '>' || strings.HasPrefix(z.text[z.at:], "->") {
		z.skipPast(">")
		return
	}
	for z.at < len(z.text) {
		z.skipPast("--")
		for z.byteAt(z.at) == '-' {
			z.at++
		}
		if z.byteAt(z.at) == '>' {
			z.at++
			return
		}
		if strings.HasPrefix(z.text[z.at:], "!>") {
			z.at += 2
			return
		}
	}
}

// skipRaw moves to the end tag of the element whose content is text.
func (z *scanner) skipRaw() {
	name, from := z.raw, z.at
	for {
		i := strings.Index(z.text[z.at:], "</")
		if i < 0 || name == "plaintext" {
			z.at = len(z.text)
			break
		}
		z.at += i
		if z.endsRaw(z.at) {
			break
		}
		z.at += len("</")
	}
	z.raw = ""
	if _, hidden, _ := strings.Cut(z.text[from:z.at], "<!--"); name == "script" && holdsScript(hidden) {
		z.at, z.doubt = from, true // it may hide the end of a script
	}
}

func holdsScript(s string) bool {
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			return false
		}
		s = s[i+1:]
		if len(s) >= len("script") && strings.EqualFold(s[:len("script")], "script") {
			return true
		}
	}
}

// readTag reads the tag at from, whose name begins at i. It returns false if the text ends in it.
func (z *scanner) readTag(from, i int) bool {
	end := i
	for end < len(z.text) && !isSpace(z.text[end]) && z.text[end] != '/' && z.text[end] != '>' {
		end++
	}
	z.tag = tag{from: from, end: z.text[from+1] == '/', spelled: z.text[i:end], name: lookUp(z.text[i:end])}
	whole := z.readAttributes(end)
	z.tag.to, z.tag.written = z.at, z.text[from:z.at]
	switch {
	case z.doubt: // another tag may begin in it
		if z.again += z.at - from; z.again > mostAgain*len(z.text) {
			z.tag.attributes = maxAttributes + 1
		}
		z.at = end
		return true
	case whole && !z.tag.end:
		z.enter()
	}
	return whole
}

// mostAgain limits the bytes that are read again in doubt, as a multiple of the text's length.
const mostAgain = 16

// lookUp returns the atom of a name, ignoring case.
func lookUp(name string) atom.Atom {
	var lower [16]byte
	if len(name) > len(lower) {
		return 0
	}
	n := copy(lower[:], name)
	for i, c := range lower[:n] {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c | 0x20
		}
	}
	return atom.Lookup(lower[:n])
}

// enter updates the state of the scanner for the tags after a start tag.
func (z *scanner) enter() {
	switch z.tag.name {
	case atom.Noscript:
		if z.plain || z.foreign {
			z.enterRaw()
		}
	case atom.Iframe, atom.Noembed, atom.Noframes, atom.Plaintext, atom.Script, atom.Style, atom.Textarea, atom.Title,
		atom.Xmp:
		z.enterRaw()
	}
}

// enterRaw starts an element whose content is text. In foreign content it may have elements, which makes no difference
// if the next tag is its end tag.
func (z *scanner) enterRaw() {
	z.raw = z.tag.name.String()
	if !z.foreign {
		return
	}
	i := strings.IndexByte(z.text[z.at:], '<')
	if z.doubt = i < 0 || !z.endsRaw(z.at+i); z.doubt {
		z.raw = ""
	}
}

// endsRaw reports whether the end tag of the element whose content is text begins at i.
func (z *scanner) endsRaw(i int) bool {
	rest, end := z.text[i:], len("</")+len(z.raw)
	return len(rest) > end && rest[1] == '/' && strings.EqualFold(rest[2:end], z.raw) &&
		(isSpace(rest[end]) || rest[end] == '/' || rest[end] == '>')
}

// readAttributes reads the attributes from i and moves past the tag. It returns false if the tag has no end.
func (z *scanner) readAttributes(i int) bool {
	for {
		i = z.skipSpace(i)
		if i >= len(z.text) {
			z.at = len(z.text)
			return false
		}
		if z.text[i] == '>' {
			z.at = i + 1
			z.tag.empty = z.text[i-1] == '/'
			return true
		}
		from := i
		for i < len(z.text) && (z.text[i] != '=' || i == from) && !isSpace(z.text[i]) && z.text[i] != '/' &&
			z.text[i] != '>' {
			i++
		}
		if i > from {
			z.tag.attributes++
		}
		i = z.skipValue(z.skipSpace(i))
	}
}

func (z *scanner) skipSpace(i int) int {
	for i < len(z.text) && isSpace(z.text[i]) {
		i++
	}
	return i
}

// skipValue returns the index after the value of an attribute, if one begins at i.
func (z *scanner) skipValue(i int) int {
	switch z.byteAt(i) {
	case '/':
		return i + 1
	case '=':
	default:
		return i
	}
	i = z.skipSpace(i + 1)
	switch c := z.byteAt(i); c {
	case '>':
		return i
	case '"', '\'':
		end := strings.IndexByte(z.text[i+1:], c)
		if end < 0 {
			return len(z.text)
		}
		return i + 1 + end + 1
	}
	for i < len(z.text) && !isSpace(z.text[i]) && z.text[i] != '>' {
		i++
	}
	return i
}
