package web

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

type filterForm struct {
	Words string
	Feed  digest.FeedID // 0: all feeds
	Wrong catalogue.Sayable
}

type filtersPage struct {
	Groups []filterGroup
	Feeds  []feedLine // choices of the form
	Form   filterForm
	Saved  string
}

// A filterGroup contains the filters of one feed, or of all feeds.
type filterGroup struct {
	ID      digest.FeedID // 0: all feeds
	Title   any           // catalogue.Sayable, or the title of a feed
	Filters []digest.Filter
}

func (s *site) filtersPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	return s.showFilters(w, r, me, http.StatusOK, filtersPage{Saved: page.SavedOf(r, "filter", "unfiltered")})
}

func (s *site) showFilters(w http.ResponseWriter, r *http.Request, me page.Reader, status int, p filtersPage) error {
	v, err := s.Store.Subscriptions.FiltersView(r.Context(), me.Digest.ID)
	if err != nil {
		return err
	}
	p.Feeds = feedNames(v.Subscriptions)
	p.Groups = groupsOf(v.Filters, p.Feeds)
	return s.Show(w, r, status, "filters", catalogue.Key("Filters"), p)
}

func feedNames(all []store.SubscriptionInfo) []feedLine {
	lines := make([]feedLine, len(all))
	for i, sub := range all {
		lines[i] = feedLine{ID: sub.Feed.ID, Title: page.Shortened(titleOf(sub))}
	}
	slices.SortFunc(lines, byTitle)
	return lines
}

// groupsOf groups filters by feed: first the filters for all feeds, then by feed title. Filters of
// unsubscribed feeds have no effect and form the last group.
func groupsOf(all []digest.Filter, feeds []feedLine) []filterGroup {
	groups := []filterGroup{{Title: catalogue.Key("All sites")}}
	for _, f := range feeds {
		groups = append(groups, filterGroup{ID: f.ID, Title: f.Title})
	}
	groups = append(groups, filterGroup{ID: -1, Title: catalogue.Key("Sites you unfollowed")})
	for _, f := range all {
		i := slices.IndexFunc(groups, func(g filterGroup) bool { return g.ID == f.FeedID })
		if i < 0 {
			i = len(groups) - 1
		}
		groups[i].Filters = append(groups[i].Filters, f)
	}
	return slices.DeleteFunc(groups, func(g filterGroup) bool { return len(g.Filters) == 0 })
}

// addFilter adds a filter for all feeds or for one, and redirects to the page of the form.
func (s *site) addFilter(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	form := r.PostForm
	typed := filterForm{Words: strings.TrimSpace(form.Get("words"))}
	feed, err := strconv.ParseInt(cmp.Or(form.Get("feed"), "0"), 10, 64)
	if err != nil {
		return page.ErrBadForm
	}
	typed.Feed = digest.FeedID(feed)
	_, err = s.Store.Subscriptions.AddFilter(r.Context(),
		digest.Filter{DigestID: me.Digest.ID, FeedID: typed.Feed, Words: typed.Words}, s.Now())
	if err == nil {
		return page.SeeSaved(w, r, nil, filtersBack(form.Get("from"), feed), "filter")
	}
	if typed.Wrong, err = page.AsSaid(err); err != nil {
		return err
	}
	typed.Words = page.FirstRunes(typed.Words, page.MaxName)
	if form.Get("from") != "feed" {
		return s.showFilters(w, r, me, http.StatusBadRequest, filtersPage{Form: typed})
	}
	return s.showSubscription(w, r, me, http.StatusBadRequest, typed.Feed, feedPage{Filter: typed})
}

func filtersBack(from string, feed int64) string {
	if from == "feed" && feed > 0 {
		return feedPath(digest.FeedID(feed))
	}
	return "/filters"
}

func (s *site) removeFilter(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	id, err := page.PathKey(r)
	if err != nil {
		return err
	}
	if err := s.Store.Subscriptions.RemoveFilter(r.Context(), me.Digest.ID, id); err != nil {
		return err
	}
	feed, _ := strconv.ParseInt(r.PostForm.Get("feed"), 10, 64) // an invalid number counts as 0
	return page.SeeSaved(w, r, nil, filtersBack(r.PostForm.Get("from"), feed), "unfiltered")
}
