package edition

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/rank"
	"digest/render"
)

// A front has what ranks the posts of editions, beside the posts.
type front struct {
	ledLately map[digest.EditionID][]digest.FeedID // sites that led the editions before
	histories map[historyKey]history
	sizes     map[string]digest.PictureSize // of pictures by address
}

type historyKey struct {
	digest.FeedID
	before int64 // Unix seconds
}

// historyOf returns the key of a feed's history before an edition: up to the release of the edition before, or a day.
func historyOf(feed digest.FeedID, d *digest.Delivery) historyKey {
	before := d.PrevReleasedAt
	if before.IsZero() {
		before = d.DueAt.Add(-24 * time.Hour)
	}
	return historyKey{feed, before.Unix()}
}

// isRanked reports whether posts of an edition have ranks. An issue of a newsletter shows its posts in their order.
func isRanked(d *digest.Delivery) bool { return d.Newsletter == nil }

// front reads what ranks the posts of editions.
func (b *Builder) front(ctx context.Context, ds []digest.Delivery, refs map[digest.EditionID][]digest.PostRef,
	sizes map[string]digest.PictureSize) (front, error) {
	f := front{histories: map[historyKey]history{}, sizes: sizes}
	missing := map[int64][]digest.FeedID{}
	for i := range ds {
		for _, ref := range refs[ds[i].ID] {
			key := historyOf(ref.FeedID, &ds[i])
			if _, ok := f.histories[key]; ok || !isRanked(&ds[i]) {
				continue
			}
			h, ok := b.cache.history(key)
			if f.histories[key] = h; !ok {
				missing[key.before] = append(missing[key.before], key.FeedID)
			}
		}
	}
	for before, feeds := range missing {
		found, err := b.Store.FeedHistories(ctx, feeds, time.Unix(before, 0))
		if err != nil {
			return front{}, fmt.Errorf("reading the history of %d feeds: %w", len(feeds), err)
		}
		for _, h := range found {
			key, openings := historyKey{h.FeedID, before}, rank.Openings(h.Titles)
			h.Titles = ""
			f.histories[key] = history{FeedHistory: h, openings: openings}
			b.cache.putHistory(key, f.histories[key])
		}
	}
	if err := b.listen(ctx, f, ds, refs); err != nil {
		return front{}, err
	}
	led, err := b.Store.LeadsBefore(ctx, slices.DeleteFunc(slices.Clone(ds), func(d digest.Delivery) bool {
		return !isRanked(&d)
	}), rank.Rest)
	if f.ledLately = led; err != nil {
		err = fmt.Errorf("reading what led the editions before: %w", err)
	}
	return f, err
}

// rank ranks the posts of an edition's sections, which are in order, and returns those beyond the reading time. It uses
// only facts that are the same in emails and on pages. whole means that no post is only a line.
func (f front) rank(headings []heading, d *digest.Delivery, whole bool) (places map[digest.PostID]rank.Place,
	beyond map[digest.PostID]bool) {
	sites := make([]rank.Site, len(headings))
	for i, h := range headings {
		layout, past := cmp.Or(d.Layout, digest.Excerpts), f.histories[historyOf(h.feed, d)]
		shown, bound := cmp.Or(h.section.Display, layout), !d.BoundFrom.IsZero()
		sites[i] = rank.Site{
			Chosen: h.leads, Folder: h.place, FeedHistory: past.FeedHistory,
			Count: len(h.at), Best: bound || isLong(d) && len(headings) > 1, Folded: h.section.Fold != nil,
			Whole: whole || shown == digest.Headlines || !bound &&
				(h.section.Display != "" || layout != digest.Excerpts),
			Lines: h.section.Display == digest.Headlines && layout != digest.Headlines,
		}
		sites[i].FeedID = h.feed
		for j, p := range h.section.Posts {
			sites[i].Posts = append(sites[i].Posts, rank.Post{
				ID: p.ID, Headline: p.Headline, Words: p.Words,
				Series:  slices.Contains(past.openings, p.Opening),
				Picture: p.Picture.Learned(f.sizes, rank.Lead).Width,
				At:      h.at[j], Late: j >= len(h.section.Posts)-h.section.Late,
			})
		}
	}
	places = rank.Of(sites, f.ledLately[d.ID], d.Lead)
	if d.Budget > 0 && !whole {
		beyond = rank.Beyond(sites, places, d.Budget)
	}
	return places, beyond
}

// An arranged edition has its sections in order, its lead, the posts that it leaves out, and the day of each post if it
// collects several days.
type arranged struct {
	sections []render.Section
	lead     digest.PostID // 0: none
	chosen   bool          // the reader chose its site to lead
	days     map[digest.PostID]catalogue.Moment
	copies   []render.Copy
}

// arrange ranks the posts of sections and puts the lead first. The lead of a site that the reader did not choose is a
// section of its own, so that the other posts of the site stay in their place.
func (f front) arrange(headings []heading, d *digest.Delivery, whole bool) (a arranged) {
	var places map[digest.PostID]rank.Place
	var beyond map[digest.PostID]bool
	if isRanked(d) {
		places, beyond = f.rank(headings, d, whole)
	}
	for _, h := range headings {
		s := h.section
		s.Places = make([]rank.Place, len(s.Posts))
		at := -1
		for i, p := range s.Posts {
			if s.Places[i] = places[p.ID]; s.Places[i].Rank == rank.Lead {
				at, a.lead, a.chosen = i, p.ID, h.leads
			}
		}
		if at >= 0 && d.Layout != digest.Headlines {
			s, at = moveFirst(s, at), 0
		}
		if s.Fold == nil && (isLong(d) || !d.BoundFrom.IsZero()) {
			moveLines(&s)
		}
		switch {
		case at < 0 || d.Layout == digest.Headlines:
			a.sections = append(a.sections, s)
		case h.leads || len(s.Posts) == 1:
			s.Folder = ""
			a.sections = slices.Insert(a.sections, 0, s)
		default:
			first, rest := split(s)
			a.sections = append(slices.Insert(a.sections, 0, first), rest)
		}
	}
	a.sections = afterReading(a.sections, beyond, alsoToday.In(catalogue.Of(d.Language)))
	return a
}

// moveLines moves the posts of a section that are only a line to its rest.
func moveLines(s *render.Section) {
	var rest []*render.Post
	kept, places, late := make([]*render.Post, 0, len(s.Posts)), s.Places[:0:0], 0
	for i, p := range s.Posts {
		if s.Places[i].Rank == rank.Brief {
			rest = append(rest, p)
			continue
		}
		kept, places = append(kept, p), append(places, s.Places[i])
		if i >= len(s.Posts)-s.Late {
			late++
		}
	}
	if len(rest) > 0 {
		s.Posts, s.Places, s.Late, s.Rest, s.RestLabel = kept, places, late, append(rest, s.Rest...),
			render.MoreHeadlines
	}
}

// moveFirst puts the i-th post of a section first.
func moveFirst(s render.Section, i int) render.Section {
	s.Posts, s.Places = slices.Clone(s.Posts), slices.Clone(s.Places)
	post, place := s.Posts[i], s.Places[i]
	s.Posts = slices.Insert(slices.Delete(s.Posts, i, i+1), 0, post)
	s.Places = slices.Insert(slices.Delete(s.Places, i, i+1), 0, place)
	return s
}

// split divides a section into its first post, without a folder, and the others.
func split(s render.Section) (one, others render.Section) {
	one, others = s, s
	one.Posts, one.Places, others.Posts, others.Places = s.Posts[:1:1], s.Places[:1:1], s.Posts[1:], s.Places[1:]
	one.Folder, one.Late, one.Rest, one.RestLabel, one.Beyond, one.Left = "", 0, nil, nil, 0, 0
	return one, others
}
