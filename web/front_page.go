package web

import (
	"cmp"
	"context"
	"time"
	"unicode/utf8"

	"digest"
	"digest/internal/catalogue"
	"digest/rank"
	"digest/render"
	"digest/web/page"
)

// An editionFolder contains the sections of one folder, or sections without a folder.
type editionFolder struct {
	Name     string
	Place    int // index on the page, from 0
	Sections []*editionSection
	Bands    []editionBand // all sections, in bands
}

// An editionBand contains sections that wide windows show in columns. A band fills about one
// screen, so that readers do not have to scroll up for the next column.
type editionBand struct {
	Sections []*editionSection
	Class    string // CSS class
}

const (
	inColumns = "band"
	inOne     = "band alone" // full texts, and the lead
	asLines   = "band lines" // headlines
)

// bandLines is the approximate number of text lines in all columns of a band.
const bandLines = 56

// lines estimates how many lines a section takes in a column.
func (s *editionSection) lines() int {
	const inColumn = 52 // characters
	n := 3
	if s.Fold != nil && !s.Unfolds {
		return n + 1
	}
	for _, p := range s.Posts {
		n++
		if p.Depth == asHeadline {
			continue
		}
		n += 3 + utf8.RuneCountInString(p.Line())/30 + utf8.RuneCountInString(p.Excerpt)/inColumn
		if p.Shot != nil {
			n += 11
		}
	}
	return n
}

// inBands groups the sections of a folder into bands. The last section joins the previous band, so
// that it does not appear alone.
func inBands(sections []*editionSection, lines bool) (bands []editionBand) {
	room := 0
	for _, s := range sections {
		class, n := inColumns, s.lines()
		switch {
		case lines:
			class, n = asLines, 0
		case s.Leads || s.hasText():
			class = inOne
		}
		last := len(bands) - 1
		if last < 0 || bands[last].Class != class || class == inOne || class == inColumns && room <= 0 &&
			s != sections[len(sections)-1] {
			bands = append(bands, editionBand{Class: class})
			room, last = bandLines, last+1
		}
		room -= n
		bands[last].Sections = append(bands[last].Sections, s)
	}
	return bands
}

func (s *editionSection) hasText() bool {
	for _, p := range s.Posts {
		if p.Depth == asText {
			return true
		}
	}
	return false
}

// lead marks the first post of the first section as the lead of the page, unless it is a headline. An edition without a
// lead has none; an issue of a newsletter always has one.
func (p *editionPage) lead(sections []*editionSection) {
	if p.Part > 1 || p.lines || len(sections) == 0 || sections[0].Posts[0].Depth == asHeadline ||
		sections[0].Posts[0].ID != p.Lead && !p.Newsletter {
		return
	}
	sections[0].Leads, sections[0].Posts[0].First = true, true
}

// IsSecond reports whether the post is one of the most prominent after the lead.
func (p *editionPost) IsSecond() bool { return p.Rank == rank.Second && p.Depth == asExcerpt }

// postsOf returns all posts of a section, as headlines.
func postsOf(section render.Section) []*editionPost {
	posts := make([]*editionPost, 0, len(section.Posts)+len(section.Rest))
	for i, post := range section.Posts {
		posts = append(posts, &editionPost{Post: post, Label: section.LateLabel(i), Depth: asHeadline,
			Place: section.Place(i)})
	}
	for i, post := range section.Rest {
		posts = append(posts, &editionPost{Post: post, rest: true, Depth: asHeadline})
		if i == 0 {
			posts[len(posts)-1].Label = section.RestLabel
		}
	}
	return posts
}

// keepLead stores the lead of an edition that is shown for the first time. The page must not wait or fail if the database
// is busy or accepts no changes. Then the next view stores the lead.
func (s *site) keepLead(ctx context.Context, id digest.EditionID, lead digest.PostID) {
	const wait = 500 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := s.Store.Editions.KeepLead(ctx, id, lead); err != nil {
		s.Log.WarnContext(ctx, "cannot store the lead of an edition", "edition", id, "err", err)
	}
}

// Leading returns the CSS class of the section that contains the lead, or "" for other sections. In
// wide windows one or two posts appear beside the lead.
func (s *editionSection) Leading() string {
	switch {
	case !s.Leads:
		return ""
	case len(s.After()) == 1 || len(s.After()) == 2:
		return "leading beside"
	}
	return "leading"
}

func (s *editionSection) Lead() *editionPost {
	if !s.Leads {
		return nil
	}
	return s.Posts[0]
}

func (s *editionSection) After() []*editionPost {
	if s.Leads {
		return s.Posts[1:]
	}
	return s.Posts
}

// illustrate gives each section one picture, from the newest excerpt with a picture.
func (p *editionPage) illustrate(sections []*editionSection) {
	for _, s := range sections {
		for _, post := range s.Posts {
			if pic := post.Picture.Learned(p.PictureSizes, post.Rank); post.Depth == asExcerpt && pic.URL != "" {
				post.Shot = &pic
				break
			}
		}
	}
}

// A midnightDial is a 24-hour clock of the reader, with midnight at the top.
type midnightDial struct {
	Place   catalogue.City
	Degrees int // angle of the hour hand
}

func newMidnightDial(zone string, now time.Time) *midnightDial {
	at := now.In(page.ZoneOr(zone))
	return &midnightDial{catalogue.City(cmp.Or(zone, "UTC")), (at.Hour()*60 + at.Minute()) / 4}
}

// absent explains why there is no edition of today. It returns nil if there is one, or if a notice
// explains it.
func (s *site) absent(ctx context.Context, st page.OwnDigest, latest digest.Date) (catalogue.Sayable, error) {
	today, last := st.Today(), st.Of.LastDueAt
	if latest == today || st.Of.State != digest.DigestActive || !st.Of.NextDueAt.After(st.Now) ||
		digest.DateOf(last.In(st.Zone())) != today {
		return nil, nil
	}
	b, err := s.Store.Editions.Beside(ctx, digest.Edition{DigestID: st.Of.ID, DueAt: last, LocalDate: today}, st.Now)
	if b.Held > 0 {
		return catalogue.Key("No edition today: your filters hid all %d new posts. Here is the edition of %s.").With(
			b.Held, catalogue.Day("Monday 2 January", latest)), err
	}
	return catalogue.Key("No edition today: your sites had nothing new. Here is the edition of %s.").With(
		catalogue.Day("Monday 2 January", latest)), err
}
