package feed

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// maxFeeds bounds the feeds taken from a list, maxFolder the names of the
// folders around one of them, in bytes.
const (
	maxFeeds  = 100_000
	maxFolder = 1000
)

// parseOPML reads a subscription list, however badly it is written: bare '&'
// and '<' in attributes, outlines never closed. An outline without address is a
// folder; its name is part of the Folder of what stands in it.
func parseOPML(doc, address string) *Document {
	d := &Document{Kind: OPML}
	s := scanner{doc: doc}
	folders := []string{""} // around each open outline, innermost last
	for len(d.Feeds) < maxFeeds {
		tok := s.next()
		switch {
		case tok.kind == tokenEOF:
			return d
		case tok.kind == tokenEnd && strings.EqualFold(tok.name, "outline"):
			folders = folders[:max(1, len(folders)-1)]
		case tok.kind == tokenStart && strings.EqualFold(tok.name, "title") && d.Title == "":
			if text := s.next(); text.kind == tokenText || text.kind == tokenCDATA {
				d.Title = lineOf(text.text)
			}
		case tok.kind == tokenStart && strings.EqualFold(tok.name, "outline"):
			name := lineOf(firstOf(tok.attr("title"), tok.attr("text")))
			around := folders[len(folders)-1]
			offer, ok := outline(&tok, name, address)
			if !ok {
				offer, ok = s.tornOutline(&tok, name, address)
			}
			inside := around
			if ok {
				offer.Folder = around
				d.Feeds = append(d.Feeds, offer)
			} else {
				inside = joinFolder(around, name)
			}
			if !tok.empty && len(folders) <= maxDepth {
				folders = append(folders, inside)
			}
		}
	}
	d.Repairs = append(d.Repairs, "more feeds than can be meant: the rest left out")
	return d
}

// lineOf gives the plain text of a name, and no more of it than of a title.
func lineOf(s string) string {
	return shorten(plainLine(strings.ToValidUTF8(s[:min(len(s), maxLine)], ""), false), maxTitle)
}

// outline gives the feed of an outline; false where it is a folder or something else.
func outline(tok *token, name, address string) (Offer, bool) {
	u := firstOf(tok.attr("xmlUrl"), tok.attr("feedUrl"))
	if typ := tok.attr("type"); u == "" && (strings.EqualFold(typ, "rss") || strings.EqualFold(typ, "atom")) {
		u = tok.attr("url")
	}
	if u == "" {
		return Offer{}, false
	}
	u = resolve(address, u)
	return Offer{URL: u, Title: firstOf(name, u), Type: tok.attr("type")}, true
}

// tornXMLURL finds the address in an outline whose other attributes hold
// quotes and '>', so that its tag seems to end before.
var tornXMLURL = regexp.MustCompile(`(?i)\sxmlUrl\s*=\s*["']([^"'<>\s]+)["']`)

// tornOutline looks for the address behind what seemed to be the end of the
// tag, up to the next outline, and moves there.
func (s *scanner) tornOutline(tok *token, name, address string) (Offer, bool) {
	rest := s.doc[s.pos:]
	rest = rest[:nextOutline(rest)]
	if len(rest) > 1<<16 {
		return Offer{}, false
	}
	m := tornXMLURL.FindStringSubmatch(rest)
	if m == nil {
		return Offer{}, false
	}
	s.pos += len(rest)
	tok.empty = strings.HasSuffix(strings.TrimSpace(rest), "/>")
	u := resolve(address, decodeEntities(m[1]))
	return Offer{URL: u, Title: firstOf(name, u), Type: "rss"}, true
}

// nextOutline is where the next tag of an outline, or the end of the list,
// begins in doc; else the end of doc.
func nextOutline(doc string) int {
	for at := 0; ; at++ {
		i := strings.IndexByte(doc[at:], '<')
		if i < 0 {
			return len(doc)
		}
		at += i
		name := strings.TrimPrefix(doc[at+1:min(len(doc), at+len("</outline"))], "/")
		if hasPrefixFold(name, "outline") || hasPrefixFold(name, "body") {
			return at
		}
	}
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// joinFolder is the path of a folder in the one around it; that one's where the
// name is empty or the path gets too long.
func joinFolder(around, name string) string {
	path := strings.Trim(around+"/"+strings.ReplaceAll(name, "/", "-"), "/")
	if name == "" || len(path) > maxFolder {
		return around
	}
	return path
}

// WriteOPML writes a subscription list, OPML 2.0, with a folder for each
// Folder, nested at "/". Offers without folder come first.
func WriteOPML(w io.Writer, title string, outlines []Offer) error {
	list := slices.Clone(outlines)
	slices.SortStableFunc(list, func(a, b Offer) int { return strings.Compare(a.Folder, b.Folder) })
	p := &opmlWriter{}
	p.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n<head><title>%s</title></head>\n<body>", escapeAttribute(title))
	for _, o := range list {
		p.enter(splitFolder(o.Folder))
		p.line(`<outline type="rss" text="%s" title="%[1]s" xmlUrl="%s"/>`, escapeAttribute(firstOf(o.Title, o.URL)), escapeAttribute(o.URL))
	}
	p.enter(nil)
	p.line("</body>\n</opml>")
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing opml: %w", err)
	}
	return nil
}

type opmlWriter struct {
	strings.Builder
	open []string
}

func (p *opmlWriter) line(format string, args ...any) {
	p.WriteString(strings.Repeat("  ", len(p.open)))
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// enter closes and opens outlines until those of path are open.
func (p *opmlWriter) enter(path []string) {
	same := 0
	for same < len(path) && same < len(p.open) && path[same] == p.open[same] {
		same++
	}
	for len(p.open) > same {
		p.open = p.open[:len(p.open)-1]
		p.line("</outline>")
	}
	for _, name := range path[same:] {
		p.line(`<outline text="%s" title="%[1]s">`, escapeAttribute(name))
		p.open = append(p.open, name)
	}
}

func splitFolder(folder string) []string {
	return strings.FieldsFunc(folder, func(r rune) bool { return r == '/' })
}

func escapeAttribute(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return ""
	}
	return b.String()
}
