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

// A feedsLeftPage says that feeds were left, and carries the way back: it is the only page that still knows what the
// reader had made of them.
type feedsLeftPage struct {
	Titles  []string
	Former  []string // what the way back needs of each, as formerText writes it
	Private int      // of those that were to be left and were not, since nothing could bring them back
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
	p := feedsLeftPage{Private: len(subs) - len(left)}
	for _, f := range left {
		p.Titles, p.Former = append(p.Titles, titles[f.FeedID]), append(p.Former, formerText(f))
	}
	slices.SortFunc(p.Titles, digest.CompareNames)
	return s.showLeft(w, r, err, p)
}

func (s *site) showLeft(w http.ResponseWriter, r *http.Request, err error, p feedsLeftPage) error {
	p.From = fromOf(r)
	return s.showPage(w, r, err, "feeds_left", catalogue.Key("Unsubscribed"), p)
}

// returnFeeds is the way back. The form is not trusted: nobody comes by it to a feed that they never had.
func (s *site) returnFeeds(w http.ResponseWriter, r *http.Request, me reader) error {
	var former []store.FormerSubscription
	for _, text := range r.PostForm["former"] {
		f, ok := readFormer(text)
		if !ok || len(former) == mostFeeds {
			return errNoChoice
		}
		former = append(former, f)
	}
	all, err := s.Store.AllSubscriptions(r.Context(), me.Digest.ID)
	if err == nil && len(all)+len(former) > mostFeeds {
		err = errFull
	}
	if err == nil {
		_, err = s.Store.Resubscribe(r.Context(), me.Digest.ID, former, s.Now())
	}
	if err == nil && len(former) == 1 {
		return showChanged(w, r, nil, former[0].FeedID, "again")
	}
	return showSaved(w, r, err, "/feeds", "again")
}

// formerText writes what the way back to a feed needs.
func formerText(f store.FormerSubscription) string {
	form := url.Values{"feed": {strconv.FormatInt(int64(f.FeedID), 10)}, "filter": f.Filters}
	for name, value := range map[string]string{"title": f.Title, "folder": f.Folder, "display": string(f.Display)} {
		if value != "" {
			form.Set(name, value)
		}
	}
	if f.Most > 0 {
		form.Set("most", strconv.Itoa(f.Most))
	}
	if f.Leads {
		form.Set("leads", "on")
	}
	for _, id := range f.Waiting {
		form.Add("post", strconv.FormatInt(int64(id), 10))
	}
	for name, extra := range extras() {
		if f.Extras&extra != 0 {
			form.Set(name, "on")
		}
	}
	if f.Paused {
		form.Set("until", "")
		if !f.PausedUntil.IsZero() {
			form.Set("until", strconv.FormatInt(f.PausedUntil.Unix(), 10))
		}
	}
	return form.Encode()
}

// readFormer reads what formerText wrote; false if it could not have.
func readFormer(text string) (f store.FormerSubscription, ok bool) {
	form, err := url.ParseQuery(text)
	if err != nil {
		return f, false
	}
	id, err := strconv.ParseInt(form.Get("feed"), 10, 64)
	if err != nil || id <= 0 {
		return f, false
	}
	own, wrong := subscriptionOf(form)
	if wrong != (feedWrongs{}) {
		return f, false
	}
	own.FeedID, own.Leads = digest.FeedID(id), form.Has("leads")
	f = store.FormerSubscription{Subscription: own, Paused: form.Has("until"), Filters: form["filter"]}
	for _, post := range form["post"] {
		id, err := strconv.ParseInt(post, 10, 64)
		if err != nil || id <= 0 {
			return f, false
		}
		f.Waiting = append(f.Waiting, digest.PostID(id))
	}
	if until := form.Get("until"); until != "" {
		at, err := strconv.ParseInt(until, 10, 64)
		if err != nil || at <= 0 || at > maxSecond {
			return f, false
		}
		f.PausedUntil = time.Unix(at, 0)
	}
	return f, true
}
