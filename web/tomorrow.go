package web

import (
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
)

// A tomorrowPage asks whether a reader wants to see what waits for them, or shows it.
type tomorrowPage struct {
	standing
	Asked    bool // they do
	Sections []tomorrowSection
	More     bool // there is more than is shown
}

// A tomorrowSection is what waits of one site.
type tomorrowSection struct {
	render.Section
	Shown []*render.Post
}

// mostTomorrow is how many posts that wait are shown.
const mostTomorrow = 200

// Waits reports whether the digest gathers for a midnight that is still to come.
func (st standing) Waits() bool {
	return st.of.State == digest.DigestActive && st.of.NewsletterID == 0 && st.of.NextDueAt.After(st.now)
}

// Coming is the day of the next edition.
func (st standing) Coming() catalogue.Sayable { return st.comingDay() }

// tomorrowPage shows nothing that waits: it says what is asked for.
func (s *site) tomorrowPage(w http.ResponseWriter, r *http.Request, me reader) error {
	return s.show(w, r, http.StatusOK, "tomorrow", catalogue.Key("Peek at tomorrow"),
		tomorrowPage{standing: s.standing(me.Digest)})
}

// showTomorrow shows a reader who asks for it what waits for their next midnight, as headlines: this one time, and
// to nobody else (I2). Nothing is released, asked of a site or stored for it.
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

// errTooManyPreviews is the error after too many previews in a short time.
var errTooManyPreviews = &problem{http.StatusTooManyRequests, catalogue.Key("Too many requests"),
	catalogue.Key("You did this several times in a short while. Try again in a few minutes.")}
