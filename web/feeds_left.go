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
)

// A feedsLeftPage says that feeds were left, and has the way back.
type feedsLeftPage struct {
	Titles  []string
	Left    []digest.FeedID // those to which there is a way back
	Private int             // of those that were to be left and were not, since nothing could bring them back
	From    string
}

// unsubscribeFeed ends a subscription, also one to a private feed: what it was asked with is forgotten, and there is no
// way back.
func (s *site) unsubscribeFeed(w http.ResponseWriter, r *http.Request, me reader) error {
	sub, err := s.subscription(r, me)
	if err != nil {
		return err
	}
	if digest.IsPrivate(sub.Feed.URL) {
		err := s.Store.Unsubscribe(r.Context(), me.Digest.ID, sub.Feed.ID)
		return s.showLeft(w, r, err, feedsLeftPage{Titles: []string{shortened(titleOf(sub))}})
	}
	return s.leaveFeeds(w, r, me, []store.SubscriptionInfo{sub})
}

// leaveFeeds ends subscriptions that can be brought back.
func (s *site) leaveFeeds(w http.ResponseWriter, r *http.Request, me reader, subs []store.SubscriptionInfo) error {
	titles, ids := map[digest.FeedID]string{}, make([]digest.FeedID, len(subs))
	for i, sub := range subs {
		ids[i] = sub.Feed.ID
		titles[sub.Feed.ID] = shortened(titleOf(sub))
	}
	left, err := s.Store.UnsubscribeSeveral(r.Context(), me.Digest.ID, ids)
	p := feedsLeftPage{Left: left, Private: len(subs) - len(left)}
	for _, feed := range left {
		p.Titles = append(p.Titles, titles[feed])
	}
	slices.SortFunc(p.Titles, digest.CompareNames)
	return s.showLeft(w, r, err, p)
}

func (s *site) showLeft(w http.ResponseWriter, r *http.Request, err error, p feedsLeftPage) error {
	p.From = fromOf(r)
	return s.showPage(w, r, err, "feeds_left", catalogue.Key("Unfollowed"), p)
}

// returnFeeds is the way back. The form is not trusted: nobody comes by it to a feed that they never had.
func (s *site) returnFeeds(w http.ResponseWriter, r *http.Request, me reader) error {
	feeds, err := feedsOf(r.PostForm["feed"])
	if err != nil {
		return err
	}
	n, err := bringBack(r, s.Store, me.Digest.ID, feeds, s.Now())
	switch {
	case err != nil:
		return err
	case n == 0:
		return seeOther(w, r, "/feeds") // which says whether they are subscribed
	case len(feeds) == 1:
		return showChanged(w, r, nil, feeds[0], "again")
	}
	return seeOther(w, r, listSaved(fromOf(r), "again"))
}

// listSaved is the list of feeds, which says what was changed: looked through as where one came from, if that was the list.
func listSaved(from, word string) string {
	var q feedsQuery
	if u, err := url.Parse(from); err == nil && u.Path == "/feeds" {
		q = feedsQueryOf(u.Query())
	}
	form := q.form()
	form.Set(savedWord, word)
	return "/feeds?" + form.Encode()
}

// feedsOf reads keys of feeds that a form carries.
func feedsOf(texts []string) (feeds []digest.FeedID, err error) {
	for _, text := range texts {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id <= 0 || len(feeds) == mostFeeds {
			return nil, errBadForm
		}
		feeds = append(feeds, digest.FeedID(id))
	}
	return feeds, nil
}

// bringBack subscribes a digest again to feeds that it has left, and says to how many.
func bringBack(r *http.Request, st *store.Store, id digest.DigestID, feeds []digest.FeedID, now time.Time) (int,
	error) {
	all, err := st.AllSubscriptions(r.Context(), id)
	if err == nil && len(all)+len(feeds) > mostFeeds {
		err = errFull
	}
	if err != nil {
		return 0, err
	}
	return st.Resubscribe(r.Context(), id, feeds, now)
}
