package bounce

import (
	"bytes"
	"strings"
)

type field struct{ name, value string }

type fields []field

func (f fields) all(name string) (values []string) {
	for _, one := range f {
		if strings.EqualFold(one.name, name) {
			values = append(values, one.value)
		}
	}
	return values
}

// get returns the first value of a field; empty if the header does not have it.
func (f fields) get(name string) string {
	if values := f.all(name); len(values) > 0 {
		return values[0]
	}
	return ""
}

func (f fields) has(name string) bool { return len(f.all(name)) > 0 }

// cutHeader parses fields up to the first blank line and returns the rest. It accepts any text. It skips lines that are
// not fields, at which net/textproto stops. The blank line may be missing, as after the last group of a report
// (golang#15632).
func cutHeader(text []byte) (header fields, rest []byte) {
	var open []byte // the current field with its continuation lines
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

// isField reports whether a line begins a field (RFC 5322 §2.2). Some senders write spaces before the colon.
func isField(line []byte) bool {
	name, _, ok := bytes.Cut(line, []byte(":"))
	name = bytes.TrimRight(name, " \t")
	return ok && len(name) > 0 && bytes.IndexFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f }) < 0
}

func unfold(value []byte) string {
	lines := strings.FieldsFunc(string(value), func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.TrimSpace(strings.Join(lines, ""))
}

// cutEnvelope removes what mail servers write before a message that they pipe or file: blank lines and the line "From "
// of mbox.
func cutEnvelope(message []byte) []byte {
	message = bytes.TrimLeft(message, "\r\n")
	if bytes.HasPrefix(message, []byte("From ")) || bytes.HasPrefix(message, []byte(">From ")) {
		_, message, _ = bytes.Cut(message, []byte("\n"))
	}
	return message
}
