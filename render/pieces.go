package render

import "strings"

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

// join is all of it, as it is or quoted-printable.
func (p *pieces) join(coded bool) string {
	var b strings.Builder
	if n := p.size(); coded {
		b.Grow(n.coded)
	} else {
		b.Grow(n.plain)
	}
	p.appendTo(&b, coded)
	return b.String()
}

func (p *pieces) appendTo(b *strings.Builder, coded bool) {
	for i := range p.list {
		switch e := &p.list[i]; {
		case e.inner != nil:
			e.inner.appendTo(b, coded)
		case coded:
			b.WriteString(e.coded)
		default:
			b.WriteString(e.plain)
		}
	}
}
