package edition

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
)

// A post is a rendered post with what decides its place, shared by all editions
// and never changed. Times are Unix seconds.
type post struct {
	*render.Post
	published int64 // 0: it has no date
	seen      int64
	before    int64 // when its feed had last been read before that; 0: never
	keys      keys  // by what copies of it are found
}

// at is when it was published, else first seen.
func (p *post) at() int64 { return cmp.Or(p.published, p.seen) }

// missedBefore reports whether p belonged to an edition before e, but came too late
// for it: its feed could not be read when it was time. A digest's first edition
// has none before it.
func (p *post) missedBefore(e digest.Edition) bool {
	if e.PrevDueAt.IsZero() || p.published == 0 || p.before == 0 {
		return false
	}
	due := e.PrevDueAt.Unix()
	return p.published < due && p.before < due && p.seen > e.PrevReleasedAt.Unix()
}

// A heading is a feed with its section's headings rendered.
type heading struct {
	section  render.Section // without posts
	feed     digest.FeedID
	leads    bool
	place    int    // of its folder among those of the edition
	language string // that the feed names, for its posts
}

func newHeading(r *render.Renderer, feed digest.FeedID, title, url, language string) heading {
	s := r.Section(title, url, language)
	return heading{section: s, feed: feed, language: language}
}

// shared is what editions of some colours are put together from: the same for all their readers. What
// the store no longer has stays out of it.
type shared struct {
	render   *render.Renderer
	posts    map[digest.PostID]*post
	headings map[digest.FeedID]heading
	judged   *judged // which of them are copies
}

func newShared(r *render.Renderer, j *judged) shared {
	return shared{r, map[digest.PostID]*post{}, map[digest.FeedID]heading{}, j}
}

// cached gives what sealed editions are made of; their posts never change again.
func (b *Builder) cached(ctx context.Context, r *render.Renderer, ds []digest.Delivery,
	refs map[digest.EditionID][]digest.PostRef, whole func(*digest.Delivery, digest.FeedID) bool) (shared, error) {
	s := newShared(r, &b.judged)
	missing := b.cache.get(s, ds, refs, whole)
	if err := b.load(ctx, s, missing); err != nil {
		return shared{}, err
	}
	b.cache.put(s, missing)
	return s, nil
}

// cachedIn is cached for editions that are made by several renderers, by those.
func (b *Builder) cachedIn(ctx context.Context, renderers []*render.Renderer, ds []digest.Delivery,
	refs map[digest.EditionID][]digest.PostRef, whole func(*digest.Delivery, digest.FeedID) bool) (
	map[*render.Renderer]shared, error) {
	all, groups := map[*render.Renderer]shared{}, map[*render.Renderer][]digest.Delivery{}
	for i, d := range ds {
		groups[renderers[i]] = append(groups[renderers[i]], d)
	}
	for r, group := range groups {
		s, err := b.cached(ctx, r, group, refs, whole)
		if err != nil {
			return nil, err
		}
		all[r] = s
	}
	return all, nil
}

// renderersOf gives by what each edition is made: in its newsletter's colours, with its links if it counts.
func (b *Builder) renderersOf(ds []digest.Delivery) []*render.Renderer {
	all := make([]*render.Renderer, len(ds))
	for i, d := range ds {
		all[i] = b.render.In(coloursOf(d)).Speaking(d.Language)
		if n := d.Newsletter; n != nil && n.CountClicks {
			all[i] = all[i].Counting(fmt.Sprint(n.ID), func(post digest.PostID, url string) string {
				return b.BaseURL + digest.Click{Newsletter: n.ID, Post: post, URL: url}.Path(b.Signer)
			})
		}
	}
	return all
}

// coloursOf are those of the newsletter whose letter it is; a reader's own digest has none of its own.
func coloursOf(d digest.Delivery) (c digest.Colours) {
	if d.Newsletter != nil {
		c = d.Newsletter.Colours
	}
	return c
}

// fresh gives what cached does for posts that may still change.
func (b *Builder) fresh(ctx context.Context, r *render.Renderer, refs []digest.PostRef) (shared, error) {
	s, want := newShared(r, new(judged)), newMissing()
	for _, ref := range refs {
		want.posts[ref.PostID], want.feeds[ref.FeedID] = true, true
	}
	return s, b.load(ctx, s, want)
}

// load adds posts and feeds from the store to s.
func (b *Builder) load(ctx context.Context, s shared, want missing) error {
	if len(want.feeds) > 0 {
		labels, err := b.Store.FeedLabels(ctx, slices.Sorted(maps.Keys(want.feeds)))
		if err != nil {
			return fmt.Errorf("reading the titles of %d feeds: %w", len(want.feeds), err)
		}
		for _, l := range labels {
			s.headings[l.FeedID] = newHeading(s.render, l.FeedID, l.Title, l.SiteURL, l.Language)
		}
	}
	if len(want.posts) == 0 {
		return nil
	}
	found, err := b.Store.Posts(ctx, slices.Sorted(maps.Keys(want.posts)))
	if err != nil {
		return fmt.Errorf("reading %d posts: %w", len(want.posts), err)
	}
	for _, p := range found {
		if p.Language == "" {
			p.Language = s.headings[p.FeedID].language
		}
		p.SiteURL = s.headings[p.FeedID].section.URL
		rendered := s.render.Brief
		if want.posts[p.ID] {
			rendered = s.render.Post
		}
		s.posts[p.ID] = &post{rendered(p), seconds(p.PublishedAt), seconds(p.SeenAt), seconds(p.ReadBefore),
			b.seed.of(p)}
	}
	return nil
}

// seconds is t in Unix seconds, 0 for none.
func seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// headingFor is the heading of a feed as its reader wants it named and placed, in its folder if folders are shown.
func (s shared) headingFor(feed digest.FeedID, own digest.Subscription, g digest.Grouping) heading {
	h, known := s.headings[feed]
	if !known || own.Title != "" {
		h = newHeading(s.render, feed, own.Title, h.section.URL, "")
	}
	h.section.Display, h.section.Folder, h.section.Feed, h.leads = own.Display, own.Folder, feed, own.Leads
	if h.leads || g == digest.BySites { // the one that leads stands by itself, before all folders
		h.section.Folder = ""
	}
	return h
}

// sections puts the posts of one reader's edition in order, each once, as the reader wants each
// feed named and shown, and unless it is wanted whole no more of each than they want at once.
func (b *Builder) sections(ctx context.Context, s shared, refs []digest.PostRef,
	settings map[digest.FeedID]digest.Subscription, d digest.Delivery, whole bool) ([]render.Section, error) {
	refs, originals, err := b.once(ctx, s, refs)
	if err != nil {
		return nil, err
	}
	byFeed := map[digest.FeedID][]placed{}
	for _, r := range refs {
		p, ok := originals[r.PostID]
		if !ok {
			p, ok = s.posts[r.PostID]
		}
		if ok {
			byFeed[r.FeedID] = append(byFeed[r.FeedID], placed{p, r.Carried || p.missedBefore(d.Edition), r.Listed})
		}
	}
	headings := make([]heading, 0, len(byFeed))
	for feed, posts := range byFeed {
		own := settings[feed]
		h := s.headingFor(feed, own, d.Grouping)
		order(&h.section, posts)
		if !whole {
			keepMost(&h.section, own.Most)
		}
		headings = append(headings, h)
	}
	arrange(headings, d.Folders, otherSites.In(catalogue.Of(d.Language)))
	sections := make([]render.Section, len(headings))
	for i, h := range headings {
		sections[i] = h.section
	}
	return sections, nil
}

// A placed post is one in an edition: with the others, or after them as one of
// an earlier day, because it was missed or because that day's edition could not
// be delivered.
type placed struct {
	*post
	late   bool
	listed bool // as a headline, below the others
}

// order puts the posts of one feed into its section, the late ones last. Where all are listed, so is the section.
func order(s *render.Section, all []placed) {
	slices.SortFunc(all, newestFirst)
	s.Posts = make([]*render.Post, 0, len(all))
	for _, p := range all {
		switch {
		case p.listed:
			s.Rest, s.RestLabel = append(s.Rest, p.Post), render.FromEarlier
		case p.late:
			s.Late++
			fallthrough
		default:
			s.Posts = append(s.Posts, p.Post)
		}
	}
	if len(s.Posts) == 0 {
		s.Posts, s.Rest, s.Late, s.Display = s.Rest, nil, len(s.Rest), digest.Headlines
	}
}

// keepMost leaves so many posts in a section, the first of them; 0: all.
func keepMost(s *render.Section, most int) {
	if most <= 0 || len(s.Posts) <= most {
		return
	}
	s.Beyond = len(s.Posts) - most
	s.Late = max(0, s.Late-s.Beyond)
	s.Posts = s.Posts[:most:most]
}

// newestFirst orders two posts of one feed, late ones last. Of the same instant
// the one stored first comes first: that is the order of its document.
func newestFirst(x, y placed) int {
	if x.late != y.late {
		if x.late {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(y.at(), x.at()), cmp.Compare(x.ID, y.ID))
}

// otherSites is the name above the sections of no folder where those of others stand before them.
const otherSites = catalogue.Key("Other sites")

// arrange puts sections in the order in which they are shown: the one that leads first, then one folder after the
// other as their reader has them, each by the titles of its feeds. others is the name of otherSites.
func arrange(headings []heading, order digest.FolderOrder, others string) {
	places := map[string]int{}
	for _, h := range headings {
		places[h.section.Folder] = 0
	}
	folders := slices.Collect(maps.Keys(places))
	order.Arrange(folders)
	for i, name := range folders {
		places[name] = i
	}
	for i := range headings {
		h := &headings[i]
		h.place = places[h.section.Folder]
		if h.leads {
			h.place = -1
		} else if h.section.Folder == "" && h.place > 0 {
			h.section.Folder = others
		}
	}
	slices.SortFunc(headings, func(x, y heading) int {
		return cmp.Or(cmp.Compare(x.place, y.place), digest.CompareNames(x.section.Title, y.section.Title),
			cmp.Compare(x.feed, y.feed))
	})
}
