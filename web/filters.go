package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/render"
	"digest/store"
)

// A filterForm is the form that adds a filter, as it was typed.
type filterForm struct {
	Words string
	Feed  digest.FeedID // that it is for; 0: all
	Wrong string
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
	Title   string
	Filters []digest.Filter
}

func (s *site) filtersPage(w http.ResponseWriter, r *http.Request, me reader) error {
	p := filtersPage{}
	switch word := r.URL.Query().Get(savedWord); word {
	case "filter", "unfiltered":
		p.Saved = word
	}
	return s.showFilters(w, r, me, http.StatusOK, p)
}

func (s *site) showFilters(w http.ResponseWriter, r *http.Request, me reader, status int, p filtersPage) error {
	all, err := s.Store.Filters(r.Context(), me.Digest.ID)
	if err != nil {
		return err
	}
	if p.Feeds, err = s.namesOf(r, me); err != nil {
		return err
	}
	p.Groups = groupsOf(all, p.Feeds)
	return s.show(w, r, status, "filters", "Filters", p)
}

// namesOf gives all feeds of a reader by title.
func (s *site) namesOf(r *http.Request, me reader) ([]feedLine, error) {
	taken, err := s.Store.Subscriptions(r.Context(), me.Digest.ID)
	if err != nil {
		return nil, err
	}
	rested, err := s.Store.PausedSubscriptions(r.Context(), me.Digest.ID)
	lines := make([]feedLine, 0, len(taken)+len(rested))
	for _, sub := range slices.Concat(taken, rested) {
		lines = append(lines, feedLine{ID: sub.Feed.ID, Title: shortened(titleOf(sub))})
	}
	slices.SortFunc(lines, byTitle)
	return lines, err
}

// groupsOf sorts filters by what they are for: first those for all feeds, then
// by the titles of feeds. One of a feed that was left does nothing and is named so.
func groupsOf(all []digest.Filter, feeds []feedLine) []filterGroup {
	groups := []filterGroup{{Title: "All feeds"}}
	for _, f := range feeds {
		groups = append(groups, filterGroup{ID: f.ID, Title: f.Title})
	}
	groups = append(groups, filterGroup{ID: -1, Title: "Feeds that you no longer take"})
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
	form, err := posted(r)
	if err != nil {
		return err
	}
	typed := filterForm{Words: strings.TrimSpace(form.Get("words"))}
	if key := form.Get("feed"); key != "" && key != "0" {
		id, err := strconv.ParseInt(key, 10, 64)
		if err != nil {
			return errNoChoice
		}
		typed.Feed = digest.FeedID(id)
	}
	_, err = s.Store.AddFilter(r.Context(), digest.Filter{DigestID: me.Digest.ID, FeedID: typed.Feed, Words: typed.Words}, s.Now())
	if err == nil {
		return showSaved(w, r, backFrom(form.Get("from"), typed.Feed), "filter")
	}
	if typed.Wrong, err = asWrong(err); err != nil {
		return err
	}
	typed.Words = firstRunes(typed.Words, maxNameShown)
	if form.Get("from") != "feed" {
		return s.showFilters(w, r, me, http.StatusBadRequest, filtersPage{Form: typed})
	}
	sub, rests, err := s.Store.Subscription(r.Context(), me.Digest.ID, typed.Feed)
	if err != nil {
		return err
	}
	return s.showMine(w, r, me, http.StatusBadRequest, minePage{Own: sub.Subscription, Filter: typed}, sub, rests)
}

// backFrom is the page on which a form about filters stood.
func backFrom(from string, feed digest.FeedID) string {
	if from == "feed" && feed > 0 {
		return feedPath(feed)
	}
	return "/filters"
}

func (s *site) removeFilter(w http.ResponseWriter, r *http.Request, me reader) error {
	form, err := posted(r)
	if err != nil {
		return err
	}
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return errNotFound
	}
	if err := s.Store.RemoveFilter(r.Context(), me.Digest.ID, id); err != nil {
		return err
	}
	feed, _ := strconv.ParseInt(form.Get("feed"), 10, 64) // 0 where it is no number
	return showSaved(w, r, backFrom(form.Get("from"), digest.FeedID(feed)), "unfiltered")
}

// heldShown is about how many posts one page of what was held back lists.
const heldShown = 100

// A heldPage is what filters held back, by edition.
type heldPage struct {
	Days   []heldDay
	Older  int64 // for the address of what was held back before; 0: nothing was
	Newest bool
}

type heldDay struct {
	Date  digest.Date
	Posts []heldPost
}

type heldPost struct {
	Title, URL, Site, Words, Language string
}

func (s *site) heldPage(w http.ResponseWriter, r *http.Request, me reader) error {
	var before time.Time
	if at, err := strconv.ParseInt(r.URL.Query().Get("before"), 10, 64); err == nil && at > 0 {
		before = time.Unix(at, 0)
	}
	posts, err := s.Store.HeldPosts(r.Context(), me.Digest.ID, before, heldShown)
	if err != nil {
		return err
	}
	names, err := s.namesOf(r, me)
	if err != nil {
		return err
	}
	own := make(map[digest.FeedID]string, len(names))
	for _, f := range names {
		own[f.ID] = f.Title
	}
	p := heldPage{Newest: before.IsZero()}
	for _, h := range posts {
		if h.DueAt.After(s.Now()) {
			continue // reachable by nobody before its midnight (I2)
		}
		p.add(h, own, me.Digest.TimeZone)
	}
	if len(posts) >= heldShown {
		p.Older = posts[len(posts)-1].DueAt.Unix()
	}
	return s.show(w, r, http.StatusOK, "held", "Held back", p)
}

// add puts a post to those of its edition.
func (p *heldPage) add(h store.HeldPost, own map[digest.FeedID]string, zone string) {
	date := localDate(h.DueAt, zone)
	if n := len(p.Days); n == 0 || p.Days[n-1].Date != date {
		p.Days = append(p.Days, heldDay{Date: date})
	}
	site := own[h.Post.FeedID]
	if site == "" {
		site = shortened(h.Source.Title)
	}
	day := &p.Days[len(p.Days)-1]
	day.Posts = append(day.Posts, heldPost{shortened(h.Post.Title), h.Post.URL, site, h.Words, render.Language(h.Post.Language)})
}
