package web

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"digest"
	"digest/internal/catalogue"
	"digest/rank"
	"digest/render"
)

// A contents is the table of contents of an edition, with links to this page and to its other
// pages.
type contents struct {
	Names   []string // folders, or sites if there are no folders; as many as fit on one line
	Folders []contentsFolder
	View    *otherView // nil if there is only one view
}

// A contentsFolder is a folder, or consecutive sites without a folder. Sites on other pages are not
// listed, because in a large edition they would fill most of the page. Sites without a folder on
// another page are one link to that page.
type contentsFolder struct {
	Name, Path string
	Part       int  // page of sites without a folder, if it is not this page; 0 otherwise
	also       bool // no folder of the reader, but the posts beyond the reading time
	Sites      []contentsSite
}

type contentsSite struct{ Title, Language, Path string }

type otherView struct {
	Path string
	Name catalogue.Key
}

// The limits of the line of contents and of each name in it, in characters. The line is as wide as
// the widest window.
const (
	contentsLine = 160
	contentsName = 28 // a longer name in the opposite text direction could leave its end alone on a line
)

// Contents returns nil if the edition has fewer than minContents sections. The headlines view
// always has contents, because they link back to the excerpts.
func (p editionPage) Contents() *contents {
	c := &contents{View: p.otherView()}
	all := outline(p.Sections, p.room().posts, p.Part, p.At)
	if c.Names = contentsNames(all, p.sites()); c.Names != nil {
		c.Folders = all
	} else if !p.lines || c.View == nil {
		return nil
	}
	return c
}

// sites returns the number of sites. A site whose post leads has two sections.
func (p editionPage) sites() int {
	feeds := map[digest.FeedID]bool{}
	for _, s := range p.Sections {
		feeds[s.Feed] = true
	}
	return len(feeds)
}

func (p editionPage) otherView() *otherView {
	switch {
	case !p.hasExcerpts:
		return nil
	case p.lines:
		return &otherView{p.at(p.Part, false), catalogue.Key("Excerpts")}
	}
	return &otherView{p.at(p.Part, true), catalogue.Key("Headlines")}
}

// outline returns the contents of an edition with the given number of posts on each page. here is
// the current page. A link stays on this page if the section has posts on it.
func outline(sections []render.Section, posts, here int, at func(part int) string) []contentsFolder {
	type count struct {
		sites, folders int
		last           string
	}
	parts := map[int]*count{}
	// returns the indexes of the site and of the folder on that page
	add := func(part int, folder string) (site, group int) {
		c := parts[part]
		if c == nil {
			c = &count{}
			parts[part] = c
		}
		if c.folders == 0 || c.last != folder {
			c.folders, c.last = c.folders+1, folder
		}
		c.sites++
		return c.sites - 1, c.folders - 1
	}
	var all []contentsFolder
	from := 0
	for i, s := range sections {
		n := len(s.Posts) + len(s.Rest)
		if n == 0 {
			continue
		}
		first, last := from/posts+1, (from+n-1)/posts+1
		from += n
		shown, way, other := first <= here && here <= last, "", 0
		if !shown {
			way = at(first)
			if s.Folder == "" {
				other = first
			}
		}
		site, group := add(first, s.Folder)
		for part := first + 1; part <= last; part++ {
			if place, of := add(part, s.Folder); part == here {
				site, group = place, of
			}
		}
		if again := func(t render.Section) bool { return t.Feed == s.Feed && s.Feed != 0 }; i == 0 &&
			slices.ContainsFunc(sections[1:], again) {
			continue // the lead; its site has its place below
		}
		if n := len(all); n == 0 || all[n-1].Name != s.Folder || all[n-1].Part != other {
			all = append(all, contentsFolder{Name: s.Folder, Path: way + "#folder-" + strconv.Itoa(group), Part: other,
				also: s.Place(0).Reason == rank.OverTime})
		}
		f := &all[len(all)-1]
		if shown && f.Path[0] != '#' { // the folder begins on an earlier page
			f.Path = "#folder-" + strconv.Itoa(group)
		}
		if shown {
			f.Sites = append(f.Sites, contentsSite{s.Title, s.Language, "#site-" + strconv.Itoa(site)})
		}
	}
	return all
}

// contentsNames returns the names in the line of contents, or nil if the edition has fewer than
// minContents sections.
func contentsNames(all []contentsFolder, sections int) []string {
	var names, titles, also []string
	for _, f := range all {
		switch {
		case f.also:
			also = append(also, f.Name)
			continue
		case f.Name != "":
			names = append(names, f.Name)
		}
		for _, s := range f.Sites {
			titles = append(titles, s.Title)
		}
	}
	if sections < minContents {
		return nil
	}
	if len(names) == 0 {
		names = titles
	}
	names = append(names, also...)
	for i, room := 0, contentsLine; i < len(names); i++ {
		names[i] = shortName(names[i])
		if room -= utf8.RuneCountInString(names[i]) + len(" · "); room < 0 {
			return append(names[:i], "…")
		}
	}
	return names
}

// shortName shortens a name for the line of contents. It cuts after a whole word if one ends in the
// second half.
func shortName(name string) string {
	short := digest.Shortened(name, contentsName)
	if short == name {
		return name
	}
	if at := strings.LastIndexByte(short, ' '); at > len(short)/2 {
		return strings.TrimRight(short[:at], " ,;:|–—-·") + "…"
	}
	return short
}
