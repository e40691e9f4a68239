package render

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/text/language"
)

// Elements, attributes and properties that emails may use. All mail clients of caniemail.com (data of September 2025)
// support them at least in part, or, on the second line, can ignore them.
var (
	knownElements = setOf(`a blockquote br code del div em h1 h2 h3 h4 img li ol p small span strong sub sup table tbody td th tr ul
		html head body meta title style`)
	knownAttributes = setOf(`align alt border cellpadding cellspacing class height href src start style type value width
		dir lang id role aria-label aria-roledescription scope charset content name`)
	knownProperties = setOf(
		`background-color border border-bottom border-left border-right border-top border-collapse color display
		font-family font-size font-style font-weight height letter-spacing line-height margin max-width padding text-align
		text-decoration vertical-align width
		max-height mso-hide opacity overflow overflow-wrap table-layout word-wrap`)
)

func setOf(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}

// faultsOf checks a message for the needs of mail clients and spam filters. It may use only supported features and load
// content only from this instance. Its links must be absolute and in both versions, which must have nearly the same
// words.
func faultsOf(t *testing.T, m Message) []string {
	t.Helper()
	doc := parse(t, m.HTML)
	faults := map[string]bool{}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if !knownElements[n.Data] {
			faults["element "+n.Data] = true
		}
		for _, a := range n.Attr {
			if why := attributeFault(a.Key, a.Val); why != "" {
				faults[why] = true
			}
		}
		if n.Data == "a" && !strings.HasPrefix(attr(n, "href"), "#") && !isOwnLink(attr(n, "href")) &&
			!strings.Contains(m.Text, strings.TrimPrefix(attr(n, "href"), "mailto:")) {
			faults["link "+attr(n, "href")+" is not in the text"] = true
		}
	}
	shown := shownText(t, m.HTML)
	for _, n := range all(doc, "img") {
		shown += attr(n, "alt") + "\n"
	}
	if share := overlap(words(m.Text), words(shown)); share < 0.8 {
		faults[fmt.Sprintf("%.2f of the words are in both versions", share)] = true
	}
	return slices.Sorted(maps.Keys(faults))
}

func attributeFault(name, value string) string {
	switch {
	case !knownAttributes[name]:
		return "attribute " + name
	case name == "lang" && value != "":
		if _, err := language.Parse(value); err != nil {
			return "language " + value
		}
	case name == "src" && !strings.HasPrefix(value, "https://digest.example/image/"):
		return "loads " + value
	case name == "href" && strings.HasPrefix(value, "#"):
	case name == "href":
		if u, err := url.Parse(value); err != nil || u.Scheme != "mailto" &&
			(u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			return "link " + value
		}
	case name == "style":
		for rule := range strings.SplitSeq(value, ";") {
			if property, v, _ := strings.Cut(rule, ":"); !knownProperties[property] || strings.ContainsAny(v, "(\\@") {
				return "property " + rule
			}
		}
	}
	return ""
}

func overlap(a, b map[string]bool) float64 {
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	if common == len(a) && common == len(b) {
		return 1
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

func words(s string) map[string]bool {
	out := map[string]bool{}
	for field := range strings.FieldsSeq(s) {
		if strings.Contains(field, "://") {
			continue // the other version contains addresses, but not as words
		}
		for _, w := range strings.FieldsFunc(field, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if len(w) > 1 && w[0] < 0x80 { // lines of text without spaces break inside words
				out[w] = true
			}
		}
	}
	return out
}

// TestForAllClients: all mail clients can display the golden emails.
func TestForAllClients(t *testing.T) {
	pages := samples()
	pages["hundred"], pages["huge"] = large(100), large(700)
	for name, p := range pages {
		m := mailOf(t, p)
		if faults := faultsOf(t, m); len(faults) > 0 {
			t.Errorf("%s: %s", name, strings.Join(faults, "; "))
		}
	}
}

// isOwnLink reports whether a link saves a post or changes a site. The text part has none, because its reader can do
// both on the web.
func isOwnLink(url string) bool {
	return strings.Contains(url, "/save/") || strings.Contains(url, "/site/")
}
