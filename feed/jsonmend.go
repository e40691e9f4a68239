package feed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// mendJSON puts right what hand-made JSON gets wrong: raw line breaks in
// strings, commas before a bracket, a cut-off end, members of another type than
// the format says.
func mendJSON(doc string) ([]byte, bool) {
	text, _ := lenientJSON(doc)
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, false
	}
	fixTypes(root, "title", "description", "version", "language", "home_page_url", "feed_url", "user_comment", "next_url", "icon", "favicon")
	fixPeople(root)
	items, _ := root["items"].([]any)
	kept := make([]any, 0, len(items))
	for _, item := range items {
		m, ok := item.(map[string]any)
		if !ok {
			continue
		}
		fixTypes(m, "url", "external_url", "title", "content_html", "content_text", "summary", "image", "banner_image",
			"date_published", "date_modified", "language")
		fixPeople(m)
		delete(m, "tags")
		fixAttachments(m)
		kept = append(kept, m)
	}
	root["items"] = kept
	out, err := json.Marshal(root)
	return out, err == nil
}

// fixTypes makes strings of numbers and drops what cannot be one.
func fixTypes(m map[string]any, names ...string) {
	for _, name := range names {
		switch v := m[name].(type) {
		case string, nil:
		case float64, bool:
			m[name] = fmt.Sprint(v)
		default:
			delete(m, name)
		}
	}
}

func fixPeople(m map[string]any) {
	person := func(v any) any {
		switch p := v.(type) {
		case map[string]any:
			fixTypes(p, "name", "url", "avatar")
			return p
		case string:
			return map[string]any{"name": p}
		}
		return nil
	}
	if list, ok := m["author"].([]any); ok && len(list) > 0 {
		m["author"] = list[0]
	}
	if m["author"] = person(m["author"]); m["author"] == nil {
		delete(m, "author")
	}
	list, ok := m["authors"].([]any)
	if !ok {
		list = []any{m["authors"]}
	}
	people := []any{}
	for _, v := range list {
		if p := person(v); p != nil {
			people = append(people, p)
		}
	}
	m["authors"] = people
}

func fixAttachments(m map[string]any) {
	list, ok := m["attachments"].([]any)
	if one, single := m["attachments"].(map[string]any); single {
		list, ok = []any{one}, true
	}
	if !ok {
		delete(m, "attachments")
		return
	}
	kept := []any{}
	for _, v := range list {
		if a, ok := v.(map[string]any); ok {
			fixTypes(a, "url", "mime_type", "title")
			kept = append(kept, a)
		}
	}
	m["attachments"] = kept
}

// maxValues bounds the members and elements of a JSON document.
const maxValues = 300_000

// lenientJSON rewrites a document as JSON proper, in one pass: raw control
// characters in strings are escaped, commas before a closing bracket dropped,
// and at a cut-off end, or after maxRead items or maxValues, the last one that
// was whole is kept and everything closed; more: something was left out.
func lenientJSON(doc string) (out []byte, more bool) {
	m := &jsonMender{out: make([]byte, 0, len(doc)+64)}
	values := 0
	for i := 0; i < len(doc) && values <= maxValues; i++ {
		switch c := doc[i]; {
		case c == '"':
			i = m.text(doc, i)
		case c == ',':
			values++
			m.out = append(m.out, c)
		case c == '{' || c == '[':
			values++
			m.open = append(m.open, c+2) // the bracket that closes it
			m.out = append(m.out, c)
		case c == '}' || c == ']':
			m.end(c)
			if len(m.open) == 0 {
				return m.out, false
			}
		default:
			m.out = append(m.out, c)
		}
		if m.items > maxRead {
			break
		}
	}
	return m.cutOff(), true
}

// A jsonMender writes JSON proper.
type jsonMender struct {
	out   []byte
	open  []byte // the brackets still to come, innermost last
	items int
	whole int // where the last item ended
}

// text copies the string that begins at i and gives the offset of its end.
func (m *jsonMender) text(doc string, i int) int {
	m.out = append(m.out, '"')
	for i++; i < len(doc); i++ {
		switch c := doc[i]; {
		case c == '\\' && i+1 < len(doc):
			i++
			if strings.IndexByte(`"\/bfnrtu`, doc[i]) < 0 {
				m.out = append(m.out, '\\')
			}
			m.out = append(m.out, c, doc[i])
		case c == '"':
			m.out = append(m.out, c)
			return i
		case c == '\n':
			m.out = append(m.out, `\n`...)
		case c < 0x20:
			m.out = fmt.Appendf(m.out, `\u%04x`, c)
		default:
			m.out = append(m.out, c)
		}
	}
	return i
}

// end writes the bracket that closes the innermost, whichever stands there.
func (m *jsonMender) end(c byte) {
	m.out = bytes.TrimSuffix(bytes.TrimRight(m.out, " \t\r\n"), []byte(","))
	if len(m.open) > 0 {
		c = m.open[len(m.open)-1]
		m.open = m.open[:len(m.open)-1]
	}
	m.out = append(m.out, c)
	if len(m.open) == 2 && m.open[1] == ']' && c == '}' {
		m.items++
		m.whole = len(m.out)
	}
}

// cutOff goes back to the end of the last whole item and closes what is open.
func (m *jsonMender) cutOff() []byte {
	if m.whole > 0 {
		m.out, m.open = m.out[:m.whole], []byte{'}', ']'}
	}
	m.out = bytes.TrimSuffix(bytes.TrimRight(m.out, " \t\r\n"), []byte(","))
	for len(m.open) > 0 {
		m.out = append(m.out, m.open[len(m.open)-1])
		m.open = m.open[:len(m.open)-1]
	}
	return m.out
}
