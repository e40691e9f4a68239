package render

import (
	"html"
	"strings"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"digest"
)

// mostExcerptLinks limits the links in the excerpt of an untitled post.
const mostExcerptLinks = 8

// linksIn returns the links in sanitised content with their words. It skips hashtags and names of accounts.
func linksIn(content string) (links []digest.Span) {
	z := nethtml.NewTokenizer(strings.NewReader(content))
	href, words := "", strings.Builder{}
	for len(links) < mostExcerptLinks {
		switch z.Next() {
		case nethtml.ErrorToken:
			return links
		case nethtml.TextToken:
			if href != "" {
				words.Write(z.Text())
			}
		case nethtml.StartTagToken:
			if t := z.Token(); t.DataAtom == atom.A {
				href = address(attribute(&nethtml.Node{Attr: t.Attr}, "href"))
				words.Reset()
			}
		case nethtml.EndTagToken:
			if name, _ := z.TagName(); atom.Lookup(name) != atom.A || href == "" {
				continue
			}
			if text := scrub(words.String(), dropped); text != "" && !strings.HasPrefix(text, "#") &&
				!strings.HasPrefix(text, "@") {
				links = append(links, digest.Span{Text: text, URL: href})
			}
			href = ""
		}
	}
	return links
}

// linked returns an excerpt in parts, of which some are links: each is the next occurrence of a link's words. It returns
// nil if no words are a link.
func linked(excerpt string, links []digest.Span) (parts []digest.Span) {
	found := false
	for _, l := range links {
		at := wordsAt(excerpt, l.Text)
		if l.URL == "" || at < 0 {
			continue
		}
		before, rest := excerpt[:at], excerpt[at+len(l.Text):]
		if before != "" {
			parts = append(parts, digest.Span{Text: before})
		}
		parts = append(parts, digest.Span{Text: candid(l.Text, l.URL), URL: l.URL})
		excerpt, found = rest, true
	}
	if !found {
		return nil
	}
	if excerpt != "" {
		parts = append(parts, digest.Span{Text: excerpt})
	}
	return parts
}

// wordsAt returns the position of whole words in a text, or -1.
func wordsAt(s, words string) int {
	for from := 0; ; {
		at := strings.Index(s[from:], words)
		if at < 0 {
			return -1
		}
		at += from
		last, _ := utf8.DecodeLastRuneInString(s[:at])
		next, _ := utf8.DecodeRuneInString(s[at+len(words):])
		if (!inWord(last) || wide(last)) && (!inWord(next) || wide(next)) {
			return at
		}
		from = at + len(words)
	}
}

// linkedHTML returns the parts of an excerpt as HTML, or nil for no parts.
func (r *Renderer) linkedHTML(parts []digest.Span) *pieces {
	if parts == nil {
		return nil
	}
	var b strings.Builder
	for _, s := range parts {
		if s.URL != "" {
			b.WriteString(r.headerLink + html.EscapeString(s.URL) + `">` + html.EscapeString(s.Text) + "</a>")
			continue
		}
		b.WriteString(html.EscapeString(s.Text))
	}
	all := &pieces{}
	all.add(newPiece(b.String() + "\n"))
	return all
}

// linkedText returns the addresses of the links in an excerpt, each on a line.
func linkedText(parts []digest.Span) (lines string) {
	for _, s := range parts {
		if s.URL != "" {
			lines += s.URL + "\n"
		}
	}
	return lines
}
