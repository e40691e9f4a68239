package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

// A feedsLeftPage confirms that the reader unsubscribed from feeds, and offers to undo it.
type feedsLeftPage struct {
	Titles  []string
	Left    []digest.FeedID // feeds that the undo button restores
	Private int             // number of private feeds that were skipped, because undo is impossible for them
	From    string
}

// unsubscribeFeed ends a subscription. For a private feed it deletes the credential and offers no
// undo.
func (s *site) unsubscribeFeed(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	sub, err := s.subscription(r, me)
	if err != nil {
		return err
	}
	if digest.IsPrivate(sub.Feed.URL) {
		err := s.Store.Subscriptions.Unsubscribe(r.Context(), me.Digest.ID, sub.Feed.ID)
		return s.showLeft(w, r, err, feedsLeftPage{Titles: []string{page.Shortened(titleOf(sub))}})
	}
	return s.leaveFeeds(w, r, me, []store.SubscriptionInfo{sub})
}

// leaveFeeds ends subscriptions and offers to undo it. It skips private feeds.
func (s *site) leaveFeeds(w http.ResponseWriter, r *http.Request, me page.Reader, subs []store.SubscriptionInfo) error {
	titles, ids := map[digest.FeedID]string{}, make([]digest.FeedID, len(subs))
	for i, sub := range subs {
		ids[i] = sub.Feed.ID
		titles[sub.Feed.ID] = page.Shortened(titleOf(sub))
	}
	left, err := s.Store.Subscriptions.UnsubscribeSeveral(r.Context(), me.Digest.ID, ids)
	p := feedsLeftPage{Left: left, Private: len(subs) - len(left)}
	for _, feed := range left {
		p.Titles = append(p.Titles, titles[feed])
	}
	slices.SortFunc(p.Titles, digest.CompareNames)
	return s.showLeft(w, r, err, p)
}

func (s *site) showLeft(w http.ResponseWriter, r *http.Request, err error, p feedsLeftPage) error {
	p.From = fromOf(r)
	return s.ShowPage(w, r, err, "feeds_left", catalogue.Key("Unfollowed"), p)
}

// returnFeeds undoes an unsubscription. Forms can be forged, so it accepts only feeds that the
// reader followed before.
func (s *site) returnFeeds(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	feeds, err := feedsOf(r.PostForm["feed"])
	if err != nil {
		return err
	}
	n, err := bringBack(r, s.Store, me.Digest.ID, feeds, s.Now())
	switch {
	case err != nil:
		return err
	case n == 0:
		return page.SeeOther(w, r, "/feeds") // the list shows whether they are subscribed
	case len(feeds) == 1:
		return showChanged(w, r, nil, feeds[0], "again")
	}
	return page.SeeOther(w, r, listSaved(fromOf(r), "again"))
}

// listSaved returns the address of the list of feeds with a confirmation. If from is the list, it
// keeps the search.
func listSaved(from, word string) string {
	var q feedsQuery
	if u, err := url.Parse(from); err == nil && u.Path == "/feeds" {
		q = feedsQueryOf(u.Query())
	}
	form := q.form()
	form.Set(page.SavedWord, word)
	return "/feeds?" + form.Encode()
}

func feedsOf(texts []string) (feeds []digest.FeedID, err error) {
	for _, text := range texts {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id <= 0 || len(feeds) == mostFeeds {
			return nil, page.ErrBadForm
		}
		feeds = append(feeds, digest.FeedID(id))
	}
	return feeds, nil
}

// bringBack restores former subscriptions of a digest and returns how many.
func bringBack(r *http.Request, st *store.Store, id digest.DigestID, feeds []digest.FeedID, now time.Time) (int,
	error) {
	all, err := st.Subscriptions.AllSubscriptions(r.Context(), id)
	if err == nil && len(all)+len(feeds) > mostFeeds {
		err = errFull
	}
	if err != nil {
		return 0, err
	}
	return st.Subscriptions.Resubscribe(r.Context(), id, feeds, now)
}
