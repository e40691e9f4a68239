package bounce

import (
	"bytes"
	"strings"
)

// A field is one of a header's, unfolded.
type field struct{ name, value string }

type fields []field

// all gives the values of the fields of a name, in whatever case.
func (f fields) all(name string) (values []string) {
	for _, one := range f {
		if strings.EqualFold(one.name, name) {
			values = append(values, one.value)
		}
	}
	return values
}

// get is the first field of a name; empty if there is none.
func (f fields) get(name string) string {
	if values := f.all(name); len(values) > 0 {
		return values[0]
	}
	return ""
}

func (f fields) has(name string) bool { return len(f.all(name)) > 0 }

// cutHeader reads fields up to the first blank line and gives what follows it.
// It takes any text: lines that are no fields are passed over, where readers of
// net/textproto's kind give up what comes after them, and the header may end
// without its blank line, as a report's last group does (golang#15632).
func cutHeader(text []byte) (header fields, rest []byte) {
	var open []byte // the field that a continuation line belongs to, with all its lines
	from := 0       // where open begins
	end := func() {
		if name, value, ok := bytes.Cut(open, []byte(":")); ok {
			header = append(header, field{string(bytes.TrimRight(name, " \t")), unfold(value)})
		}
		open = nil
	}
	for at := 0; at < len(text); {
		line, _, _ := bytes.Cut(text[at:], []byte("\n"))
		next := min(at+len(line)+1, len(text))
		switch {
		case len(bytes.TrimSpace(line)) == 0:
			end()
			return header, text[next:]
		case line[0] == ' ' || line[0] == '\t':
			if open != nil {
				open = text[from:next]
			}
		default:
			end()
			if isField(line) {
				open, from = text[at:next], at
			}
		}
		at = next
	}
	end()
	return header, nil
}

// isField reports whether a line begins a field (RFC 5322 §2.2); blanks before
// the colon are seen in the wild.
func isField(line []byte) bool {
	name, _, ok := bytes.Cut(line, []byte(":"))
	name = bytes.TrimRight(name, " \t")
	return ok && len(name) > 0 && bytes.IndexFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f }) < 0
}

func unfold(value []byte) string {
	lines := strings.FieldsFunc(string(value), func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.TrimSpace(strings.Join(lines, ""))
}

// cutEnvelope takes away what mail servers write above a message that they pipe
// or file: blank lines and the line "From " of mbox.
func cutEnvelope(message []byte) []byte {
	message = bytes.TrimLeft(message, "\r\n")
	if bytes.HasPrefix(message, []byte("From ")) || bytes.HasPrefix(message, []byte(">From ")) {
		_, message, _ = bytes.Cut(message, []byte("\n"))
	}
	return message
}
