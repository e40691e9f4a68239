package web

import (
	"net/http"

	"digest/internal/catalogue"
	"digest/render"
	"digest/web/page"
)

// A tomorrowPage asks whether the reader wants a preview of the next edition, or shows it.
type tomorrowPage struct {
	page.OwnDigest
	Asked    bool // the reader pressed the button
	Sections []tomorrowSection
	More     bool // not all posts are shown
}

type tomorrowSection struct {
	render.Section
	Shown []*render.Post
}

const mostTomorrow = 200

// tomorrowPage shows only the button, no posts.
func (s *site) tomorrowPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	return s.Show(w, r, http.StatusOK, "tomorrow", catalogue.Key("Peek at tomorrow"),
		tomorrowPage{OwnDigest: s.OwnDigest(me.Digest)})
}

// showTomorrow shows the reader the headlines of the posts that wait for their next midnight, once and to nobody else
// (I2). It releases, fetches and stores nothing.
func (s *site) showTomorrow(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	p := tomorrowPage{OwnDigest: s.OwnDigest(me.Digest), Asked: true}
	if !p.Waits() {
		return page.SeeOther(w, r, "/tomorrow")
	}
	if !s.Limits.Previews.Allow(me.Key(), s.Now()) {
		return errTooManyPreviews
	}
	to := me.User
	to.Language = s.Language(r).Code
	e, err := s.Editions.Preview(r.Context(), me.Digest, to)
	if err != nil {
		return err
	}
	room := mostTomorrow
	for _, section := range e.Sections {
		posts := append(section.Posts[:len(section.Posts):len(section.Posts)], section.Rest...)
		shown := posts[:min(len(posts), room)]
		room -= len(shown)
		p.More = p.More || len(shown) < len(posts) || section.Beyond > 0
		if len(shown) > 0 {
			p.Sections = append(p.Sections, tomorrowSection{section, shown})
		}
	}
	return s.Show(w, r, http.StatusOK, "tomorrow", catalogue.Key("Peek at tomorrow"), p)
}

var errTooManyPreviews = &page.Problem{Status: http.StatusTooManyRequests, Title: catalogue.Key("Too many requests"),
	Text: catalogue.Key("You’ve done this too many times. Try again in a few minutes.")}
