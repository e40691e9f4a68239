package web

import (
	"net/http"
	"net/url"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

// A letterSitePage is the page behind the link beside the name of a site in a mail: on it the reader, without a
// sign-in, has its posts come as headlines only, or not until a day, or not at all.
type letterSitePage struct {
	remediesPage
	Date    digest.Date   // of the edition whose mail has the link
	Only    bool          // its posts come as headlines only
	Shown   digest.Layout // how they come; "": as the rest of the edition
	Was     digest.Layout // how they came before that was changed to headlines just now
	Letters bool          // letters of a newsletter bring its posts

	Back        dateField
	First, Last digest.Date // that can be chosen
	BackWrong   catalogue.Sayable
}

// backBefore is how long before the midnight of the day on which a site comes back it is subscribed to again, so that the
// edition of that day has what is new in it.
const backBefore = 12 * time.Hour

// letterSitePage shows buttons and changes nothing: link scanners open every link in a mail.
func (s *site) letterSitePage(w http.ResponseWriter, r *http.Request) error {
	p, err := s.letterSiteOf(r)
	if err == errOldLink {
		return s.orOwn(w, r, p.of, p.Feed)
	}
	return s.showLetterSite(w, r, p, err)
}

func (s *site) showLetterSite(w http.ResponseWriter, r *http.Request, p letterSitePage, err error) error {
	if err == nil && p.BackWrong != nil {
		return s.show(w, r, http.StatusBadRequest, "letter_site", p.Title, p)
	}
	return s.showPage(w, r, err, "letter_site", p.Title, p)
}

// letterSiteOf finds the subscription that a request's link speaks of.
func (s *site) letterSiteOf(r *http.Request) (p letterSitePage, err error) {
	l, err := s.letterLinkOf(r, digest.ForSite, "/site/")
	p.namedPage, p.of, p.Path, p.Date, p.emailDate = l.namedPage, l.of, l.Path, l.Date, l.Date
	if p.Feed = feedPath(digest.FeedID(l.about)); err != nil {
		return p, err
	}
	today := digest.DateOf(s.Now().In(zoneOr(p.of.TimeZone)))
	p.First, p.Last = today.Plus(2), today.Plus(farthestPause)
	p.sub, err = s.Store.SubscriptionSince(r.Context(), p.of.ID, digest.FeedID(l.about))
	if digest.KindOf(err) == digest.NotFound {
		return p, s.describeLeft(r, &p.remediesPage, digest.FeedID(l.about))
	}
	if err == nil {
		p.describe()
	}
	return p, err
}

// describe says how the subscription stands.
func (p *letterSitePage) describe() {
	p.Title, p.Feed, p.Paused = shortened(titleOf(p.sub)), feedPath(p.sub.Feed.ID), p.sub.Paused
	p.Shown = p.sub.Display
	p.Only, p.Private, p.Letters = p.sub.Display == digest.Headlines, digest.IsPrivate(p.sub.Feed.URL),
		p.sub.PausedFor != 0
	p.Until = backOn(p.sub.PausedUntil, p.of.TimeZone)
}

// backOn is the day on which a paused subscription comes back; nil if its pause has no end.
func backOn(until time.Time, zone string) catalogue.Sayable {
	if until.IsZero() {
		return nil
	}
	return catalogue.Time("Monday 2 January 2006", until.Add(backBefore).In(zoneOr(zone)))
}

// onLetterSite makes a handler of a form behind the link. Where the reader is not subscribed any more only the page is
// shown, unless the form is the way back.
func (s *site) onLetterSite(act func(*http.Request, *letterSitePage) error) handler {
	return byLink(func(w http.ResponseWriter, r *http.Request) error {
		p, err := s.letterSiteOf(r)
		if err == nil {
			err = act(r, &p)
		}
		return s.showLetterSite(w, r, p, err)
	})
}

// displayByLetter changes how much of the posts is shown, and is the way back from that.
func (s *site) displayByLetter(r *http.Request, p *letterSitePage) error {
	if p.Feed == "" {
		return nil
	}
	display, _, wrong := displayOf(url.Values{"display": r.PostForm["display"]})
	if wrong != nil || !r.PostForm.Has("display") {
		return errBadForm
	}
	p.Done = "changed"
	if display == digest.Headlines {
		p.Was = wayBackOf(p.sub.Display, r.PostForm)
	}
	sub := p.sub.Subscription
	sub.Display = display
	err := s.change(r, &p.remediesPage, 0, func(st *store.Store) error { return st.SetSubscription(r.Context(), sub) })
	p.sub.Subscription = sub
	p.describe()
	return err
}

// wayBackOf is how posts came before they come as headlines only. The form carries how they came when its page was shown, so
// that one that is sent twice does not lose it; headlines where nobody knows.
func wayBackOf(now digest.Layout, form url.Values) digest.Layout {
	before, _, wrong := displayOf(url.Values{"display": form["was"]})
	if now != digest.Headlines || !form.Has("was") || wrong != nil {
		return now
	}
	return before
}

// pauseByLetter pauses the subscription until a day, or without an end, so that such a pause can be had back here, too.
func (s *site) pauseByLetter(r *http.Request, p *letterSitePage) error {
	if p.Feed == "" || p.Letters {
		return nil
	}
	until, day, wrong, err := pauseEnd(r.PostForm, p.First, p.Last, zoneOr(p.of.TimeZone), s.Now())
	if p.BackWrong = wrong; wrong != nil || err != nil {
		p.Back = day
		return err
	}
	err = s.change(r, &p.remediesPage, 0, func(st *store.Store) error {
		return st.PauseSubscriptionUntil(r.Context(), p.of.ID, p.sub.Feed.ID, until)
	})
	p.sub.Paused, p.sub.PausedUntil, p.Done = true, until, "paused"
	p.describe()
	return err
}

// resumeByLetter is the way back from a pause.
func (s *site) resumeByLetter(r *http.Request, p *letterSitePage) error {
	if p.Letters {
		return nil
	}
	p.sub.PausedUntil = time.Time{}
	return s.resumeFailing(r, &p.remediesPage)
}

// leaveByLetter ends the subscription.
func (s *site) leaveByLetter(r *http.Request, p *letterSitePage) error {
	return s.leaveFailing(r, &p.remediesPage)
}

// returnByLetter is the way back from that.
func (s *site) returnByLetter(r *http.Request, p *letterSitePage) error {
	if err := s.returnFailing(r, &p.remediesPage); err != nil || p.Feed == "" {
		return err
	}
	p.describe()
	return nil
}
