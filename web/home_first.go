package web

import (
	"net/http"
	"slices"

	"digest"
	"digest/store"
)

// A homeFirstPage is what a reader sees before their first edition: the sites that they have so far, and the
// form that adds another. What it leads to leads back here, until there is an edition.
type homeFirstPage struct {
	standing
	Fenced  bool             // whoever runs this has paused all of it
	Sites   []added          // that the digest subscribes to, as many as are shown
	Feeds   int              // of all of these
	Unread  int              // of these: they were not read yet
	Saved   string           // what has just come of a form
	Letters []receivedLetter // the latest of newsletters
}

// mostSites is how many sites the first page lists.
const mostSites = 40

// Now reports whether a first edition can be made at once.
func (p homeFirstPage) Now() bool {
	return p.Feeds > 0 && !p.Fenced && p.of.State == digest.DigestActive && p.of.Editions == 0 &&
		p.of.NextDueAt.After(p.now)
}

// nothingYet shows what there is before the first edition, with the subscriptions, the oldest first.
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

// sendFirst makes the first edition at once, for a reader who has asked for it, and shows it.
func (s *site) sendFirst(w http.ResponseWriter, r *http.Request, me reader) error {
	if fenced, err := s.fenced(r.Context()); fenced || err != nil {
		return orShow(err, func() error { return seeOther(w, r, "/") })
	}
	if me.Digest.Editions > 0 { // the first one was made: nobody waits for a look at it
		return seeOther(w, r, "/")
	}
	if !s.limits.previews.allow(me.key(), s.Now()) {
		return errTooManyPreviews
	}
	_, err := s.Store.SendFirst(r.Context(), me.Digest.ID, s.Now())
	switch digest.KindOf(err) {
	case digest.Conflict: // the hour or another window was first, or it is paused: the page says so
		return seeOther(w, r, "/")
	case digest.NotFound:
		return showSaved(w, r, nil, "/", "nothing")
	}
	return showSaved(w, r, err, "/", "first")
}

// isFirst reports whether a form stands on the page before the first edition, or was reached from it: then what it
// adds is shown there, with the form for another.
func isFirst(r *http.Request, me reader) bool {
	return r.PostForm.Get("first") != "" && me.Digest.Editions == 0
}

// showAdded leads to a feed that was added, or back to the page before the first edition.
func showAdded(w http.ResponseWriter, r *http.Request, me reader, err error, path, word string) error {
	if isFirst(r, me) && (word == "added" || word == "there") {
		path = "/"
	}
	return showSaved(w, r, err, path, word)
}

// toHome leads who reloads the answer to a form of the first page back to that.
func toHome(w http.ResponseWriter, r *http.Request) error { return seeOther(w, r, "/") }
