package web

import (
	"net/http"
	"slices"

	"digest"
	"digest/store"
	"digest/web/page"
)

// A homeFirstPage is the view before the first edition. It lists the reader's sites and has the
// form to add one. Its other pages redirect back here until there is an edition.
type homeFirstPage struct {
	page.OwnDigest
	Fenced  bool             // the operator has paused the instance with the fence
	Sites   []added          // the first mostSites subscriptions
	Feeds   int              // all subscriptions
	Unread  int              // feeds that were not fetched yet
	Saved   string           // the change that the page confirms
	Letters []receivedLetter // latest issues of the reader's newsletters
}

const mostSites = 40

// Now reports whether the reader can get the first edition now.
func (p homeFirstPage) Now() bool {
	return p.Feeds > 0 && !p.Fenced && p.Of.State == digest.DigestActive && p.Of.Editions == 0 &&
		p.Of.NextDueAt.After(p.OwnDigest.Now)
}

// nothingYet shows the page before the first edition. subs are listed newest first.
func (s *site) nothingYet(w http.ResponseWriter, r *http.Request, me page.Reader, subs []store.SubscriptionInfo) error {
	p := homeFirstPage{OwnDigest: s.OwnDigest(me.Digest), Saved: page.SavedOf(r, "added", "there", "nothing")}
	slices.Reverse(subs)
	p.Feeds = len(subs)
	for _, sub := range subs {
		if sub.Feed.ParsedAt.IsZero() {
			p.Unread++
		}
	}
	for _, sub := range subs[:min(len(subs), mostSites)] {
		p.Sites = append(p.Sites, added{sub.Feed.ID, digest.Shortened(page.Shortened(titleOf(sub)), mostListed)})
	}
	var err error
	if p.Letters, err = s.lettersBetween(r, me, digest.Date{}, farDate(), mostAlso); err != nil {
		return err
	}
	p.Fenced, err = s.Fenced(r.Context())
	return s.ShowPage(w, r, err, "home_first", page.Named(me.Digest).Name, p)
}

// sendFirst creates the first edition before midnight and shows it.
func (s *site) sendFirst(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	if fenced, err := s.Fenced(r.Context()); fenced || err != nil {
		if err != nil {
			return err
		}
		return page.SeeOther(w, r, "/")
	}
	if me.Digest.Editions > 0 {
		return page.SeeOther(w, r, "/")
	}
	if !s.Limits.Previews.Allow(me.Key(), s.Now()) {
		return errTooManyPreviews
	}
	_, err := s.Store.Editions.SendFirst(r.Context(), me.Digest.ID, s.Now())
	switch digest.KindOf(err) {
	// created by the hourly job or in another window, or the digest is paused; the page explains it
	case digest.Conflict:
		return page.SeeOther(w, r, "/")
	case digest.NotFound:
		return page.SeeSaved(w, r, nil, "/", "nothing")
	}
	return page.SeeSaved(w, r, err, "/", "first")
}

// isFirst reports whether the form is on the page before the first edition, or was reached from
// there. The result is then shown on that page.
func isFirst(r *http.Request, me page.Reader) bool {
	return r.PostForm.Get("first") != "" && me.Digest.Editions == 0
}

// showAdded redirects to a new feed, or to the page before the first edition if the form came from
// there.
func showAdded(w http.ResponseWriter, r *http.Request, me page.Reader, err error, path, word string) error {
	if isFirst(r, me) && (word == "added" || word == "there") {
		path = "/"
	}
	return page.SeeSaved(w, r, err, path, word)
}

// toHome redirects a GET of a form's address, after a reload, to the first page.
func toHome(w http.ResponseWriter, r *http.Request) error { return page.SeeOther(w, r, "/") }
