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

// keepLead stores the lead of an edition that is shown for the first time, and reports whether it did. The page must not
// wait or fail if the database is busy or accepts no changes. Then the next view stores the lead.
func (s *site) keepLead(ctx context.Context, id digest.EditionID, lead digest.PostID) bool {
	const wait = 500 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	err := s.Store.Editions.KeepLead(ctx, id, lead)
	if err != nil {
		s.Log.WarnContext(ctx, "cannot store the lead of an edition", "edition", id, "err", err)
	}
	return err == nil
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

// illustrate gives each section one picture: of its second, or else of its newest excerpt with a picture.
func (p *editionPage) illustrate(sections []*editionSection) {
	for _, s := range sections {
		var shown *editionPost
		for _, post := range s.Posts {
			if post.Depth == asExcerpt && (shown == nil || post.IsSecond()) {
				if pic := post.Picture.Learned(p.PictureSizes, post.Rank); pic.URL != "" {
					post.Shot, shown = &pic, post
				}
			}
		}
		for _, post := range s.Posts {
			if post != shown {
				post.Shot = nil
			}
		}
	}
}

// fewWords is the length from which an excerpt has its picture beside it, in characters. A shorter one is only the
// caption of its picture.
const fewWords = 90

// Frame returns the CSS class of the post's picture. It is "" for a picture as wide as the column.
func (p *editionPost) Frame() string {
	switch {
	case p.First && 10*p.Shot.Height > 9*p.Shot.Width:
		return "tall"
	case !p.First && !p.Untitled && (p.IsSecond() && p.Excerpt != "" || utf8.RuneCountInString(p.Excerpt) >= fewWords):
		return "thumb"
	case p.Shot.Cover:
		return "cover"
	}
	return ""
}

// Teaser returns the excerpt. A second has a longer one if it has no picture, or only few words beside it; the lead has
// one if it has no wide picture.
func (p *editionPost) Teaser() string {
	bare := p.Shot == nil
	if p.Longer != "" && (p.IsSecond() && (bare || utf8.RuneCountInString(p.Excerpt) < fewWords) ||
		p.First && (bare || p.Frame() == "tall")) {
		return p.Longer
	}
	return p.Excerpt
}

// NamedBy returns the beginning of the id of the element that names the post: its headline, or the post itself.
func (p *editionPost) NamedBy() string {
	if p.Untitled && p.Depth != asHeadline {
		return "post"
	}
	return "head"
}

// OpensHere reports whether the post's headline opens its text on this instance.
func (p *editionPost) OpensHere() bool { return p.ReadHere && p.HasMark() }

// HasMark reports whether the page marks the post, because its own page has more text.
func (p *editionPost) HasMark() bool { return p.Own && p.Readable && p.Depth != asText }

// sortNotices separates moves from other notices. Only the signed-in reader gets their links and
// addresses, because an address may contain a secret and the link of an edition can be shared. Only
// they see a question about a trial.
func (p *editionPage) sortNotices() {
	for _, n := range p.Notices {
		if !p.Own {
			n.BackURL, n.Links = "", nil
		}
		switch {
		case n.To != "":
			p.Moves = append(p.Moves, n)
		case n.Trial == 0:
			p.Said = append(p.Said, saidNotice{n, nil})
		case p.Own && !p.Printed:
			p.Said = append(p.Said, saidNotice{n, &trialQuestion{n.Text, feedPath(n.Trial), p.At(p.Part)}})
		}
	}
}

// A saidNotice is a notice with its form, if it asks about a trial.
type saidNotice struct {
	render.Notice
	Question *trialQuestion
}

// FoldsNotes reports whether the notices are collapsed. Several open notices would push the first
// headline off a phone's first screen.
func (p editionPage) FoldsNotes() bool { return len(p.Moves)+len(p.Said) > 1 }

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
