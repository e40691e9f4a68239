package web

import (
	"net/http"
	"slices"
	"strconv"
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
			shown.Days = append(shown.Days, rehearsedDay{e, sitesOf(tried.Hidden, e, own),
				sitesOf(tried.Shown, e, own)})
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

// A mostRehearsal shows what a roll-up and a limit of posts per edition would have done to a site's posts.
type mostRehearsal struct {
	Editions     int
	Posts, Shown int
	Waiting      int // posts that would still wait for the day of the roll-up
	Days         []mostDay
}

// A mostDay is an edition with posts of the site.
type mostDay struct {
	Date         digest.Date
	Posts, Shown int
}

// rehearsed returns what the roll-up and the limit of own would have done to counted editions, which are newest first.
func rehearsed(counted []store.RehearsedEdition, own digest.Subscription, c digest.Cadence) *mostRehearsal {
	r := &mostRehearsal{Editions: len(counted)}
	var came []digest.DatedPosts
	for _, e := range slices.Backward(counted) {
		came = append(came, digest.DatedPosts{Date: e.Date, Posts: e.Posts})
	}
	had, waiting := own.Collected(c, came)
	r.Posts, r.Waiting = waiting, waiting
	for _, e := range slices.Backward(had) {
		d := mostDay{e.Date, e.Posts, e.Posts}
		if own.Most > 0 {
			d.Shown = min(d.Posts, own.Most)
		}
		r.Posts, r.Shown = r.Posts+d.Posts, r.Shown+d.Shown
		if d.Posts > 0 {
			r.Days = append(r.Days, d)
		}
	}
	return r
}

// tryFeed shows what a changed limit of posts or roll-up would have done, and keeps the values of the form.
func (s *site) tryFeed(w http.ResponseWriter, r *http.Request, me page.Reader, own digest.Subscription) error {
	counted, err := s.Store.Subscriptions.LastEditions(r.Context(), me.Digest.ID, own.FeedID, s.Now())
	if err != nil {
		return err
	}
	return s.showSubscription(w, r, me, http.StatusOK, own.FeedID,
		feedPage{feedMenu: feedMenu{Own: own, Tried: rehearsed(counted.Editions, own, me.Digest.Cadence)}})
}

// A leadRehearsal shows what would have led the latest editions with another lead site.
type leadRehearsal struct{ Days []leadDay }

// A leadDay is an edition with the post that would have led.
type leadDay struct {
	Date    digest.Date
	Title   string // "": no post leads
	Site    string
	Changed bool // another post led
}

// tryLead shows what would have led the latest editions with the lead site of a form.
func (s *site) tryLead(v *page.Visit) (*leadRehearsal, error) {
	feed, err := strconv.ParseInt(v.PostForm.Get("feed"), 10, 64)
	if err != nil {
		return nil, page.ErrBadForm
	}
	if v.MemberOnly {
		return nil, page.ErrMembersOnly
	}
	latest, err := s.Store.Editions.LatestEditions(v.Ctx, v.Digest.ID, s.Now(), store.RehearsedEditions)
	if err != nil {
		return nil, err
	}
	var ds []digest.Delivery
	for _, e := range slices.Backward(latest) {
		ds = append(ds, v.Digest.Delivery(e))
	}
	editions, err := s.Editions.LedBy(v.Ctx, ds, digest.FeedID(feed))
	if err != nil {
		return nil, err
	}
	led, err := s.Editions.Leads(v.Ctx, ds)
	r := &leadRehearsal{}
	for i, e := range slices.Backward(editions) {
		day := leadDay{Date: ds[i].LocalDate}
		if site, post, ok := e.LeadPost(); ok {
			day.Title, day.Site = post.Title, site.Title
			day.Changed = led[ds[i].ID] == nil || led[ds[i].ID].ID != post.ID
		}
		r.Days = append(r.Days, day)
	}
	return r, err
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
