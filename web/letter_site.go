package web

import (
	"net/http"
	"net/url"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

// A letterSitePage is the view of the link beside a site in an email. On it the reader can show the
// site's posts as headlines, pause the site or unsubscribe, without a sign-in.
type letterSitePage struct {
	remediesPage
	Date    digest.Date   // date of the emailed edition
	Only    bool          // the site's posts are headlines only
	Shown   digest.Layout // display of the posts; "": as in the rest of the edition
	Was     digest.Layout // display before the change to headlines
	Letters bool          // a newsletter delivers the site's posts

	Back        page.DateField
	First, Last digest.Date // range of Back
	BackWrong   catalogue.Sayable
}

// backBefore is how long before midnight a pause ends, so that the edition of that midnight
// contains the new posts.
const backBefore = 12 * time.Hour

// letterSitePage shows buttons and changes nothing, because link scanners open every link in an
// email.
func (s *site) letterSitePage(w http.ResponseWriter, r *http.Request) error {
	p, err := s.letterSiteOf(r)
	if err == page.ErrOldLink {
		return s.orOwn(w, r, p.of, p.Feed)
	}
	return s.showLetterSite(w, r, p, err)
}

func (s *site) showLetterSite(w http.ResponseWriter, r *http.Request, p letterSitePage, err error) error {
	if err == nil && p.BackWrong != nil {
		return s.Show(w, r, http.StatusBadRequest, "letter_site", p.Title, p)
	}
	return s.ShowPage(w, r, err, "letter_site", p.Title, p)
}

func (s *site) letterSiteOf(r *http.Request) (p letterSitePage, err error) {
	l, err := s.letterLinkOf(r, digest.ForSite, "/site/")
	p.NamedPage, p.of, p.Path, p.Date, p.emailDate = l.NamedPage, l.of, l.Path, l.Date, l.Date
	if p.Feed = feedPath(digest.FeedID(l.about)); err != nil {
		return p, err
	}
	today := s.todayIn(p.of)
	p.First, p.Last = today.Plus(2), today.Plus(page.FarthestPause)
	p.sub, err = s.Store.Subscriptions.SubscriptionSince(r.Context(), p.of.ID, digest.FeedID(l.about))
	if digest.KindOf(err) == digest.NotFound {
		return p, s.describeLeft(r, &p.remediesPage, digest.FeedID(l.about))
	}
	if err == nil {
		p.describe()
	}
	return p, err
}

func (p *letterSitePage) describe() {
	p.Title, p.Feed, p.Paused = page.Shortened(titleOf(p.sub)), feedPath(p.sub.Feed.ID), p.sub.Paused
	p.Shown = p.sub.Display
	p.Only, p.Private, p.Letters = p.sub.Display == digest.Headlines, digest.IsPrivate(p.sub.Feed.URL),
		p.sub.PausedFor != 0
	p.Until = backOn(p.sub.PausedUntil, p.of.TimeZone)
}

// backOn returns the day on which a pause ends, or nil if it has no end.
func backOn(until time.Time, zone string) catalogue.Sayable {
	if until.IsZero() {
		return nil
	}
	return catalogue.Time("Monday 2 January 2006", until.Add(backBefore).In(page.ZoneOr(zone)))
}

// onLetterSite returns a handler for a form behind the link. If the reader has unsubscribed since,
// only the form that undoes it has an effect.
func (s *site) onLetterSite(act func(*http.Request, *letterSitePage) error) page.Handler {
	return byLink(func(w http.ResponseWriter, r *http.Request) error {
		p, err := s.letterSiteOf(r)
		if err == nil {
			err = act(r, &p)
		}
		return s.showLetterSite(w, r, p, err)
	})
}

// displayByLetter changes the display of the site's posts. The same form undoes the change.
func (s *site) displayByLetter(r *http.Request, p *letterSitePage) error {
	if p.Feed == "" {
		return nil
	}
	sub, wrong := displayOf(url.Values{"display": r.PostForm["display"]}, p.sub.Subscription)
	if wrong != nil || !r.PostForm.Has("display") {
		return page.ErrBadForm
	}
	p.Done = "changed"
	if sub.Display == digest.Headlines {
		p.Was = wayBackOf(p.sub.Display, r.PostForm)
	}
	err := s.change(r, &p.remediesPage, 0, func(st *store.Store) error {
		return st.Subscriptions.SetSubscription(
			r.Context(), sub)
	})
	p.sub.Subscription = sub
	p.describe()
	return err
}

// wayBackOf returns the display before the change to headlines. The form carries it, so that a
// repeated submission does not lose it. It returns digest.Headlines if the previous display is
// unknown.
func wayBackOf(now digest.Layout, form url.Values) digest.Layout {
	before, wrong := displayOf(url.Values{"display": form["was"]}, digest.Subscription{})
	if now != digest.Headlines || !form.Has("was") || wrong != nil {
		return now
	}
	return before.Display
}

func (s *site) pauseByLetter(r *http.Request, p *letterSitePage) error {
	if p.Feed == "" || p.Letters {
		return nil
	}
	until, day, wrong, err := pauseEnd(r.PostForm, p.First, p.Last, page.ZoneOr(p.of.TimeZone), s.Now())
	if p.BackWrong = wrong; wrong != nil || err != nil {
		p.Back = day
		return err
	}
	err = s.change(r, &p.remediesPage, 0, func(st *store.Store) error {
		return st.Subscriptions.PauseSubscriptionUntil(r.Context(), p.of.ID, p.sub.Feed.ID, until)
	})
	p.sub.Paused, p.sub.PausedUntil, p.Done = true, until, "paused"
	p.describe()
	return err
}

func (s *site) resumeByLetter(r *http.Request, p *letterSitePage) error {
	if p.Letters {
		return nil
	}
	p.sub.PausedUntil = time.Time{}
	return s.resumeFailing(r, &p.remediesPage)
}

func (s *site) leaveByLetter(r *http.Request, p *letterSitePage) error {
	return s.leaveFailing(r, &p.remediesPage)
}

func (s *site) returnByLetter(r *http.Request, p *letterSitePage) error {
	if err := s.returnFailing(r, &p.remediesPage); err != nil || p.Feed == "" {
		return err
	}
	p.describe()
	return nil
}
