package web

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/textsearch"
	"digest/web/page"
)

// partFeeds is how many feeds one page of the list has.
const partFeeds = 150

// minSought is how many feeds a list needs to offer search and sorting.
const minSought = 10

type feedOrder string

// All orders list feeds with problems first, and paused feeds last.
const (
	byFolder  feedOrder = "" // by folder, then by name
	byNames   feedOrder = "name"
	byLast    feedOrder = "last"    // newest post first
	byTrouble feedOrder = "trouble" // oldest problem first
)

// A feedsQuery selects and sorts the reader's feeds.
type feedsQuery struct {
	Find   string // in titles and addresses
	Sort   feedOrder
	Folder string // "": all folders
	Part   int    // page, from 1
	All    bool   // all feeds on the page are selected
}

func feedsQueryOf(form url.Values) feedsQuery {
	q := feedsQuery{
		Find: page.FirstRunes(digest.OneLine(form.Get("find")), page.MaxName), Sort: feedOrder(form.Get("sort")),
		Folder: form.Get("folder"),
		Part:   1, All: form.Has("all"),
	}
	if !slices.Contains([]feedOrder{byNames, byLast, byTrouble}, q.Sort) {
		q.Sort = byFolder
	}
	if n, err := strconv.Atoi(form.Get("sheet")); err == nil && n > 0 {
		q.Part = n
	}
	return q
}

func (q feedsQuery) form() url.Values {
	form := url.Values{}
	for name, value := range map[string]string{"find": q.Find, "sort": string(q.Sort), "folder": q.Folder} {
		if value != "" {
			form.Set(name, value)
		}
	}
	return form
}

func (q feedsQuery) At(part int) string {
	form := q.form()
	if part > 1 {
		form.Set("sheet", strconv.Itoa(part))
	}
	if len(form) == 0 {
		return "/feeds"
	}
	return "/feeds?" + form.Encode()
}

func (q feedsQuery) Here() string { return q.At(q.Part) }

// ChooseAll returns the address of this page with all feeds selected.
func (q feedsQuery) ChooseAll() string {
	here := q.Here()
	if strings.Contains(here, "?") {
		return here + "&all=1"
	}
	return here + "?all=1"
}

// Sought reports whether the query restricts the list.
func (q feedsQuery) Sought() bool { return q.Find != "" || q.Folder != "" }

func (q feedsQuery) Orders() []page.Choice {
	return page.Chosen([]page.Choice{
		{Value: string(byFolder), Name: catalogue.Key("folder")}, {Value: string(byNames), Name: catalogue.Key("name")},
		{Value: string(byLast), Name: catalogue.Key("last post")},
		{Value: string(byTrouble), Name: catalogue.Key("problems")},
	}, string(q.Sort))
}

func (q feedsQuery) matches(l feedLine) bool {
	if q.Folder != "" && l.Folder != q.Folder {
		return false
	}
	find := textsearch.Fold(q.Find)
	if find == "" {
		return true
	}
	for _, name := range []string{titleOf(l.sub), l.sub.Feed.Title, digest.PublicAddress(l.sub.Feed.URL),
		l.sub.Feed.SiteURL} {
		if strings.Contains(textsearch.Fold(name), find) {
			return true
		}
	}
	return false
}

type feedGroup struct {
	Kind      groupKind
	Name      string // folder
	Continued bool   // it begins on the previous page
	Feeds     []feedLine
}

// Well reports whether all feeds of the group are healthy.
func (g feedGroup) Well() bool {
	return !slices.ContainsFunc(g.Feeds, func(l feedLine) bool { return len(l.Words) > 0 })
}

type groupKind string

const (
	troubledGroup groupKind = "trouble"
	folderGroup   groupKind = "folder" // no folder if the name is empty
	wholeGroup    groupKind = "all"
	pausedGroup   groupKind = "paused"
)

// groups groups the feeds below headings in the order of the query. order is the reader's order of
// folders.
func (q feedsQuery) groups(lines []feedLine, order digest.FolderOrder) (groups []feedGroup) {
	var troubled, paused, well []feedLine
	for _, l := range lines {
		switch {
		case l.sub.Paused:
			paused = append(paused, l)
		case l.Trouble:
			troubled = append(troubled, l)
		default:
			well = append(well, l)
		}
	}
	slices.SortFunc(paused, byTitle)
	slices.SortFunc(troubled, q.compare)
	slices.SortFunc(well, q.compare)
	add := func(kind groupKind, name string, feeds []feedLine) {
		if len(feeds) > 0 {
			groups = append(groups, feedGroup{Kind: kind, Name: name, Feeds: feeds})
		}
	}
	add(troubledGroup, "", troubled)
	if q.Sort != byFolder {
		add(wholeGroup, "", well)
	}
	if q.Sort == byFolder {
		inFolder := map[string][]feedLine{}
		for _, l := range well {
			inFolder[l.Folder] = append(inFolder[l.Folder], l)
		}
		names := slices.Collect(maps.Keys(inFolder))
		order.Arrange(names)
		for _, name := range names {
			add(folderGroup, name, inFolder[name])
		}
	}
	add(pausedGroup, "", paused)
	return groups
}

// compare orders two feeds. Feeds without a problem come last in byTrouble, because they have no
// Since.
func (q feedsQuery) compare(a, b feedLine) int {
	switch q.Sort {
	case byLast:
		return cmp.Or(b.Newest.Compare(a.Newest), byTitle(a, b))
	case byTrouble:
		if (len(a.Words) == 0) != (len(b.Words) == 0) {
			return cmp.Compare(len(b.Words), len(a.Words))
		}
		if len(a.Words) > 0 {
			return cmp.Or(a.Since.Compare(b.Since), byTitle(a, b))
		}
	}
	return byTitle(a, b)
}

// onPart returns the groups on a page, and the number of pages.
func onPart(groups []feedGroup, part int) (shown []feedGroup, parts int) {
	from, at := (part-1)*partFeeds, 0
	for _, g := range groups {
		n := len(g.Feeds)
		g.Continued = at < from
		g.Feeds = g.Feeds[min(n, max(0, from-at)):max(0, min(n, from+partFeeds-at))]
		if len(g.Feeds) > 0 {
			shown = append(shown, g)
		}
		at += n
	}
	return shown, max(1, (at+partFeeds-1)/partFeeds)
}

func (p feedsPage) AllParts() []int {
	all := make([]int, p.Parts)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// Seeks reports whether the list is long enough to offer a search.
func (p feedsPage) Seeks() bool { return p.Count >= minSought }
