package edition

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/render"
)

// An article is a rendered post with what decides its place, shared by all
// editions and never changed. Times are Unix seconds.
type article struct {
	id        digest.PostID
	published int64 // 0: it has no date
	seen      int64
	before    int64 // when its feed had last been read before that; 0: never
	block     *render.Post
}

// at is when it was published, else first seen.
func (a *article) at() int64 { return cmp.Or(a.published, a.seen) }

// A midnight is the one before an edition's own: when it was due, and when its
// posts were released. The zero one never was: an edition is the first.
type midnight struct {
	due, released time.Time
}

// missed reports whether a belonged to an edition up to m, but came too late
// for it: its feed could not be read when it was time.
func (m midnight) missed(a *article) bool {
	if m.due.IsZero() || a.published == 0 || a.before == 0 {
		return false
	}
	due := m.due.Unix()
	return a.published < due && a.before < due && a.seen > m.released.Unix()
}

// An outlet is a feed with its headings rendered.
type outlet struct {
	site     render.Section // without posts
	feed     digest.FeedID
	key      string // that sites are ordered by
	language string // that the feed names, for its posts
}

func newOutlet(feed digest.FeedID, title, url, language string) outlet {
	site := render.NewSection(title, url, language)
	return outlet{site, feed, strings.ToLower(site.Title), language}
}

// A stock is what pages are put together from. What the store no longer has
// stays out of it.
type stock struct {
	articles map[digest.PostID]*article
	outlets  map[digest.FeedID]outlet
}

func newStock() stock {
	return stock{map[digest.PostID]*article{}, map[digest.FeedID]outlet{}}
}

// cached gives the stock for sealed editions, whose posts never change again.
func (b *Builder) cached(ctx context.Context, due time.Time, refs map[digest.EditionID][]digest.PostRef) (stock, error) {
	s := newStock()
	missing := b.cache.take(s, due, refs)
	if err := b.load(ctx, s, missing); err != nil {
		return stock{}, err
	}
	b.cache.keep(s, missing)
	return s, nil
}

// fresh gives the stock for posts that may still change.
func (b *Builder) fresh(ctx context.Context, refs []digest.PostRef) (stock, error) {
	s := newStock()
	want := missing{map[digest.PostID]bool{}, map[digest.FeedID]bool{}}
	for _, r := range refs {
		want.posts[r.PostID], want.feeds[r.FeedID] = true, true
	}
	return s, b.load(ctx, s, want)
}

// load adds posts and feeds from the store to s.
func (b *Builder) load(ctx context.Context, s stock, want missing) error {
	if len(want.feeds) > 0 {
		sources, err := b.store.FeedLabels(ctx, slices.Sorted(maps.Keys(want.feeds)))
		if err != nil {
			return fmt.Errorf("reading the titles of %d feeds: %w", len(want.feeds), err)
		}
		for _, src := range sources {
			s.outlets[src.FeedID] = newOutlet(src.FeedID, src.Title, src.SiteURL, src.Language)
		}
	}
	if len(want.posts) == 0 {
		return nil
	}
	found, err := b.store.Posts(ctx, slices.Sorted(maps.Keys(want.posts)))
	if err != nil {
		return fmt.Errorf("reading %d posts: %w", len(want.posts), err)
	}
	for _, p := range found {
		if p.Language == "" {
			p.Language = s.outlets[p.FeedID].language
		}
		s.articles[p.ID] = &article{p.ID, seconds(p.PublishedAt), seconds(p.SeenAt), seconds(p.ReadBefore), render.NewPost(p, b.proxied)}
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

// sites puts one reader's posts in order; last is the midnight before theirs.
func (s stock) sites(refs []digest.PostRef, own map[digest.FeedID]digest.Subscription, last midnight) []render.Section {
	bySite := map[digest.FeedID][]placed{}
	for _, r := range refs {
		if a, ok := s.articles[r.PostID]; ok {
			bySite[r.FeedID] = append(bySite[r.FeedID], placed{a, r.Carried || last.missed(a)})
		}
	}
	outlets := make([]outlet, 0, len(bySite))
	for feed, articles := range bySite {
		choice := own[feed]
		o := s.outlet(feed, choice.Title)
		o.site.Display, o.site.Folder = choice.Display, choice.Folder
		o.site.Posts, o.site.Late = order(articles)
		outlets = append(outlets, o)
	}
	slices.SortFunc(outlets, byTitle)
	sites := make([]render.Section, len(outlets))
	for i, o := range outlets {
		sites[i] = o.site
	}
	return sites
}

// outlet is a feed under the reader's own title for it, else its own.
func (s stock) outlet(feed digest.FeedID, own string) outlet {
	o, ok := s.outlets[feed]
	if ok && own == "" {
		return o
	}
	return newOutlet(feed, own, o.site.URL, "")
}

// A placed article is one in an edition: with the others, or after them as one
// of an earlier day, because it was missed or because that day's edition could
// not be delivered.
type placed struct {
	*article
	late bool
}

// order gives the posts of one feed, the late ones last, and how many those are.
func order(articles []placed) (blocks []*render.Post, late int) {
	slices.SortFunc(articles, newestFirst)
	blocks = make([]*render.Post, 0, len(articles))
	for _, a := range articles {
		if !a.late {
			blocks = append(blocks, a.block)
		}
	}
	for _, a := range articles {
		if a.late {
			blocks = append(blocks, a.block)
			late++
		}
	}
	return blocks, late
}

// newestFirst orders two posts of one feed. Of the same instant the one stored
// first comes first: that is the order of its document.
func newestFirst(x, y placed) int {
	return cmp.Or(cmp.Compare(y.at(), x.at()), cmp.Compare(x.id, y.id))
}

func byTitle(x, y outlet) int {
	return cmp.Or(strings.Compare(x.key, y.key), cmp.Compare(x.feed, y.feed))
}
