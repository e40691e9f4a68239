package journey

import (
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// A press is the sites of the test on one loopback host: each has a page at /NAME/ and a feed of its posts at
// /NAME/feed.xml.
type press struct {
	*httptest.Server
	mu    sync.Mutex
	sites map[string]*paper
}

type paper struct {
	title    string
	language string
	posts    []post
}

type post struct {
	title, text string // text is HTML
	at          time.Time
}

func newPress(t *testing.T) *press {
	p := &press{sites: map[string]*paper{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{site}/{$}", p.page)
	mux.HandleFunc("GET /{site}/feed.xml", p.feed)
	mux.HandleFunc("GET /{site}/comments.xml", p.comments)
	mux.HandleFunc("GET /picture.png", picture)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// publish adds posts to a site. The first call creates the site.
func (p *press) publish(name, title, language string, posts ...post) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.sites[name]
	if s == nil {
		s = &paper{title: title, language: language}
		p.sites[name] = s
	}
	s.posts = append(s.posts, posts...)
}

func (p *press) site(r *http.Request) *paper {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sites[r.PathValue("site")]
}

// page offers two feeds: posts and comments.
func (p *press) page(w http.ResponseWriter, r *http.Request) {
	s := p.site(r)
	if s == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<!doctype html><html lang="%s"><head><title>%s</title>
<link rel="alternate" type="application/rss+xml" title="%[2]s" href="feed.xml">
<link rel="alternate" type="application/rss+xml" title="Comments on %[2]s" href="comments.xml">
</head><body><h1>%[2]s</h1></body></html>`, s.language, html.EscapeString(s.title))
}

func (p *press) feed(w http.ResponseWriter, r *http.Request)     { p.write(w, r, "") }
func (p *press) comments(w http.ResponseWriter, r *http.Request) { p.write(w, r, "Comments on ") }

func (p *press) write(w http.ResponseWriter, r *http.Request, before string) {
	s := p.site(r)
	if s == nil {
		http.NotFound(w, r)
		return
	}
	site := "http://" + r.Host + "/" + r.PathValue("site") + "/"
	var b strings.Builder
	fmt.Fprintf(&b,
		`<?xml version="1.0"?><rss version="2.0"><channel><title>%s</title><link>%s</link><language>%s</language>`,
		html.EscapeString(before+s.title), site, s.language)
	for i, e := range s.posts {
		fmt.Fprintf(&b, `<item><title>%s</title><link>%s%d</link><guid>%s%d%s</guid><pubDate>%s</pubDate>`+
			`<description>%s</description></item>`,
			html.EscapeString(before+e.title), site, i, site, i, before, e.at.UTC().Format(time.RFC1123Z),
			html.EscapeString(e.text))
	}
	b.WriteString(`</channel></rss>`)
	w.Header().Set("Content-Type", "application/rss+xml; charset=utf-8")
	w.Header().Set("ETag", fmt.Sprintf(`"%d"`, len(s.posts)))
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(b.String()))
}

func picture(w http.ResponseWriter, _ *http.Request) {
	img := image.NewPaletted(image.Rect(0, 0, 480, 240), color.Palette{color.RGBA{0x8f, 0x2d, 0x1f, 0xff}})
	w.Header().Set("Content-Type", "image/png")
	_ = png.Encode(w, img)
}
