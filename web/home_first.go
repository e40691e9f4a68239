package web

import (
	"net/http"
	"slices"

	"digest"
	"digest/store"
)

// A homeFirstPage is the view before the first edition. It lists the reader's sites and has the
// form to add one. Its other pages redirect back here until there is an edition.
type homeFirstPage struct {
	standing
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
	return p.Feeds > 0 && !p.Fenced && p.of.State == digest.DigestActive && p.of.Editions == 0 &&
		p.of.NextDueAt.After(p.now)
}

// nothingYet shows the page before the first edition. subs are listed newest first.
func (s *site) nothingYet(w http.ResponseWriter, r *http.Request, me reader, subs []store.SubscriptionInfo) error {
	p := homeFirstPage{standing: s.standing(me.Digest), Saved: savedOf(r, "added", "there", "nothing")}
	slices.Reverse(subs)
	p.Feeds = len(subs)
	for _, sub := range subs {
		if sub.Feed.ParsedAt.IsZero() {
			p.Unread++
		}
	}
	for _, sub := range subs[:min(len(subs), mostSites)] {
		p.Sites = append(p.Sites, added{sub.Feed.ID, digest.Shortened(shortened(titleOf(sub)), mostListed)})
	}
	var err error
	if p.Letters, err = s.lettersBetween(r, me, digest.Date{}, farDate(), mostAlso); err != nil {
		return err
	}
	p.Fenced, err = s.fenced(r.Context())
	return s.showPage(w, r, err, "home_first", named(me.Digest).Name, p)
}

// sendFirst creates the first edition before midnight and shows it.
func (s *site) sendFirst(w http.ResponseWriter, r *http.Request, me reader) error {
	if fenced, err := s.fenced(r.Context()); fenced || err != nil {
		if err != nil {
			return err
		}
		return seeOther(w, r, "/")
	}
	if me.Digest.Editions > 0 {
		return seeOther(w, r, "/")
	}
	if !s.limits.previews.allow(me.key(), s.Now()) {
		return errTooManyPreviews
	}
	_, err := s.Store.Editions.SendFirst(r.Context(), me.Digest.ID, s.Now())
	switch digest.KindOf(err) {
	// created by the hourly job or in another window, or the digest is paused; the page explains it
	case digest.Conflict:
		return seeOther(w, r, "/")
	case digest.NotFound:
		return showSaved(w, r, nil, "/", "nothing")
	}
	return showSaved(w, r, err, "/", "first")
}

// isFirst reports whether the form is on the page before the first edition, or was reached from
// there. The result is then shown on that page.
func isFirst(r *http.Request, me reader) bool {
	return r.PostForm.Get("first") != "" && me.Digest.Editions == 0
}

// showAdded redirects to a new feed, or to the page before the first edition if the form came from
// there.
func showAdded(w http.ResponseWriter, r *http.Request, me reader, err error, path, word string) error {
	if isFirst(r, me) && (word == "added" || word == "there") {
		path = "/"
	}
	return showSaved(w, r, err, path, word)
}

// toHome redirects a GET of a form's address, after a reload, to the first page.
func toHome(w http.ResponseWriter, r *http.Request) error { return seeOther(w, r, "/") }
