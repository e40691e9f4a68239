package web

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
	"digest/web/page"
)

// heldShown is the approximate number of filtered posts on a page.
const heldShown = 100

type heldPage struct {
	Days   []heldDay
	Older  int64 // parameter of the next page; 0 on the last page
	Newest bool
}

type heldDay struct {
	Date  digest.Date
	Posts []heldPost
}

type heldPost struct {
	store.HeldPost
	Site string
}

func (s *site) heldPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	var before time.Time
	if at, err := strconv.ParseInt(r.URL.Query().Get("before"), 10, 64); err == nil && at > 0 {
		before = time.Unix(at, 0)
	}
	v, err := s.Store.Subscriptions.HeldView(r.Context(), me.Digest.ID, before, heldShown)
	if err != nil {
		return err
	}
	own := ownTitles(v.Subscriptions)
	p := heldPage{Newest: before.IsZero()}
	for _, h := range v.Posts {
		if h.DueAt.After(s.Now()) {
			continue // a filtered post is hidden before its midnight, too (I2)
		}
		p.add(h, own, me.Digest.TimeZone)
	}
	if len(v.Posts) >= heldShown {
		p.Older = v.Posts[len(v.Posts)-1].DueAt.Unix()
	}
	return s.Show(w, r, http.StatusOK, "held", catalogue.Key("Filtered posts"), p)
}

func (p *heldPage) add(h store.HeldPost, own map[digest.FeedID]string, zone string) {
	date := digest.DateOf(h.DueAt.In(page.ZoneOr(zone)))
	if n := len(p.Days); n == 0 || p.Days[n-1].Date != date {
		p.Days = append(p.Days, heldDay{Date: date})
	}
	day := &p.Days[len(p.Days)-1]
	day.Posts = append(day.Posts, withSite(h, own))
}

// ownTitles returns the names of sites, as the reader sees them.
func ownTitles(all []store.SubscriptionInfo) map[digest.FeedID]string {
	own := make(map[digest.FeedID]string, len(all))
	for _, sub := range all {
		title := titleOf(sub)
		if sub.Title == "" {
			title = render.ShortName(title) // as in editions
		}
		own[sub.Feed.ID] = page.Shortened(title)
	}
	return own
}

func withSite(h store.HeldPost, own map[digest.FeedID]string) heldPost {
	return heldPost{h, cmp.Or(own[h.Post.FeedID], page.Shortened(h.Label.Title))}
}
