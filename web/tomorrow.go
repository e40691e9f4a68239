package web

import (
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
)

// A tomorrowPage asks whether the reader wants a preview of the next edition, or shows it.
type tomorrowPage struct {
	standing
	Asked    bool // the reader pressed the button
	Sections []tomorrowSection
	More     bool // not all posts are shown
}

type tomorrowSection struct {
	render.Section
	Shown []*render.Post
}

const mostTomorrow = 200

// Waits reports whether the digest collects posts for a midnight in the future.
func (st standing) Waits() bool {
	return st.of.State == digest.DigestActive && st.of.NewsletterID == 0 && st.of.NextDueAt.After(st.now)
}

// Coming returns the day of the next edition.
func (st standing) Coming() catalogue.Sayable { return st.comingDay() }

// tomorrowPage shows only the button, no posts.
func (s *site) tomorrowPage(w http.ResponseWriter, r *http.Request, me reader) error {
	return s.show(w, r, http.StatusOK, "tomorrow", catalogue.Key("Peek at tomorrow"),
		tomorrowPage{standing: s.standing(me.Digest)})
}

// showTomorrow shows the reader the headlines of the posts that wait for their next midnight, once and to nobody else
// (I2). It releases, fetches and stores nothing.
func (s *site) showTomorrow(w http.ResponseWriter, r *http.Request, me reader) error {
	p := tomorrowPage{standing: s.standing(me.Digest), Asked: true}
	if !p.Waits() {
		return seeOther(w, r, "/tomorrow")
	}
	if !s.limits.previews.allow(me.key(), s.Now()) {
		return errTooManyPreviews
	}
	to := me.User
	to.Language = s.language(r).Code
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
	return s.show(w, r, http.StatusOK, "tomorrow", catalogue.Key("Peek at tomorrow"), p)
}

var errTooManyPreviews = &problem{http.StatusTooManyRequests, catalogue.Key("Too many requests"),
	catalogue.Key("You’ve done this too many times. Try again in a few minutes.")}
