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
	histories map[historyKey]digest.FeedHistory
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
func (b *Builder) front(ctx context.Context, ds []digest.Delivery, refs map[digest.EditionID][]digest.PostRef) (
	front, error) {
	f := front{histories: map[historyKey]digest.FeedHistory{}}
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
			key := historyKey{h.FeedID, before}
			f.histories[key] = h
			b.cache.putHistory(key, h)
		}
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
		layout := cmp.Or(d.Layout, digest.Excerpts)
		sites[i] = rank.Site{
			Chosen: h.leads, Folder: h.place, FeedHistory: f.histories[historyOf(h.feed, d)],
			Count: len(h.at), Whole: whole || h.section.Display != "" || layout != digest.Excerpts,
			Lines: h.section.Display == digest.Headlines && layout != digest.Headlines,
		}
		sites[i].FeedID = h.feed
		for j, p := range h.section.Posts {
			sites[i].Posts = append(sites[i].Posts, rank.Post{
				ID: p.ID, Headline: p.Headline, Words: p.Words, Picture: p.Picture.Width,
				At: h.at[j], Late: j >= len(h.section.Posts)-h.section.Late,
			})
		}
	}
	places = rank.Of(sites, f.ledLately[d.ID], d.Lead)
	if d.Budget > 0 && !whole {
		beyond = rank.Beyond(sites, places, d.Budget)
	}
	return places, beyond
}

// A leader is the post that leads an edition.
type leader struct {
	post   digest.PostID // 0: none
	chosen bool          // the reader chose its site to lead
}

// arrange ranks the posts of sections and puts the lead first. The lead of a site that the reader did not choose is a
// section of its own, so that the other posts of the site stay in their place.
func (f front) arrange(headings []heading, d *digest.Delivery, whole bool) (sections []render.Section, lead leader) {
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
				at, lead.post, lead.chosen = i, p.ID, h.leads
			}
		}
		switch {
		case at < 0 || d.Layout == digest.Headlines:
			sections = append(sections, s)
		case h.leads || len(s.Posts) == 1:
			s.Folder = ""
			sections = slices.Insert(sections, 0, moveFirst(s, at))
		default:
			first, rest := split(s, at)
			sections = append(slices.Insert(sections, 0, first), rest)
		}
	}
	return afterReading(sections, beyond, alsoToday.In(catalogue.Of(d.Language))), lead
}

// moveFirst puts the i-th post of a section first.
func moveFirst(s render.Section, i int) render.Section {
	s.Posts, s.Places = slices.Clone(s.Posts), slices.Clone(s.Places)
	post, place := s.Posts[i], s.Places[i]
	s.Posts = slices.Insert(slices.Delete(s.Posts, i, i+1), 0, post)
	s.Places = slices.Insert(slices.Delete(s.Places, i, i+1), 0, place)
	return s
}

// split divides a section into its i-th post, without a folder, and the others.
func split(s render.Section, i int) (one, others render.Section) {
	s = moveFirst(s, i)
	one, others = s, s
	one.Posts, one.Places, others.Posts, others.Places = s.Posts[:1:1], s.Places[:1:1], s.Posts[1:], s.Places[1:]
	one.Folder, one.Late, one.Rest, one.RestLabel, one.Beyond, one.Left = "", 0, nil, nil, 0, 0
	return one, others
}
