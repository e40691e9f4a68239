package web

import (
	"net/http"
	"slices"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

// A rehearsal shows what a filter would have done to the reader's latest editions.
type rehearsal struct {
	Editions             int
	Posts, Hidden, Shown int // of all editions
	Days                 []rehearsedDay
	More                 int // changed posts that Days leaves out
}

// A rehearsedDay is an edition that a filter changes.
type rehearsedDay struct {
	store.RehearsedEdition
	Hides, Shows []heldPost
}

// tryFilter returns what a filter would have done to the reader's latest editions.
func (s *site) tryFilter(r *http.Request, f digest.Filter) (*rehearsal, error) {
	tried, err := s.Store.Subscriptions.TryFilter(r.Context(), f, s.Now())
	if err != nil {
		return nil, err
	}
	v, err := s.Store.Subscriptions.SubscriptionsView(r.Context(), f.DigestID)
	own := ownTitles(v.Subscriptions)
	shown := &rehearsal{Editions: len(tried.Editions), More: tried.More}
	shown.Posts, shown.Hidden, shown.Shown = tried.Posts()
	for _, e := range tried.Editions {
		if e.Hidden+e.Shown > 0 {
			shown.Days = append(shown.Days, rehearsedDay{e, sitesOf(tried.Hidden, e, own), sitesOf(tried.Shown, e, own)})
		}
	}
	return shown, err
}

// sitesOf returns the posts of one edition with the names of their sites.
func sitesOf(all []store.HeldPost, e store.RehearsedEdition, own map[digest.FeedID]string) (posts []heldPost) {
	for _, h := range all {
		if h.DueAt.Equal(e.DueAt) {
			posts = append(posts, withSite(h, own))
		}
	}
	return posts
}

// A mostRehearsal shows what a limit of posts per edition would have done to a site's posts.
type mostRehearsal struct {
	Editions     int
	Posts, Shown int
	Days         []mostDay
}

// A mostDay is an edition with posts of the site.
type mostDay struct {
	Date         digest.Date
	Posts, Shown int
}

// limited returns what a limit would have done to counted editions; 0: no limit.
func limited(counted []store.RehearsedEdition, most int) *mostRehearsal {
	r := &mostRehearsal{Editions: len(counted)}
	for _, e := range counted {
		d := mostDay{e.Date, e.Posts, e.Posts}
		if most > 0 {
			d.Shown = min(d.Posts, most)
		}
		r.Posts, r.Shown = r.Posts+d.Posts, r.Shown+d.Shown
		if d.Posts > 0 {
			r.Days = append(r.Days, d)
		}
	}
	return r
}

// tryFeed shows what a changed limit of posts would have done, and keeps the values of the form.
func (s *site) tryFeed(w http.ResponseWriter, r *http.Request, me page.Reader, own digest.Subscription) error {
	counted, err := s.Store.Subscriptions.LastEditions(r.Context(), me.Digest.ID, own.FeedID, s.Now())
	if err != nil {
		return err
	}
	return s.showSubscription(w, r, me, http.StatusOK, own.FeedID,
		feedPage{feedMenu: feedMenu{Own: own, Tried: limited(counted.Editions, own.Most)}})
}

// A lookPreview is the form that a preview of an edition keeps, with the choices that are not saved yet.
type lookPreview struct{ Fields []previewField }

type previewField struct{ Name, Value string }

// previewLook shows the reader's latest edition with the choices of d, and stores nothing.
func (s *site) previewLook(v *page.Visit, d digest.Digest) error {
	latest, err := s.Store.Subscriptions.TodayView(v.Ctx, d.ID, s.Now())
	if err != nil {
		return err
	}
	if latest.Latest == nil {
		v.Reject("", catalogue.Key("You have no edition to preview yet."))
		return nil
	}
	kept := &lookPreview{}
	for name := range v.Fields() {
		for _, value := range v.PostForm[name] {
			kept.Fields = append(kept.Fields, previewField{name, value})
		}
	}
	slices.SortFunc(kept.Fields, func(a, b previewField) int { return strings.Compare(a.Name, b.Name) })
	e := latest.Latest.Edition
	return s.showEdition(v.W, v.Request, d.Delivery(e), editionPage{Preview: kept,
		Path: "/editions/" + e.LocalDate.String()})
}
