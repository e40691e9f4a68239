package edition

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"time"

	"digest"
	"digest/render"
)

// An article is a rendered post and what it is ordered by.
type article struct {
	id    digest.PostID
	at    int64 // when it was published, else first seen: Unix seconds
	block *render.Block
}

// A stock is what pages are put together from.
type stock struct {
	articles map[digest.PostID]article
	sources  map[digest.FeedID]digest.Source
}

// cached gives the stock for sealed editions, whose posts never change again.
func (b *Builder) cached(ctx context.Context, due time.Time, refs map[digest.EditionID][]digest.PostRef) (stock, error) {
	s := stock{map[digest.PostID]article{}, map[digest.FeedID]digest.Source{}}
	posts, feeds := b.cache.take(s, due, refs)
	if err := b.load(ctx, s, posts, feeds); err != nil {
		return stock{}, err
	}
	b.cache.keep(s, posts, feeds)
	return s, nil
}

// fresh gives the stock for posts that may still change.
func (b *Builder) fresh(ctx context.Context, refs []digest.PostRef) (stock, error) {
	s := stock{map[digest.PostID]article{}, map[digest.FeedID]digest.Source{}}
	var posts []digest.PostID
	var feeds []digest.FeedID
	for _, r := range refs {
		posts, feeds = append(posts, r.PostID), append(feeds, r.FeedID)
	}
	slices.Sort(feeds)
	return s, b.load(ctx, s, posts, slices.Compact(feeds))
}

// load adds posts and feeds from the store to s.
func (b *Builder) load(ctx context.Context, s stock, posts []digest.PostID, feeds []digest.FeedID) error {
	if len(feeds) > 0 {
		sources, err := b.store.Sources(ctx, feeds)
		if err != nil {
			return fmt.Errorf("reading %d feeds' titles: %w", len(feeds), err)
		}
		for _, src := range sources {
			s.sources[src.FeedID] = src
		}
	}
	if len(posts) == 0 {
		return nil
	}
	found, err := b.store.Posts(ctx, posts)
	if err != nil {
		return fmt.Errorf("reading %d posts: %w", len(posts), err)
	}
	for _, p := range found {
		if p.Language == "" {
			p.Language = s.sources[p.FeedID].Language
		}
		s.articles[p.ID] = article{p.ID, moment(p).Unix(), render.NewBlock(p)}
	}
	return nil
}

func moment(p digest.Post) time.Time {
	if p.PublishedAt.IsZero() {
		return p.SeenAt
	}
	return p.PublishedAt
}

// sites puts one reader's posts in order. Posts that were pruned are left out.
func (s stock) sites(refs []digest.PostRef, own map[digest.FeedID]string) []render.Site {
	refs = slices.Clone(refs)
	slices.SortFunc(refs, func(x, y digest.PostRef) int {
		return cmp.Or(cmp.Compare(x.FeedID, y.FeedID), newestFirst(s.articles[x.PostID], s.articles[y.PostID]))
	})
	var sites []keyed
	for len(refs) > 0 {
		feed := refs[0].FeedID
		n := slices.IndexFunc(refs, func(r digest.PostRef) bool { return r.FeedID != feed })
		if n < 0 {
			n = len(refs)
		}
		if site := s.site(feed, refs[:n], own[feed]); len(site.Blocks) > 0 {
			sites = append(sites, keyed{strings.ToLower(site.Title), site})
		}
		refs = refs[n:]
	}
	slices.SortStableFunc(sites, func(x, y keyed) int { return strings.Compare(x.key, y.key) })
	out := make([]render.Site, len(sites))
	for i, k := range sites {
		out[i] = k.Site
	}
	return out
}

type keyed struct {
	key string
	render.Site
}

// newestFirst orders two posts of one feed. Of the same instant the one stored
// first comes first: that is the order of its document.
func newestFirst(x, y article) int {
	return cmp.Or(cmp.Compare(y.at, x.at), cmp.Compare(x.id, y.id))
}

func (s stock) site(feed digest.FeedID, refs []digest.PostRef, own string) render.Site {
	src := s.sources[feed]
	site := render.Site{Title: src.Title, URL: src.SiteURL, Language: src.Language, Blocks: make([]*render.Block, 0, len(refs))}
	if own != "" {
		site.Title, site.Language = own, ""
	}
	for _, r := range refs {
		if a := s.articles[r.PostID]; a.block != nil {
			site.Blocks = append(site.Blocks, a.block)
		}
	}
	return site
}
