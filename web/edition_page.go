package web

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"digest"
	"digest/render"
)

// How much of an edition one page shows. What is beyond it is on further sheets;
// what is beyond the room for excerpts and texts is shown as headlines.
const (
	mostPosts    = 150
	mostExcerpts = 60
	mostText     = 40 << 10 // bytes of HTML of full texts
)

// minContents is the least number of sites worth a list of them.
const minContents = 4

// An editionPage is one edition, or a sheet of it, as a front page.
type editionPage struct {
	render.Edition
	Groups   []group
	Posts    int         // of the whole edition
	Contents bool        // there are enough sites for a list of them
	Own      bool        // the reader is signed in: the archive is theirs to walk
	Standing *standing   // how it goes on, where that has to be said; nil: it comes every day
	Earlier  digest.Date // of the edition before; zero: none
	Later    digest.Date
	Held     int // posts that the reader's filters held back of it

	Path          string // of this edition
	Sheet, Sheets int    // which part of it this is, from 1
}

// A group is the sites that stand together: those of one folder, or those of none.
type group struct {
	Folder string
	Sites  []*frontSite
}

// A frontSite is a site with those of its posts that are on the page.
type frontSite struct {
	*render.Section
	Place  int  // in the page, from 0
	Goes   bool // on: it begins on the sheet before
	Posts  []*frontPost
	layout digest.Layout
	deep   int // level of its posts' headings
}

// A frontPost is a post as it stands on the page.
type frontPost struct {
	*render.Post
	Label string // what stands before it; may be empty
	Rest  bool   // a bound edition only lists it
	Saved bool
	Depth depth
	Text  template.HTML // of the depth full
	Turn  string        // direction of Text
	More  bool          // there is more than Text
}

// depth is how much of a post is shown.
type depth string

const (
	asHeadline depth = "brief"
	asExcerpt  depth = "excerpt"
	asText     depth = "full"
)

// fill puts a sheet of an edition on the page; false if it has no such sheet.
func (p *editionPage) fill(page render.Edition, sheet int, path string, pictures bool) bool {
	p.Edition, p.Path, p.Sheet = page, path, sheet
	for _, site := range page.Sections {
		p.Posts += len(site.Posts) + len(site.Rest)
	}
	p.Sheets = max(1, (p.Posts+mostPosts-1)/mostPosts)
	if sheet > p.Sheets {
		return false
	}
	sites := p.cut()
	p.Contents = len(sites) >= minContents
	p.Groups = folded(sites)
	spread(sites, pictures)
	return true
}

// byFolder gives the sites in the order they are shown: those of no folder
// first, then one folder after the other.
func byFolder(sites []render.Section) []*render.Section {
	all := make([]*render.Section, len(sites))
	for i := range sites {
		all[i] = &sites[i]
	}
	slices.SortStableFunc(all, func(a, b *render.Section) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Folder), strings.ToLower(b.Folder)), strings.Compare(a.Folder, b.Folder))
	})
	return all
}

// cut gives the sites with those of their posts that are on this sheet.
func (p *editionPage) cut() []*frontSite {
	from := (p.Sheet - 1) * mostPosts
	var sites []*frontSite
	at := 0
	for _, site := range byFolder(p.Sections) {
		f := &frontSite{Section: site, Place: len(sites), Goes: at < from, layout: p.LayoutOf(*site), deep: 3}
		if f.Folder != "" {
			f.deep = 4
		}
		for i, post := range postsOf(site) {
			if at+i >= from && at+i < from+mostPosts {
				f.Posts = append(f.Posts, post)
			}
		}
		at += len(site.Posts) + len(site.Rest)
		if len(f.Posts) > 0 {
			sites = append(sites, f)
		}
	}
	return sites
}

// postsOf gives all posts of a site, as headlines.
func postsOf(site *render.Section) []*frontPost {
	posts := make([]*frontPost, 0, len(site.Posts)+len(site.Rest))
	for i, b := range site.Posts {
		posts = append(posts, &frontPost{Post: b, Label: site.LateLabel(i), Depth: asHeadline})
	}
	for i, b := range site.Rest {
		post := &frontPost{Post: b, Rest: true, Depth: asHeadline}
		if i == 0 {
			post.Label = "Also from this time"
		}
		posts = append(posts, post)
	}
	return posts
}

// folded puts the sites of one folder together.
func folded(sites []*frontSite) []group {
	var groups []group
	for _, f := range sites {
		if n := len(groups); n == 0 || groups[n-1].Folder != f.Folder {
			groups = append(groups, group{Folder: f.Folder})
		}
		last := &groups[len(groups)-1]
		last.Sites = append(last.Sites, f)
	}
	return groups
}

// spread decides how much of each post is shown: excerpts go around the sites,
// the newest post of each first, as long as there is room for them, and then
// full texts in the same way.
func spread(sites []*frontSite, pictures bool) {
	excerpts, text := mostExcerpts, mostText
	for turn := 0; ; turn++ {
		any := false
		for _, f := range sites {
			if turn >= len(f.Posts) {
				continue
			}
			any = true
			p := f.Posts[turn]
			if f.layout == digest.Headlines || p.Rest || excerpts == 0 {
				continue
			}
			excerpts--
			p.Depth = asExcerpt
			if f.layout == digest.FullText {
				text -= p.whole(f.deep+1, text, pictures)
			}
		}
		if !any {
			return
		}
	}
}

// whole shows the full text if there is room for it, and gives its size.
func (p *frontPost) whole(level, room int, pictures bool) int {
	if !p.Readable || room <= 0 {
		return 0
	}
	t, ok := p.WebText(level, pictures)
	if !ok || len(t.HTML) > room {
		return 0
	}
	p.Depth, p.Text, p.Turn, p.More = asText, template.HTML(t.HTML), t.Dir, t.Shortened
	return len(t.HTML)
}

// savedAmong tells which of some posts a reader keeps.
type savedAmong func([]digest.PostID) (map[digest.PostID]bool, error)

// markSaved notes which of the posts on the page the reader keeps.
func (p *editionPage) markSaved(among savedAmong) error {
	if among == nil {
		return nil
	}
	var ids []digest.PostID
	p.each(func(f *frontPost) { ids = append(ids, f.ID) })
	saved, err := among(ids)
	if err != nil {
		return err
	}
	p.each(func(f *frontPost) { f.Saved = saved[f.ID] })
	return nil
}

func (p *editionPage) each(do func(*frontPost)) {
	for _, g := range p.Groups {
		for _, f := range g.Sites {
			for _, post := range f.Posts {
				do(post)
			}
		}
	}
}

// Count says how much the whole edition holds.
func (p editionPage) Count() string { return render.Count(p.Posts, len(p.Sections)) }

// Back is where a form leads back to: this sheet, at the post.
func (p editionPage) Back(id digest.PostID) string {
	return p.At(p.Sheet) + "#post-" + strconv.FormatInt(int64(id), 10)
}

// At is the address of a sheet.
func (p editionPage) At(sheet int) string {
	if sheet == 1 {
		return p.Path
	}
	return p.Path + "?sheet=" + strconv.Itoa(sheet)
}

// Others are the numbers of all sheets, for the way to them.
func (p editionPage) Others() []int {
	all := make([]int, p.Sheets)
	for i := range all {
		all[i] = i + 1
	}
	return all
}
