package render

import (
	"fmt"
	"io"
	"mime/quotedprintable"
	"strings"
)

// A piece is a stretch of a message that begins and ends with its lines,
// quoted-printable. Pieces in a row are a message in a row: nothing that is
// encoded depends on the line before or after.
type piece struct {
	coded string
	plain int // bytes that it has when it is decoded
}

// newPiece encodes s, which ends with a line feed or is empty.
func newPiece(s string) piece {
	var b codedBuilder
	b.coded.Grow(len(s) + len(s)/16 + 16)
	b.write(s)
	return b.piece()
}

// decoded is a piece as it was before newPiece.
func (p piece) decoded() string {
	s, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(p.coded)))
	if err != nil {
		panic(fmt.Sprintf("quoted-printable of our own: %v", err))
	}
	// a carriage return of the text itself stands before one of these
	return strings.ReplaceAll(string(s), "\r\n", "\n")
}

// pack puts strings into one allocation: what is kept for long is then cheap to
// collect, and its size is known. It gives their bytes.
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

// A codedBuilder builds a piece of what is added line by line.
type codedBuilder struct {
	coded strings.Builder
	plain int
}

// write adds text, which ends with a line feed or is empty.
func (c *codedBuilder) write(s string) {
	c.plain += len(s)
	quote(&c.coded, s)
}

func (c *codedBuilder) size() size   { return size{c.plain, c.coded.Len()} }
func (c *codedBuilder) piece() piece { return piece{c.coded.String(), c.plain} }

// size is how many bytes a piece adds to each form of a message.
type size struct {
	plain, coded int
}

// textGap is the space below a post of the text version.
func textGap() piece { return piece{"\r\n\r\n", len("\n\n")} }

// upTo is the beginning of a piece, of a size that ends with a line.
func (p piece) upTo(s size) piece { return piece{p.coded[:s.coded], s.plain} }

func (p piece) size() size { return size{p.plain, len(p.coded)} }

func (s size) plus(t size) size {
	return size{s.plain + t.plain, s.coded + t.coded}
}

func (s size) minus(t size) size {
	return size{s.plain - t.plain, s.coded - t.coded}
}

func (s size) within(limit size) bool { return s.plain <= limit.plain && s.sent() <= limit.coded }

// sent is about how many bytes are sent: package mailer sends in base64 what is shorter in it by more than a tenth. A line
// feed becomes two bytes in that, for which a twentieth is more than enough.
func (s size) sent() int {
	const line, lineWithEnd = 76, 78
	if shorter := (s.plain + s.plain/20) * 4 / 3 * lineWithEnd / line; 10*shorter < 9*s.coded {
		return shorter
	}
	return s.coded
}

// maxLine is the longest line of quoted-printable, the CRLF not counted (RFC
// 2045 section 6.7 rule 5).
const maxLine = 76

// quote writes s in quoted-printable, its line feeds as CRLF. It assumes that
// b is at the beginning of a line.
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

// quoteLine writes one line: stretches that stand for themselves are copied
// whole, for this is the hot path of a reader's edition.
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
			need = 3 // a careless relay could take it for the end of the mail (RFC 2049 section 3)
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

// selfQuoted holds the bytes that stand for themselves, but for white space at
// the end of a line and a dot at its beginning.
var selfQuoted = func() (t [256]bool) {
	for c := ' '; c < 0x7f; c++ {
		t[c] = c != '='
	}
	t['\t'] = true
	return t
}()

// pieces is a message, or some of one, in the making: pieces in a row. Others
// may stand among them and be filled afterwards.
type pieces struct {
	list []element
	name string // what stands for it when a template is read
}

// An element is one piece, or pieces.
type element struct {
	piece
	inner *pieces // nil: the piece
}

// String is for templates.
func (p *pieces) String() string { return p.name }

func (p *pieces) add(one piece) { p.list = append(p.list, element{piece: one}) }

func (p *pieces) addAll(more *pieces) { p.list = append(p.list, element{inner: more}) }

// size is the size of all of it.
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

// blocks adds what it holds to a list, in order.
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

// join is all of it in one piece.
func (p *pieces) join() piece { return piece{strings.Join(p.blocks(nil), ""), p.size().plain} }

// A pair is one thing as HTML and as text.
type pair struct {
	html, text piece
}

// packed is the same in one allocation.
func (p pair) packed() pair {
	pack(&p.html.coded, &p.text.coded)
	return p
}

func (p pair) bytes() int { return len(p.html.coded) + len(p.text.coded) }

// both is HTML and text in the making, side by side.
type both struct {
	html, text pieces
}

func (b *both) add(p pair) {
	b.html.add(p.html)
	b.text.add(p.text)
}
