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
	"digest/internal/words"
)

// partFeeds is how many feeds one sheet of the list has.
const partFeeds = 150

// minSought is from how many feeds on they are looked for and sorted.
const minSought = 10

// A feedOrder is in which order feeds are listed.
type feedOrder string

// The orders. In all of them those in trouble come first, and paused ones last.
const (
	byFolder  feedOrder = "" // by folder, and by name in each
	byNames   feedOrder = "name"
	byLast    feedOrder = "last"    // the latest post first
	byTrouble feedOrder = "trouble" // the longest trouble first
)

// A feedsQuery is what a reader looks for among their feeds.
type feedsQuery struct {
	Find   string // in names and addresses
	Sort   feedOrder
	Folder string // the only one to show; "": all of them
	Part   int    // from 1
	All    bool   // all on the sheet are chosen
}

func feedsQueryOf(form url.Values) feedsQuery {
	q := feedsQuery{
		Find: firstRunes(digest.OneLine(form.Get("find")), maxName), Sort: feedOrder(form.Get("sort")),
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

// form is what is looked for, as the fields of a form say it.
func (q feedsQuery) form() url.Values {
	form := url.Values{}
	for name, value := range map[string]string{"find": q.Find, "sort": string(q.Sort), "folder": q.Folder} {
		if value != "" {
			form.Set(name, value)
		}
	}
	return form
}

// At is the address of a sheet of what is looked for.
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

// Here is the address of this sheet.
func (q feedsQuery) Here() string { return q.At(q.Part) }

// ChooseAll is the address at which all on the sheet are chosen.
func (q feedsQuery) ChooseAll() string {
	here := q.Here()
	if strings.Contains(here, "?") {
		return here + "&all=1"
	}
	return here + "?all=1"
}

// Sought reports whether not all feeds are looked for.
func (q feedsQuery) Sought() bool { return q.Find != "" || q.Folder != "" }

// Orders are those to choose from.
func (q feedsQuery) Orders() []choice {
	return chosen([]choice{
		{Value: string(byFolder), Name: catalogue.Key("folder")}, {Value: string(byNames), Name: catalogue.Key("name")},
		{Value: string(byLast), Name: catalogue.Key("last post")},
		{Value: string(byTrouble), Name: catalogue.Key("trouble")},
	}, string(q.Sort))
}

// matches reports whether a feed is one of those that are looked for.
func (q feedsQuery) matches(l feedLine) bool {
	if q.Folder != "" && l.Folder != q.Folder {
		return false
	}
	find := words.Fold(q.Find)
	if find == "" {
		return true
	}
	for _, name := range []string{titleOf(l.sub), l.sub.Feed.Title, digest.PublicAddress(l.sub.Feed.URL),
		l.sub.Feed.SiteURL} {
		if strings.Contains(words.Fold(name), find) {
			return true
		}
	}
	return false
}

// A feedGroup is feeds below one heading.
type feedGroup struct {
	Kind      groupKind
	Name      string // of a folder
	Continued bool   // it begins on the sheet before
	Feeds     []feedLine
}

// Well reports whether nothing is to be said of any of its feeds.
func (g feedGroup) Well() bool {
	return !slices.ContainsFunc(g.Feeds, func(l feedLine) bool { return len(l.Words) > 0 })
}

// A groupKind says what the feeds of a group have in common.
type groupKind string

// The kinds of group.
const (
	troubledGroup groupKind = "trouble"
	folderGroup   groupKind = "folder" // or none, where its name is empty
	wholeGroup    groupKind = "all"
	pausedGroup   groupKind = "paused"
)

// groups puts feeds below headings, in the order that is asked for; folders in that of the reader.
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

// compare orders two feeds. What is well has no beginning of its trouble.
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

// onPart gives what of groups is on a sheet, and how many sheets they fill.
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

// AllParts are the numbers of all sheets, for the way to them.
func (p feedsPage) AllParts() []int {
	all := make([]int, p.Parts)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// Seeks reports whether there are enough feeds to look for one.
func (p feedsPage) Seeks() bool { return p.Count >= minSought }
