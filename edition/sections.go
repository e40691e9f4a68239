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
	"digest/newsletter"
	"digest/render"
)

// A post is a rendered post with the data that determines its position. All editions share it and it never changes.
// Times are Unix seconds.
type post struct {
	*render.Post
	published int64 // 0 if it has no date
	seen      int64
	before    int64 // time of the previous poll of its feed; 0 if none
	keys      keys  // keys that find its copies
	story     story
}

// at returns the time of publication, or else the time at which the poller first saw the post.
func (p *post) at() int64 { return cmp.Or(p.published, p.seen) }

// missedBefore reports whether p belongs to an edition before e, but arrived late because its feed had failed. It is
// false for a digest's first edition.
func (p *post) missedBefore(e digest.Edition) bool {
	if e.PrevDueAt.IsZero() || p.published == 0 || p.before == 0 {
		return false
	}
	due := e.PrevDueAt.Unix()
	return p.published < due && p.before < due && p.seen > e.PrevReleasedAt.Unix()
}

// A heading is a feed with the rendered heading of its section.
type heading struct {
	section  render.Section
	feed     digest.FeedID
	leads    bool
	place    int         // position of its folder in the edition
	language string      // default language of the feed's posts
	at       []time.Time // of the section's posts
}

func newHeading(r *render.Renderer, feed digest.FeedID, title, url, language string) heading {
	s := r.Section(title, url, language)
	return heading{section: s, feed: feed, language: language}
}

// shared is the content that editions in the same colours share. It omits deleted posts and feeds.
type shared struct {
	render   *render.Renderer
	posts    map[digest.PostID]*post
	headings map[digest.FeedID]heading
	judged   *judged // verdicts about copies
}

func newShared(r *render.Renderer, j *judged) shared {
	return shared{r, map[digest.PostID]*post{}, map[digest.FeedID]heading{}, j}
}

// cached returns the content of sealed editions from the cache or the store. Their posts never change.
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

// renderersOf returns the renderer of each edition, with the colours of its newsletter, and counting links if the
// newsletter counts clicks.
func (b *Builder) renderersOf(ds []digest.Delivery) []*render.Renderer {
	all := make([]*render.Renderer, len(ds))
	for i, d := range ds {
		all[i] = b.render.In(coloursOf(d)).Speaking(d.Language)
		if n := d.Newsletter; n != nil && n.CountClicks {
			all[i] = all[i].Counting(fmt.Sprint(n.ID), func(post digest.PostID, url string) string {
				return b.BaseURL + newsletter.Click{Newsletter: n.ID, Post: post, URL: url}.Path(b.Signer)
			})
		}
	}
	return all
}

// coloursOf returns the colours of an edition's newsletter, or the zero value for a reader's own digest.
func coloursOf(d digest.Delivery) (c digest.Colours) {
	if d.Newsletter != nil {
		c = d.Newsletter.Colours
	}
	return c
}

// fresh returns the content of posts that may still change. It bypasses the cache.
func (b *Builder) fresh(ctx context.Context, r *render.Renderer, refs []digest.PostRef) (shared, error) {
	s, want := newShared(r, new(judged)), newMissing()
	for _, ref := range refs {
		want.posts[ref.PostID], want.feeds[ref.FeedID] = true, true
	}
	return s, b.load(ctx, s, want)
}

func (b *Builder) load(ctx context.Context, s shared, want missing) error {
	if len(want.feeds) > 0 {
		labels, err := b.Store.FeedLabels(ctx, slices.Sorted(maps.Keys(want.feeds)))
		if err != nil {
			return fmt.Errorf("reading the titles of %d feeds: %w", len(want.feeds), err)
		}
		for _, l := range labels {
			s.headings[l.FeedID] = newHeading(s.render, l.FeedID, render.ShortName(l.Title), l.SiteURL, l.Language)
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
		p.SiteURL, p.SiteTitle = s.headings[p.FeedID].section.URL, s.headings[p.FeedID].section.Title
		rendered := s.render.Brief
		if want.posts[p.ID] {
			rendered = s.render.Post
		}
		shown := rendered(p)
		s.posts[p.ID] = &post{shown, seconds(p.PublishedAt), seconds(p.SeenAt), seconds(p.ReadBefore), b.seed.of(p),
			storyOf(p, shown.Words)}
	}
	return nil
}

func seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// headingFor returns the heading of a feed with the reader's title, display and folder.
func (s shared) headingFor(feed digest.FeedID, own digest.Subscription, g digest.Grouping) heading {
	h, known := s.headings[feed]
	if !known || own.Title != "" {
		h = newHeading(s.render, feed, own.Title, h.section.URL, "")
	}
	h.section.Display, h.section.Folder, h.section.Feed, h.leads = own.Display, own.Folder, feed, own.Leads
	if h.leads || g == digest.BySites { // a leading site comes before all folders
		h.section.Folder = ""
	}
	return h
}

// sections returns the sections of one edition in order, with the reader's settings for each feed, and the post that
// leads. zone is the reader's; only editions of several days need it. It shows copies once. Unless whole is set, it
// applies the reader's limit of posts for each feed.
func (b *Builder) sections(ctx context.Context, s shared, refs []digest.PostRef,
	settings map[digest.FeedID]digest.Subscription, d digest.Delivery, f front, zone *time.Location, whole bool) (
	arranged, error) {
	all := refs
	refs, originals, left, err := b.once(ctx, s, refs, !whole && isRanked(&d))
	if err != nil {
		return arranged{}, err
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
	headings, days, long := make([]heading, 0, len(byFeed)), map[digest.PostID]catalogue.Moment{}, isLong(&d)
	for feed, posts := range byFeed {
		own := settings[feed]
		h := s.headingFor(feed, own, d.Grouping)
		order(&h.section, posts)
		h.section.Weekly = isRolledUp(own, d.Edition)
		for _, p := range posts {
			h.at = append(h.at, time.Unix(p.at(), 0))
			if long && zone != nil && !p.late {
				days[p.ID] = dayOf(p.post, &d, zone)
			}
		}
		f.fold(&h, &d, own, whole)
		if !whole {
			keepMost(&h.section, own.Most)
		}
		headings = append(headings, h)
	}
	arrange(headings, d.Folders, otherSites.In(catalogue.Of(d.Language)))
	a := f.arrange(headings, &d, whole)
	a.days, a.copies = days, s.copies(all, left, settings)
	return a, nil
}

// copies returns the posts that are left out in favour of others.
func (s shared) copies(refs []digest.PostRef, left map[digest.PostID]digest.PostID,
	settings map[digest.FeedID]digest.Subscription) (all []render.Copy) {
	for _, r := range refs {
		if shown, is := left[r.PostID]; is {
			title := cmp.Or(settings[r.FeedID].Title, s.headings[r.FeedID].section.Title)
			all = append(all, render.Copy{Post: s.posts[r.PostID].Post, Site: title, Shown: shown})
		}
	}
	slices.SortFunc(all, func(x, y render.Copy) int { return cmp.Compare(x.ID, y.ID) })
	return all
}

// A placed post is a post with its position in an edition. A late post comes after the others: its feed failed, or the
// edition of its day could not be delivered.
type placed struct {
	*post
	late   bool
	listed bool // shown as a headline below the others
}

// order adds the posts of one feed to its section, late ones last. If all posts are listed, the section shows
// headlines.
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

// keepMost limits a section to its first posts; 0 means no limit.
func keepMost(s *render.Section, most int) {
	if most <= 0 || len(s.Posts) <= most {
		return
	}
	s.Beyond = len(s.Posts) - most
	s.Late = max(0, s.Late-s.Beyond)
	s.Posts = s.Posts[:most:most]
}

// newestFirst compares two posts of one feed. Late posts come last. Posts of the same instant keep the order of the
// feed.
func newestFirst(x, y placed) int {
	if x.late != y.late {
		if x.late {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(y.at(), x.at()), cmp.Compare(x.ID, y.ID))
}

// otherSites is the heading of sites without a folder that come after a folder.
const otherSites = catalogue.Key("Other sites")

// arrange sorts sections: the leading site first, then by folder in the reader's order, then by title. others is the
// translation of otherSites.
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
