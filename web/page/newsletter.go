package page

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
)

// A NewsletterName is the part of a newsletter's view that all its pages share.
type NewsletterName struct {
	digest.Newsletter
	BaseURL string
}

// Nameplate returns the name on the nameplate.
func (n NewsletterName) Nameplate() string { return n.Name }

// Indexed lets search engines index the page.
func (NewsletterName) Indexed() bool { return true }

// Path returns the path of the home page.
func (n NewsletterName) Path() string { return "/n/" + n.Slug }

// Home returns the absolute address of the home page.
func (n NewsletterName) Home() string { return n.BaseURL + n.Path() }

// Blurb returns the description in one line, for link previews.
func (n NewsletterName) Blurb() string { return digest.Shortened(digest.OneLine(n.Description), 200) }

// Paragraphs returns the description in paragraphs.
func (n NewsletterName) Paragraphs() (all []string) {
	for p := range strings.SplitSeq(strings.ReplaceAll(n.Description, "\r\n", "\n"), "\n\n") {
		if p = digest.OneLine(p); p != "" {
			all = append(all, p)
		}
	}
	return all
}

// Open reports whether the newsletter accepts members.
func (n NewsletterName) Open() bool {
	return n.State == digest.NewsletterActive || n.State == digest.NewsletterHeld
}

// Comes returns the days of the newsletter in words: "every day", "on Sundays".
func (n NewsletterName) Comes() catalogue.Message { return DaysView{n.Cadence}.Words() }

// The colours and the logo of a newsletter, for its public pages and issues. The address of each
// file contains a hash of its content, so that browsers can cache it permanently.

// Stylesheet returns the path of the style sheet with the newsletter's colours, or "" if it has
// none.
func (n NewsletterName) Stylesheet() string {
	if n.Colours == (digest.Colours{}) {
		return ""
	}
	return n.look(StylesheetName(n.Colours))
}

func (n NewsletterName) look(file string) string { return n.Path() + "/look/" + file }

// StylesheetName returns the name of the style sheet with these colours.
func StylesheetName(c digest.Colours) string {
	sum := sha256.Sum256([]byte(render.ThemeIn(c)))
	return "colours-" + hex.EncodeToString(sum[:6]) + ".css"
}

// A LogoView is a logo for templates.
type LogoView struct {
	digest.Logo
	URL           string
	Width, Height int // CSS pixels
}

// NewLogoView returns a logo with its address, nil for a logo that does not exist.
func NewLogoView(l digest.Logo, url string) *LogoView {
	if !l.Exists() {
		return nil
	}
	w, h := l.Shown()
	return &LogoView{l, url, w, h}
}

// NameplateLogo returns the logo for the nameplate, or nil if there is none.
func (n NewsletterName) NameplateLogo() *LogoView { return NewLogoView(n.Logo, n.look(n.LogoFile)) }

// LogoURL returns the absolute address of the logo, or "" if there is none.
func (n NewsletterName) LogoURL() string {
	if !n.Logo.Exists() {
		return ""
	}
	return n.BaseURL + n.look(n.LogoFile)
}

// SendLogo serves the current logo, or one that older issues use.
func (s *Site) SendLogo(w http.ResponseWriter, r *http.Request, n digest.Newsletter, file string) error {
	if !strings.HasPrefix(file, "logo-") {
		return ErrNotFound
	}
	picture, err := s.Store.Newsletters.NewsletterLogo(r.Context(), n.ID, file)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Security-Policy", ImagePolicy)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // webmail shows the logo on other sites
	h.Set("Cache-Control", StaticAge)
	if h.Set("Content-Type", "image/png"); path.Ext(file) == ".jpg" {
		h.Set("Content-Type", "image/jpeg")
	}
	_, _ = w.Write(picture)
	return nil
}
