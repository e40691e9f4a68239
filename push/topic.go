package push

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

const (
	// MostHubs is the number of hubs per feed at which digest subscribes.
	MostHubs = 3
	maxLinks = 50 // links read from the Link fields of a response
)

// A Topic names the hubs that push a document (WebSub section 4).
type Topic struct {
	URL  string   // rel=self, by which the hubs know it; "": the document names none
	Hubs []string // rel=hub, in document order
}

// LinkedTopic reads the topic of the document at base from the Link fields of its response (RFC 8288
// section 3). The first rel=self counts. Links that describe another document (anchor) do not count.
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

// A Link is a link from the Link fields of a response.
type Link struct{ Address, Rel, Type, Title, Language string }

// Links returns the links in the Link fields of a response from base, with absolute addresses. It skips
// links that describe another document (anchor).
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

// Hubs returns the hubs at which digest subscribes: up to MostHubs https hubs without duplicates. If a
// document names no https hub, Hubs returns the first http hub.
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

// A link is a link of a Link field as written. The params have lower-case names; the first of a name
// counts.
type link struct {
	address string
	params  map[string]string
}

// about resolves the address of a link. ok is false if the link describes a document other than base.
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

// links reads Link fields as RFC 8288 appendix B.2 says. It skips the rest of a field after a syntax error.
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

// readParam reads one parameter. rest begins with the delimiter after it.
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

// readQuoted reads a quoted string after its opening quote (RFC 9110 section 5.6.4).
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

// Or returns t if it names a hub, with other.URL if it has no URL. Otherwise Or returns other. Callers pass the
// header's topic as t, since the header overrides the document.
func (t Topic) Or(other Topic) Topic {
	if len(t.Hubs) == 0 {
		return other
	}
	t.URL = cmp.Or(t.URL, other.URL)
	return t
}
