package push

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

const (
	// MostHubs is how many hubs of one feed are asked to push it.
	MostHubs = 3
	maxLinks = 50 // of an answer's Link fields that are read
)

// A Topic is what a document says of who pushes it (WebSub section 4).
type Topic struct {
	URL  string   // rel=self, by which its hubs know it; "": it names none
	Hubs []string // rel=hub, in its order
}

// LinkedTopic reads what the Link fields of an answer say of what was answered at base
// (RFC 8288 section 3): a relation counts that a link names first, a link that
// speaks of something else (anchor) does not.
func LinkedTopic(fields []string, base string) Topic {
	var t Topic
	for _, l := range Links(fields, base) {
		rels := strings.Fields(strings.ToLower(l.Rel))
		if slices.Contains(rels, "self") && t.URL == "" {
			t.URL = l.Address
		}
		if slices.Contains(rels, "hub") {
			t.Hubs = append(t.Hubs, l.Address)
		}
	}
	return t
}

// A Link is one link in the Link fields of an answer.
type Link struct{ Address, Rel, Type, Title, Language string }

// Links reads the links of the Link fields of an answer at base, with absolute addresses. It
// skips links with the anchor of another document.
func Links(fields []string, base string) (found []Link) {
	from, err := url.Parse(base)
	if err != nil {
		return nil
	}
	for _, l := range links(fields) {
		if address, ok := l.about(from); ok {
			found = append(found, Link{address, l.params["rel"], l.params["type"], l.params["title"],
				l.params["hreflang"]})
		}
	}
	return found
}

// Hubs gives those of the hubs that a document names which are asked to push it, each once:
// all that are asked by https, else the first.
func Hubs(named []string) []string {
	var secure, plain []string
	for _, hub := range named {
		u, err := url.Parse(hub)
		if err != nil || !isAddress(hub) || u.Host == "" || u.User != nil || u.Fragment != "" {
			continue
		}
		of := &plain
		if strings.EqualFold(u.Scheme, "https") {
			of = &secure
		}
		if !slices.Contains(*of, hub) && len(*of) < MostHubs {
			*of = append(*of, hub)
		}
	}
	if len(secure) > 0 {
		return secure
	}
	return plain[:min(len(plain), 1)]
}

// A link is one of a Link field, its parameters by their names in lower case; of
// one that stands twice the first.
type link struct {
	address string
	params  map[string]string
}

// about resolves the address of a link that speaks of what is at base.
func (l link) about(base *url.URL) (address string, ok bool) {
	if anchor, found := l.params["anchor"]; found {
		a, err := base.Parse(anchor)
		if err != nil || a.String() != base.String() {
			return "", false
		}
	}
	u, err := base.Parse(l.address)
	if err != nil || l.address == "" {
		return "", false
	}
	address = u.String()
	return address, isAddress(address)
}

// links reads Link fields as RFC 8288 appendix B.2 does. What cannot be read ends its field.
func links(fields []string) (found []link) {
	for _, field := range fields {
		for len(found) < maxLinks {
			l, rest, ok := readLink(field)
			if !ok {
				break
			}
			found, field = append(found, l), rest
		}
	}
	return found
}

const linkSpace = " \t"

// readLink reads the link with which a field begins.
func readLink(field string) (l link, rest string, ok bool) {
	field = strings.TrimLeft(field, linkSpace+",")
	field, ok = strings.CutPrefix(field, "<")
	if !ok {
		return l, "", false
	}
	l.address, rest, ok = strings.Cut(field, ">")
	l.address, l.params = strings.TrimSpace(l.address), make(map[string]string)
	for ok {
		rest = strings.TrimLeft(rest, linkSpace)
		if !strings.HasPrefix(rest, ";") {
			break
		}
		var name, value string
		name, value, rest = readParam(rest[1:])
		if _, again := l.params[name]; !again {
			l.params[name] = value
		}
	}
	return l, rest, ok
}

// readParam reads one parameter, up to the sign behind it.
func readParam(field string) (name, value, rest string) {
	end := strings.IndexAny(field, "=;,")
	if end < 0 {
		return paramName(field), "", ""
	}
	name, rest = paramName(field[:end]), field[end:]
	rest, given := strings.CutPrefix(rest, "=")
	if !given {
		return name, "", rest
	}
	rest = strings.TrimLeft(rest, linkSpace)
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		value, rest = readQuoted(quoted)
		return name, value, rest
	}
	end = strings.IndexAny(rest, ";,")
	if end < 0 {
		end = len(rest)
	}
	return name, strings.TrimSpace(rest[:end]), rest[end:]
}

func paramName(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// readQuoted reads a quoted string behind its first quote (RFC 9110 section 5.6.4).
func readQuoted(field string) (value, rest string) {
	var b strings.Builder
	for i := 0; i < len(field); i++ {
		switch c := field[i]; {
		case c == '"':
			return b.String(), field[i+1:]
		case c == '\\' && i+1 < len(field):
			i++
			b.WriteByte(field[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

// Or is a topic of which another source speaks where this one names no hub: what stands in
// the header comes before what stands in the document, as a whole.
func (t Topic) Or(other Topic) Topic {
	if len(t.Hubs) == 0 {
		return other
	}
	t.URL = cmp.Or(t.URL, other.URL)
	return t
}
