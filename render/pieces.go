package render

import (
	"fmt"
	"io"
	"mime/quotedprintable"
	"strings"
)

// A piece is part of a message in quoted-printable that consists of complete lines. Consecutive pieces form a message,
// because the encoding of a line does not depend on other lines.
type piece struct {
	coded string
	plain int // decoded size in bytes
}

// newPiece encodes s, which ends with a line feed or is empty.
func newPiece(s string) piece {
	var b codedBuilder
	b.coded.Grow(len(s) + len(s)/16 + 16)
	b.write(s)
	return b.piece()
}

func (p piece) decoded() string {
	s, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(p.coded)))
	if err != nil {
		panic(fmt.Sprintf("quoted-printable of our own: %v", err))
	}
	// a carriage return in the text itself comes before one of these
	return strings.ReplaceAll(string(s), "\r\n", "\n")
}

// pack copies strings into one allocation, which is cheap to collect and has a known size. It returns their total size
// in bytes.
func pack(all ...*string) int {
	var b strings.Builder
	n := 0
	for _, s := range all {
		n += len(*s)
	}
	b.Grow(n)
	for _, s := range all {
		b.WriteString(*s)
	}
	rest := b.String()
	for _, s := range all {
		*s, rest = rest[:len(*s)], rest[len(*s):]
	}
	return n
}

type codedBuilder struct {
	coded strings.Builder
	plain int
}

// write appends text that ends with a line feed or is empty.
func (c *codedBuilder) write(s string) {
	c.plain += len(s)
	quote(&c.coded, s)
}

func (c *codedBuilder) size() size   { return size{c.plain, c.coded.Len()} }
func (c *codedBuilder) piece() piece { return piece{c.coded.String(), c.plain} }

// size is the size of a piece in bytes, decoded and encoded.
type size struct {
	plain, coded int
}

// textGap returns the space below a post in the text version.
func textGap() piece { return piece{"\r\n\r\n", len("\n\n")} }

func (p piece) upTo(s size) piece { return piece{p.coded[:s.coded], s.plain} }

func (p piece) size() size { return size{p.plain, len(p.coded)} }

func (s size) plus(t size) size {
	return size{s.plain + t.plain, s.coded + t.coded}
}

func (s size) minus(t size) size {
	return size{s.plain - t.plain, s.coded - t.coded}
}

// most returns the greater of both decoded sizes, and of both encoded sizes.
func (s size) most(t size) size { return size{max(s.plain, t.plain), max(s.coded, t.coded)} }

func (s size) within(limit size) bool { return s.plain <= limit.plain && s.sent() <= limit.coded }

// sent estimates the sent bytes. Package mailer uses base64 if it is shorter by more than a tenth. Base64 encodes a
// line feed as two bytes, which an addition of a twentieth covers.
func (s size) sent() int {
	const line, lineWithEnd = 76, 78
	if shorter := (s.plain + s.plain/20) * 4 / 3 * lineWithEnd / line; 10*shorter < 9*s.coded {
		return shorter
	}
	return s.coded
}

// maxLine is the maximum length of a line of quoted-printable without CRLF (RFC 2045 section 6.7 rule 5).
const maxLine = 76

// quote writes s in quoted-printable with CRLF line ends. b must be at the beginning of a line.
func quote(b *strings.Builder, s string) {
	for s != "" {
		line, rest, ended := strings.Cut(s, "\n")
		quoteLine(b, line)
		if ended {
			b.WriteString("\r\n")
		}
		s = rest
	}
}

// quoteLine writes one line. It copies whole runs of unencoded bytes, because rendering an edition spends most of its
// time here.
func quoteLine(b *strings.Builder, s string) {
	const hex = "0123456789ABCDEF"
	column, start := 0, 0
	for i := range len(s) {
		need := 1
		if c := s[i]; !selfQuoted[c] || (c == ' ' || c == '\t') && i == len(s)-1 {
			need = 3
		}
		if column+need > maxLine-1 {
			b.WriteString(s[start:i])
			b.WriteString("=\r\n")
			column, start = 0, i
		}
		if column == 0 && s[i] == '.' {
			need = 3 // a faulty relay may take it for the end of the message (RFC 2049 section 3)
		}
		column += need
		if need == 3 {
			b.WriteString(s[start:i])
			b.WriteByte('=')
			b.WriteByte(hex[s[i]>>4])
			b.WriteByte(hex[s[i]&15])
			start = i + 1
		}
	}
	b.WriteString(s[start:])
}

// selfQuoted contains the bytes that need no encoding, except white space at the end of a line and a dot at its
// beginning.
var selfQuoted = func() (t [256]bool) {
	for c := ' '; c < 0x7f; c++ {
		t[c] = c != '='
	}
	t['\t'] = true
	return t
}()

// pieces is a sequence of pieces. It may contain other sequences, to be filled later.
type pieces struct {
	list []element
	name string
}

// An element is a piece or a sequence of pieces.
type element struct {
	piece
	inner *pieces // nil if it is a piece
}

// String returns the placeholder for templates.
func (p *pieces) String() string { return p.name }

func (p *pieces) add(one piece) { p.list = append(p.list, element{piece: one}) }

func (p *pieces) addAll(more *pieces) { p.list = append(p.list, element{inner: more}) }

func (p *pieces) size() size {
	var n size
	for i := range p.list {
		if e := &p.list[i]; e.inner != nil {
			n = n.plus(e.inner.size())
		} else {
			n = n.plus(e.piece.size())
		}
	}
	return n
}

func (p *pieces) blocks(to []string) []string {
	for i := range p.list {
		if e := &p.list[i]; e.inner != nil {
			to = e.inner.blocks(to)
		} else {
			to = append(to, e.coded)
		}
	}
	return to
}

func (p *pieces) join() piece { return piece{strings.Join(p.blocks(nil), ""), p.size().plain} }

// A pair is the same content as HTML and as text.
type pair struct {
	html, text piece
}

func (p pair) packed() pair {
	pack(&p.html.coded, &p.text.coded)
	return p
}

func (p pair) bytes() int { return len(p.html.coded) + len(p.text.coded) }

type both struct {
	html, text pieces
}

func (b *both) add(p pair) {
	b.html.add(p.html)
	b.text.add(p.text)
}
