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
	Kind  digest.FilterKind
	Tried *rehearsal // nil if it was not tried
	Wrong catalogue.Sayable
}

type filtersPage struct {
	Groups []filterGroup
	Feeds  []feedLine // choices of the form
	Form   filterForm
	Saved  string
	Shorts bool // the reader follows channels of YouTube whose Shorts are not hidden for all sites
}

// Kinds returns the choices of the form's kind.
func (f filterForm) Kinds() []page.Choice {
	return page.Chosen([]page.Choice{
		{Value: string(digest.HideWords), Name: catalogue.Key("Hide posts with")},
		{Value: string(digest.OnlyWords), Name: catalogue.Key("Show only posts with")},
	}, string(f.Kind))
}

// isChannel reports whether a feed is of YouTube.
func isChannel(f digest.Feed) bool { return f.Host == "www.youtube.com" }

// hidesShorts reports whether one of the filters hides Shorts of a feed; 0: of all feeds.
func hidesShorts(all []digest.Filter, feed digest.FeedID) bool {
	return slices.ContainsFunc(all, func(f digest.Filter) bool {
		return f.Kind == digest.HideShorts && f.FeedID == feed
	})
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
	p.Shorts = !hidesShorts(v.Filters, 0) && slices.ContainsFunc(v.Subscriptions,
		func(sub store.SubscriptionInfo) bool { return isChannel(sub.Feed) })
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

// addFilter adds a filter for all feeds or for one, and redirects to the page of the form. If the form only tries the
// filter, addFilter shows what it would have done.
func (s *site) addFilter(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	form := r.PostForm
	typed := filterForm{Words: strings.TrimSpace(form.Get("words")), Kind: digest.FilterKind(form.Get("kind"))}
	if typed.Kind == digest.HideShorts {
		typed.Words = digest.ShortsName
	}
	feed, err := strconv.ParseInt(cmp.Or(form.Get("feed"), "0"), 10, 64)
	if err != nil {
		return page.ErrBadForm
	}
	typed.Feed = digest.FeedID(feed)
	f, status := digest.Filter{DigestID: me.Digest.ID, FeedID: typed.Feed, Kind: typed.Kind, Words: typed.Words},
		http.StatusOK
	if form.Has("try") {
		typed.Tried, err = s.tryFilter(r, f)
	} else if _, err = s.Store.Subscriptions.AddFilter(r.Context(), f, s.Now()); err == nil {
		return page.SeeSaved(w, r, nil, filtersBack(form.Get("from"), feed), "filter")
	}
	if err != nil {
		status = http.StatusBadRequest
		if typed.Wrong, err = page.AsSaid(err); err != nil {
			return err
		}
	}
	typed.Words = page.FirstRunes(typed.Words, page.MaxName)
	if form.Get("from") != "feed" {
		return s.showFilters(w, r, me, status, filtersPage{Form: typed})
	}
	return s.showSubscription(w, r, me, status, typed.Feed, feedPage{Filter: typed})
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
