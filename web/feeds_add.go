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

// A finder is the form for the address of a site.
type finder struct {
	Label catalogue.Key
	Asked string // initial value of the address
	First bool   // the form is on the page before the first edition
	Plain bool   // the button is not the page's main one
}

func (p feedsPage) Finder() finder {
	f := finder{Label: catalogue.Key("Add a site")}
	if p.Seeks() {
		f.Label = catalogue.Key("Address")
	}
	return f
}

func (p homeFirstPage) Finder() finder {
	f := finder{Label: catalogue.Key("Site address"), First: true}
	if p.Feeds > 0 {
		f.Label = catalogue.Key("Add another site")
	}
	return f
}

// A feedsAddPage asks for the address of a site. The bookmarklet or a sharing app may fill it in.
// Opening the page changes nothing: the form's button starts the search.
type feedsAddPage struct {
	Finder finder
	Mark   template.URL // bookmarklet
}

const mostAddress = 2048

// feedsAddPage is the target of the bookmarklet. Its query contains the address of the page in the
// reader's browser.
func (s *site) feedsAddPage(w http.ResponseWriter, r *http.Request, me reader) error {
	return s.showAdd(w, r, r.URL.Query().Get("url"))
}

// feedsSharePage receives what other apps share (Web Share Target).
func (s *site) feedsSharePage(w http.ResponseWriter, r *http.Request, me reader) error {
	q := r.URL.Query()
	return s.showAdd(w, r, sharedAddress(q.Get("title"), q.Get("text"), q.Get("url")))
}

func (s *site) showAdd(w http.ResponseWriter, r *http.Request, address string) error {
	p := feedsAddPage{Finder: finder{Label: catalogue.Key("Site address")}, Mark: s.bookmarklet()}
	p.Finder.Asked = firstRunes(strings.TrimSpace(address), mostAddress)
	return s.show(w, r, http.StatusOK, "feeds_add", catalogue.Key("Add a site"), p)
}

// bookmarklet returns a bookmark that opens the form with the address of the current page. It reads
// nothing else of that page.
func (s *site) bookmarklet() template.URL {
	return template.URL("javascript:location.href='" + template.JSEscapeString(s.BaseURL) +
		"/feeds/add?url='+encodeURIComponent(location.href)")
}

// sharedAddress finds the address in shared data. Most apps use the field url, Android apps the
// text, and some the title. Without an address it returns the data unchanged, so that the reader
// sees it.
func sharedAddress(title, text, address string) string {
	for _, field := range []string{address, text, title} {
		if found := firstAddress(field); found != "" {
			return found
		}
	}
	return cmp.Or(strings.TrimSpace(address), strings.TrimSpace(text), strings.TrimSpace(title))
}

// mostBegun limits how many "http" prefixes of a text are tried.
const mostBegun = 20

// firstAddress returns the first web address in a text, or "".
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

// asciiLower lowers only A to Z, so that byte offsets stay the same.
func asciiLower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// endsAddress reports whether r ends an address in a text.
func endsAddress(r rune) bool {
	return r <= ' ' || r == 0x7f || r == '<' || r == '>' || r == '"' || r == '\u00a0' || r == '\u2028' ||
		r == '\u2029' || r == '\u3000' || r == '”' || r == '»'
}

// withoutStops removes the punctuation after an address at the end of a sentence, and unbalanced
// closing brackets.
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
