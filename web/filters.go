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
)

// A filterForm is the form that adds a filter, as it was typed.
type filterForm struct {
	Words string
	Feed  digest.FeedID // that it is for; 0: all
	Wrong catalogue.Sayable
}

// A filtersPage is a reader's filters.
type filtersPage struct {
	Groups []filterGroup
	Feeds  []feedLine // to choose from
	Form   filterForm
	Saved  string
}

// A filterGroup is the filters of one feed, or of all.
type filterGroup struct {
	ID      digest.FeedID // 0: all
	Title   any           // catalogue.Sayable, or that of a feed
	Filters []digest.Filter
}

func (s *site) filtersPage(w http.ResponseWriter, r *http.Request, me reader) error {
	return s.showFilters(w, r, me, http.StatusOK, filtersPage{Saved: savedOf(r, "filter", "unfiltered")})
}

func (s *site) showFilters(w http.ResponseWriter, r *http.Request, me reader, status int, p filtersPage) error {
	v, err := s.Store.FiltersView(r.Context(), me.Digest.ID)
	if err != nil {
		return err
	}
	p.Feeds = feedNames(v.Subscriptions)
	p.Groups = groupsOf(v.Filters, p.Feeds)
	return s.show(w, r, status, "filters", catalogue.Key("Filters"), p)
}

// feedNames gives the feeds of a reader's subscriptions by title.
func feedNames(all []store.SubscriptionInfo) []feedLine {
	lines := make([]feedLine, len(all))
	for i, sub := range all {
		lines[i] = feedLine{ID: sub.Feed.ID, Title: shortened(titleOf(sub))}
	}
	slices.SortFunc(lines, byTitle)
	return lines
}

// groupsOf sorts filters by what they are for: first those for all feeds, then
// by the titles of feeds. One of a feed that was left does nothing and is named so.
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

// addFilter adds a filter for all feeds or for one, and leads back to where the
// form stood.
func (s *site) addFilter(w http.ResponseWriter, r *http.Request, me reader) error {
	form := r.PostForm
	typed := filterForm{Words: strings.TrimSpace(form.Get("words"))}
	feed, err := strconv.ParseInt(cmp.Or(form.Get("feed"), "0"), 10, 64)
	if err != nil {
		return errBadForm
	}
	typed.Feed = digest.FeedID(feed)
	_, err = s.Store.AddFilter(r.Context(),
		digest.Filter{DigestID: me.Digest.ID, FeedID: typed.Feed, Words: typed.Words}, s.Now())
	if err == nil {
		return showSaved(w, r, nil, filtersBack(form.Get("from"), feed), "filter")
	}
	if typed.Wrong, err = asSaid(err); err != nil {
		return err
	}
	typed.Words = firstRunes(typed.Words, maxName)
	if form.Get("from") != "feed" {
		return s.showFilters(w, r, me, http.StatusBadRequest, filtersPage{Form: typed})
	}
	return s.showSubscription(w, r, me, http.StatusBadRequest, typed.Feed, feedPage{Filter: typed})
}

// filtersBack is the page on which a form about filters stood.
func filtersBack(from string, feed int64) string {
	if from == "feed" && feed > 0 {
		return feedPath(digest.FeedID(feed))
	}
	return "/filters"
}

func (s *site) removeFilter(w http.ResponseWriter, r *http.Request, me reader) error {
	id, err := pathKey(r)
	if err != nil {
		return err
	}
	if err := s.Store.RemoveFilter(r.Context(), me.Digest.ID, id); err != nil {
		return err
	}
	feed, _ := strconv.ParseInt(r.PostForm.Get("feed"), 10, 64) // 0 where it is no number
	return showSaved(w, r, nil, filtersBack(r.PostForm.Get("from"), feed), "unfiltered")
}
