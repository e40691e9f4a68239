package render

// A piece is a stretch of a message that begins and ends with its lines, both
// as it is and quoted-printable. Pieces in a row are a message in a row.
type piece struct {
	plain, coded string
}

// newPiece makes a piece of s, which ends with a line feed or is empty.
func newPiece(s string) piece {
	return piece{plain: s, coded: string(appendQuoted(make([]byte, 0, len(s)+len(s)/8+8), s))}
}

// size is how much a piece adds to each form of a message.
type size struct {
	plain, coded int
}

func (p piece) size() size { return size{len(p.plain), len(p.coded)} }

func (s size) plus(t size) size { return size{s.plain + t.plain, s.coded + t.coded} }

func (s size) within(limit size) bool { return s.plain <= limit.plain && s.coded <= limit.coded }

// maxLine is the longest line of quoted-printable, the CRLF not counted (RFC
// 2045 section 6.7 rule 5).
const maxLine = 76

// appendQuoted appends s in quoted-printable, its line feeds as CRLF. It
// assumes that dst is at the beginning of a line.
func appendQuoted(dst []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	line := 0
	for i := range len(s) {
		c := s[i]
		if c == '\n' {
			dst = append(dst, '\r', '\n')
			line = 0
			continue
		}
		n := 1
		if !literal(s, i) {
			n = 3
		}
		// Two columns short of the end an escape would not leave room for "=".
		if line+n > maxLine-1 {
			dst = append(dst, '=', '\r', '\n')
			line = 0
		}
		line += n
		if n == 1 {
			dst = append(dst, c)
		} else {
			dst = append(dst, '=', hex[c>>4], hex[c&15])
		}
	}
	return dst
}

// literal reports whether s[i] may stand for itself: white space may not at
// the end of a line.
func literal(s string, i int) bool {
	switch c := s[i]; {
	case c == ' ' || c == '\t':
		return i+1 < len(s) && s[i+1] != '\n'
	default:
		return c > ' ' && c < 0x7f && c != '='
	}
}
