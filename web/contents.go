package web

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
)

// A contents is the way to the folders and sites of an edition: on this sheet, and on its others.
type contents struct {
	Names   []string // of folders, or of sites where there are none, as many as have room on one line
	Folders []contentsFolder
	View    *otherView // nil: there is none
}

// A contentsFolder is a folder, or sites in none. Of those on other sheets there are no Sites, which of a large edition
// would be most of the page: in no folder they are a way to their sheet.
type contentsFolder struct {
	Name, Path string
	Part       int // of sites in no folder on another one; else 0
	Sites      []contentsSite
}

type contentsSite struct{ Title, Language, Path string }

// An otherView is the same edition in another form.
type otherView struct {
	Path string
	Name catalogue.Key
}

// The bounds of the line of contents and of each name in it, in characters: no window is wider.
const (
	contentsLine = 160
	contentsName = 28 // where it runs against the page its end would stand there alone
)

// Contents are there from some sections on; the way out of a view of headlines is always there.
func (p editionPage) Contents() *contents {
	c := &contents{View: p.otherView()}
	all := outline(p.Sections, p.room().posts, p.Part, p.At)
	if c.Names = contentsNames(all, len(p.Sections)); c.Names != nil {
		c.Folders = all
	} else if !p.lines || c.View == nil {
		return nil
	}
	return c
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

// outline is the contents of an edition of which so many posts stand on a part. Links lead within the page where a
// section, or some of it, is on the part here.
func outline(sections []render.Section, posts, here int, at func(part int) string) []contentsFolder {
	type count struct {
		sites, folders int
		last           string // folder
	}
	parts := map[int]*count{}
	add := func(part int, folder string) (site, group int) { // their places on the part
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
	for _, s := range sections {
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
		if n := len(all); n == 0 || all[n-1].Name != s.Folder || all[n-1].Part != other {
			all = append(all, contentsFolder{Name: s.Folder, Path: way + "#folder-" + strconv.Itoa(group), Part: other})
		}
		f := &all[len(all)-1]
		if shown && f.Path[0] != '#' { // the folder begins on a sheet before
			f.Path = "#folder-" + strconv.Itoa(group)
		}
		if shown {
			f.Sites = append(f.Sites, contentsSite{s.Title, s.Language, "#site-" + strconv.Itoa(site)})
		}
	}
	return all
}

// contentsNames are the line of contents of an edition of so many sections; nil: there are too few for one.
func contentsNames(all []contentsFolder, sections int) []string {
	var names, titles []string
	for _, f := range all {
		if f.Name != "" {
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
	for i, room := 0, contentsLine; i < len(names); i++ {
		names[i] = shortName(names[i])
		if room -= utf8.RuneCountInString(names[i]) + len(" · "); room < 0 {
			return append(names[:i], "…")
		}
	}
	return names
}

// shortName is a name in the line of contents, which ends with a word where one ends in its second half.
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
