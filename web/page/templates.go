package page

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/chart"
	"digest/poller"
	"digest/render"
)

//go:embed templates/*.html
var templateFiles embed.FS

// pages holds the complete template of each page, by name. Each is parsed when it is first shown, because few pages
// are shown in every language.
type pages map[string]func() *template.Template

// A pageSet holds the pages in all languages.
type pageSet map[*catalogue.Language]pages

// loadPages returns the pages among the templates of parts. TestPagesAreComplete checks that they parse.
func loadPages(a Assets, parts []Part) pageSet {
	set := pageSet{}
	for _, l := range catalogue.All() {
		set[l] = pagesIn(l, a, parts)
	}
	return set
}

// A frame is the data of the layout around every page.
type frame struct {
	Title  any         // catalogue.Sayable, or text that is shown unchanged
	Name   string      // on the nameplate
	Index  bool        // search engines may index the page
	Path   string      // of the page, to mark it in the navigation
	Reader digest.User // zero without a session, or if the page belongs to a link in another reader's email
	Other  bool        // a session exists, and the page belongs to a link in another reader's email
	Device *deviceView // data for offline reading; nil: no offline reading
	Logo   *LogoView   // beside or instead of Name; nil: none
	Page   any         // data of the page's template
	lang   *catalogue.Language
	look   look
}

// Language returns the language tag of the page.
func (f frame) Language() string { return f.lang.Code }

// Direction returns the text direction of the page.
func (f frame) Direction() digest.Direction {
	if f.Reader.Direction == digest.RightToLeft {
		return digest.RightToLeft
	}
	return f.lang.Direction
}

// Turned reports whether the reader's setting reverses the direction of the page's language.
func (f frame) Turned() bool { return f.Direction() != f.lang.Direction }

type tab struct {
	Path string
	Name catalogue.Key
	Here string // value of aria-current: "page" for this page, "true" for its section
}

// Tabs returns the navigation for a signed-in reader.
func (f frame) Tabs() []tab {
	tabs := []tab{
		{Path: "/", Name: catalogue.Key("Today")},
		{Path: "/editions", Name: catalogue.Key("Editions")},
		{Path: "/saved", Name: catalogue.Key("Saved")},
		{Path: "/search", Name: catalogue.Key("Search")},
		{Path: "/feeds", Name: catalogue.Key("Feeds")},
		{Path: "/settings", Name: catalogue.Key("Settings")},
	}
	if f.Reader.Publisher {
		tabs = append(tabs, tab{Path: "/newsletters", Name: catalogue.Key("Newsletters")})
	}
	if f.Reader.Operator {
		tabs = append(tabs, tab{Path: "/operator", Name: catalogue.Key("Operator")})
	}
	part := partOf(f.Path)
	for i := range tabs {
		switch tabs[i].Path {
		case f.Path:
			tabs[i].Here = "page"
		case part:
			tabs[i].Here = "true"
		}
	}
	return tabs
}

// OwnTheme returns the theme that the reader has chosen, "" for the theme of the device.
func (f frame) OwnTheme() digest.Theme {
	if f.look.Theme == digest.AsDevice {
		return ""
	}
	return f.look.Theme
}

// OwnSize returns the text size that the reader has chosen, "" for the default of the browser.
func (f frame) OwnSize() digest.TypeSize {
	if f.look.TypeSize == digest.AsBrowser {
		return ""
	}
	return f.look.TypeSize
}

// FirstPost returns the first post on the page, for the link that skips to it; 0 if the page has no posts.
func (f frame) FirstPost() digest.PostID {
	if p, ok := f.Page.(interface{ FirstPost() digest.PostID }); ok {
		return p.FirstPost()
	}
	return 0
}

// partOf returns the path of the navigation link for a page.
func partOf(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch first {
	case "posts", "letters":
		return "/editions"
	case "filters", "filtered":
		return "/feeds"
	case "links":
		return "/search"
	}
	return "/" + first
}

// A saveButton saves a post, or removes it from the saved ones, and redirects to Back. The button's label stays the
// same and aria-pressed has the state, for screen readers.
type saveButton struct {
	ID      digest.PostID
	Saved   bool
	Back    string
	NamedBy string // prefix of the id of the element with the post's name, before a dash and the post's number
}

// pagesIn returns the pages in language l. A page panics on first use if its template is incomplete.
func pagesIn(l *catalogue.Language, a Assets, parts []Part) pages {
	funcs := template.FuncMap{
		"asset":   a.URL,
		"day":     func(d digest.Date) string { return catalogue.Day("Monday 2 January", d).In(l) },
		"heading": func(v any) string { return l.Heading(catalogue.Text(l.Text(v))) },
		"longDay": func(d digest.Date) string { return l.Heading(catalogue.Day("Monday 2 January 2006", d)) },
		"colour":  func(name string) string { return render.Variables()[name] },
		"period":  func(d time.Duration) string { return Period(d).In(l) },
		"minute":  func(t time.Time) string { return Minute(t).In(l) },
		"size":    func(n int64) string { return chart.Size(n).In(l) },
		"span":    func(d time.Duration) string { return chart.Span(d).In(l) },
		"spans":   digest.Spans,
		"saveButton": func(id digest.PostID, saved bool, back, namedBy string) saveButton {
			return saveButton{id, saved, back, namedBy}
		},

		"monthName": func(path string) (string, error) {
			t, err := time.Parse("2006-01", path)
			return l.Heading(catalogue.Time("January 2006", t)), err
		},
		"firstOf":  func(year int, m time.Month) digest.Date { return digest.Date{Year: year, Month: m, Day: 1} },
		"clip":     Shortened,
		"unbroken": unbroken,
		"bare":     digest.WithoutCredentials,
		"sentence": func(v any) string { return l.Sentence(catalogue.Text(l.Text(v))) },
		"kind":     KindNamed,
		"kinds":    chart.Kinds,
		"noted":    func(stored string) string { return poller.Noted(stored).In(l) },
		"kindWord": func(k chart.Kind) string { return k.Word().In(l) },
		"answers":  func(c chart.Count) string { return l.Text(c.Answers()) },

		"stateWord": func(state string) string { return l.Text(stateWord(state)) },
		"lang":      render.Language,

		"suppression": func(r digest.Reason) string { return catalogue.Suppression(r, "").In(l) },
	}
	maps.Copy(funcs, l.Funcs())
	layout := sync.OnceValue(func() *template.Template {
		return template.Must(template.New("layout").Funcs(funcs).Option("missingkey=error").ParseFS(templateFiles,
			"templates/layout.html"))
	})
	p := pages{}
	for _, part := range parts {
		if part.Templates == nil {
			continue
		}
		files, err := fs.Glob(part.Templates, "templates/*.html")
		if err != nil {
			panic(err)
		}
		for _, file := range files {
			if name := path.Join(part.Name, strings.TrimSuffix(path.Base(file), ".html")); name != "layout" {
				p[name] = sync.OnceValue(func() *template.Template { return page(layout(), part.Templates, file) })
			}
		}
	}
	return p
}

func page(layout *template.Template, files fs.FS, name string) *template.Template {
	t := template.Must(template.Must(layout.Clone()).ParseFS(files, name))
	if t.Lookup("main") == nil || t.Lookup("layout.html") == nil {
		panic(fmt.Sprintf("web: page %q is not complete", name))
	}
	return t
}

// ShowPage returns err, or shows a page with status 200. Its title is catalogue.Sayable, or text that is shown
// unchanged.
func (s *Site) ShowPage(w http.ResponseWriter, r *http.Request, err error, name string, title, data any) error {
	if err != nil {
		return err
	}
	return s.Show(w, r, http.StatusOK, name, title, data)
}

// Show renders a page to a buffer and sends it.
func (s *Site) Show(w http.ResponseWriter, r *http.Request, status int, name string, title, data any) error {
	f := frame{Title: title, Name: render.DefaultName, Page: data, Path: r.URL.Path, lang: s.LanguageOf(r, data)}
	if own, ok := r.Context().Value(nameKey{}).(string); ok {
		f.Name = own
	}
	if p, ok := data.(interface{ Nameplate() string }); ok {
		f.Name = p.Nameplate()
	}
	if p, ok := data.(interface{ NameplateLogo() *LogoView }); ok {
		f.Logo = p.NameplateLogo()
	}
	var err error
	f.Reader, err = s.SignedIn(r) // on error the zero user, so that error pages can be shown
	s.renewSession(w, r)
	f.look = s.look(w, r, f.Reader)
	f.Device = s.TellDevice(w.Header(), f.Reader, err)
	if p, ok := data.(interface{ MailedTo() digest.UserID }); ok && f.Reader.ID != 0 && p.MailedTo() != 0 &&
		p.MailedTo() != f.Reader.ID {
		f.Reader, f.Device, f.Other, f.look = digest.User{}, nil, true, usualLook()
	}
	f.Index = status == http.StatusOK && (name == "home_landing" || name == "about_bot" || name == "about_help" ||
		name == "status" || isPublic(data))
	var b bytes.Buffer
	if err := s.pages[f.lang][name]().ExecuteTemplate(&b, "layout.html", f); err != nil {
		return fmt.Errorf("rendering page %s: %w", name, err)
	}
	body := b.Bytes()
	if name != "problem" {
		body = s.signForms(w.Header(), f.Reader.ID, body)
	}
	h := w.Header()
	if f.Index {
		h.Del("X-Robots-Tag")
	}
	h.Add("Vary", "Accept-Language")
	h.Set("Content-Language", f.lang.Code)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a visitor who disconnected is no error
	return nil
}

func isPublic(data any) bool {
	p, ok := data.(interface{ Indexed() bool })
	return ok && p.Indexed()
}

// A NamedPage belongs to a digest, whose name is on the nameplate.
type NamedPage struct{ Name string }

// Named returns the name of a digest as readers see it.
func Named(d digest.Digest) NamedPage { return NamedPage{cmp.Or(d.Name, render.DefaultName)} }

// Nameplate returns the name on the nameplate.
func (p NamedPage) Nameplate() string { return p.Name }

// unbroken keeps numbers such as "1-0" on one line with a word joiner after each hyphen, where browsers break lines.
func unbroken(headline string) string {
	if !strings.ContainsAny(headline, "-–") {
		return headline
	}
	var b strings.Builder
	var before, last rune
	for _, c := range headline {
		if (last == '-' || last == '–') && unicode.IsDigit(before) && unicode.IsDigit(c) {
			b.WriteRune('\u2060')
		}
		b.WriteRune(c)
		before, last = last, c
	}
	return b.String()
}
