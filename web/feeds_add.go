package web

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"digest/internal/catalogue"
	"digest/internal/weburl"
)

// A finder is the form that asks for an address.
type finder struct {
	Label catalogue.Key
	Asked string // what is in it already
	First bool   // it stands on the page before the first edition
	Plain bool   // its button is not the one that matters
}

// Finder is the form on the list of feeds.
func (p feedsPage) Finder() finder {
	f := finder{Label: catalogue.Key("Add a site")}
	if p.Seeks() {
		f.Label = catalogue.Key("Address")
	}
	return f
}

// Finder is the form on the page before the first edition.
func (p homeFirstPage) Finder() finder {
	f := finder{Label: catalogue.Key("Address of a site"), First: true}
	if p.Feeds > 0 {
		f.Label = catalogue.Key("Add another")
	}
	return f
}

// A feedsAddPage asks for the address of a site, and may have one from elsewhere: of the page that was open in
// the reader's browser, or that a program has shared. It is only shown; the form's button looks for its feeds.
type feedsAddPage struct {
	Finder finder
	Mark   template.URL // the bookmarklet
}

// mostAddress is the most characters of an address that is typed or brought.
const mostAddress = 2048

// feedsAddPage is where the bookmarklet leads, with the address of the page at which it was pressed.
func (s *site) feedsAddPage(w http.ResponseWriter, r *http.Request, me reader) error {
	return s.showAdd(w, r, r.URL.Query().Get("url"))
}

// feedsSharePage is what other programs share with this one (Web Share Target).
func (s *site) feedsSharePage(w http.ResponseWriter, r *http.Request, me reader) error {
	q := r.URL.Query()
	return s.showAdd(w, r, sharedAddress(q.Get("title"), q.Get("text"), q.Get("url")))
}

func (s *site) showAdd(w http.ResponseWriter, r *http.Request, address string) error {
	p := feedsAddPage{Finder: finder{Label: catalogue.Key("Address of a site")}, Mark: s.bookmarklet()}
	p.Finder.Asked = firstRunes(strings.TrimSpace(address), mostAddress)
	return s.show(w, r, http.StatusOK, "feeds_add", catalogue.Key("Add a site"), p)
}

// bookmarklet is a bookmark that leads from any page to the form for its address. It reads nothing but that.
func (s *site) bookmarklet() template.URL {
	return template.URL("javascript:location.href='" + template.JSEscapeString(s.BaseURL) +
		"/feeds/add?url='+encodeURIComponent(location.href)")
}

// sharedAddress finds the address in what a program has shared: mostly it is in the field for it, with Android
// within the text, with others in the title. What has none is given as it is, for its reader to see.
func sharedAddress(title, text, address string) string {
	for _, field := range []string{address, text, title} {
		if found := firstAddress(field); found != "" {
			return found
		}
	}
	return cmp.Or(strings.TrimSpace(address), strings.TrimSpace(text), strings.TrimSpace(title))
}

// mostBegun is the most beginnings of addresses that are tried in a text.
const mostBegun = 20

// firstAddress gives the first web address in a text; "" if it has none.
func firstAddress(text string) string {
	lower := asciiLower(text)
	for at, begun := 0, 0; begun < mostBegun; {
		i := strings.Index(lower[at:], "http")
		if i < 0 {
			return ""
		}
		at += i
		if !strings.HasPrefix(lower[at:], "http://") && !strings.HasPrefix(lower[at:], "https://") {
			at += len("http")
			continue
		}
		begun++
		word := text[at:]
		if end := strings.IndexFunc(word, endsAddress); end >= 0 {
			word = word[:end]
		}
		word = withoutStops(word)
		if u, err := url.Parse(weburl.Escaped(word)); err == nil && u.Hostname() != "" {
			return word
		}
		at += len("http")
	}
	return ""
}

// asciiLower writes the letters A to Z small, so that all bytes keep their places.
func asciiLower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// endsAddress reports whether no address goes on at a character of a text.
func endsAddress(r rune) bool {
	return r <= ' ' || r == 0x7f || r == '<' || r == '>' || r == '"' || r == '\u00a0' || r == '\u2028' ||
		r == '\u2029' || r == '\u3000' || r == '”' || r == '»'
}

// withoutStops cuts off the marks that end a sentence about an address, and a bracket that it does not open.
func withoutStops(address string) string {
	round, square := strings.Count(address, ")")-strings.Count(address, "("),
		strings.Count(address, "]")-strings.Count(address, "[")
	for {
		last := len(address) - 1
		if last < 0 {
			return ""
		}
		switch address[last] {
		case '.', ',', ';', ':', '!', '?', '\'', '*':
		case ')':
			if round <= 0 {
				return address
			}
			round--
		case ']':
			if square <= 0 {
				return address
			}
			square--
		default:
			return address
		}
		address = address[:last]
	}
}
