package edition

import (
	"context"
	"fmt"
	"slices"

	"digest"
	"digest/render"
)

// leadRounds is the number of sections that Leads tries for each edition, because posts of a sealed edition may be
// deleted.
const leadRounds = 3

// A leadSearch is an edition with the sections that may contain its first post, in order.
type leadSearch struct {
	digest.Delivery
	sections []heading
	posts    map[digest.FeedID][]digest.PostRef
}

// Leads returns the first post of each edition, by edition. The map omits editions whose posts are deleted. Leads reads
// only the posts of first sections. It ignores copies, because a copy has the content of its original. It makes six
// requests to the store for any number of editions, and two more where first sections are deleted.
func (b *Builder) Leads(ctx context.Context, ds []digest.Delivery) (map[digest.EditionID]*render.Post, error) {
	all, err := b.leadSearches(ctx, ds)
	leads := make(map[digest.EditionID]*render.Post, len(ds))
	for round := 0; round < leadRounds && len(all) > 0 && err == nil; round++ {
		var found map[digest.PostID]digest.Post
		if found, err = b.postsOfFirst(ctx, all); err != nil {
			break
		}
		all = slices.DeleteFunc(all, func(l *leadSearch) bool {
			first := l.sections[0]
			if p, ok := l.newest(found); ok {
				p.SiteURL = first.section.URL
				if p.Language == "" {
					p.Language = first.language
				}
				leads[l.ID] = b.render.Brief(p)
				return true
			}
			l.sections = l.sections[1:]
			return len(l.sections) == 0
		})
	}
	return leads, err
}

func (b *Builder) leadSearches(ctx context.Context, ds []digest.Delivery) ([]*leadSearch, error) {
	if len(ds) == 0 {
		return nil, nil
	}
	refs, err := b.Store.EditionPosts(ctx, ds)
	if err != nil {
		return nil, fmt.Errorf("reading the posts of %d editions: %w", len(ds), err)
	}
	settings, err := b.Store.SubscriptionSettings(ctx, digestsOf(ds))
	if err != nil {
		return nil, fmt.Errorf("reading readers' settings: %w", err)
	}
	s, want := newShared(b.render, new(judged)), newMissing()
	for _, list := range refs {
		for _, ref := range list {
			want.feeds[ref.FeedID] = true
		}
	}
	if err := b.load(ctx, s, want); err != nil {
		return nil, err
	}
	var all []*leadSearch
	for _, d := range ds {
		l := &leadSearch{Delivery: d, posts: map[digest.FeedID][]digest.PostRef{}}
		for _, ref := range refs[d.ID] {
			if l.posts[ref.FeedID] == nil {
				l.sections = append(l.sections, s.headingFor(ref.FeedID, settings[d.DigestID][ref.FeedID], d.Grouping))
			}
			l.posts[ref.FeedID] = append(l.posts[ref.FeedID], ref)
		}
		if arrange(l.sections, d.Folders, string(otherSites)); len(l.sections) > 0 {
			l.leadFirst()
			all = append(all, l)
		}
	}
	return all, nil
}

// leadFirst puts the section of the post that led the edition first, unless the reader has chosen another site.
func (l *leadSearch) leadFirst() {
	for i, s := range l.sections {
		if !l.sections[0].leads && slices.ContainsFunc(l.posts[s.feed], l.led) {
			l.sections = slices.Insert(slices.Delete(l.sections, i, i+1), 0, s)
			return
		}
	}
}

func (l *leadSearch) led(ref digest.PostRef) bool { return ref.PostID == l.Lead }

func (b *Builder) postsOfFirst(ctx context.Context, all []*leadSearch) (map[digest.PostID]digest.Post, error) {
	var ids []digest.PostID
	for _, l := range all {
		for _, ref := range l.posts[l.sections[0].feed] {
			ids = append(ids, ref.PostID)
		}
	}
	slices.Sort(ids)
	posts, err := b.Store.Posts(ctx, slices.Compact(ids))
	if err != nil {
		return nil, fmt.Errorf("reading the first posts of %d editions: %w", len(all), err)
	}
	found := make(map[digest.PostID]digest.Post, len(posts))
	for _, p := range posts {
		found[p.ID] = p
	}
	return found, nil
}

// newest returns the post that led the edition, or else the first post of the first section, or false if all its posts
// are deleted.
func (l *leadSearch) newest(found map[digest.PostID]digest.Post) (digest.Post, bool) {
	if p, ok := found[l.Lead]; ok && p.FeedID == l.sections[0].feed {
		return p, true
	}
	var there []placed
	for _, ref := range l.posts[l.sections[0].feed] {
		if p, ok := found[ref.PostID]; ok {
			one := &post{Post: &render.Post{ID: p.ID}, published: seconds(p.PublishedAt), seen: seconds(p.SeenAt),
				before: seconds(p.ReadBefore)}
			there = append(there, placed{one, ref.Carried || one.missedBefore(l.Edition), ref.Listed})
		}
	}
	if len(there) == 0 {
		return digest.Post{}, false
	}
	return found[slices.MinFunc(there, newestFirst).ID], true
}
