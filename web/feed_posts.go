package web

import (
	"math"
	"net/http"

	"digest"
	"digest/store"
	"digest/web/page"
)

const feedPosts = 50

// A feedPostsPage lists all posts of a feed that the reader received, newest first.
type feedPostsPage struct {
	Title  string
	Path   string        // path of the feed's page; "" if the reader has unsubscribed
	Again  digest.FeedID // feed to subscribe to again; 0 if that is not possible
	Posts  []store.DeliveredPost
	First  bool
	Older  string // address of the next page; "" on the last page
	Newest string // address of the first page
}

// feedPostsPage also works for feeds from which the reader has unsubscribed.
func (s *site) feedPostsPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	id, err := page.PathKey(r)
	if err != nil {
		return err
	}
	at, post, ok := placeIn(r)
	if !ok {
		return page.ErrNotFound
	}
	below := store.DeliveredKey{DueAt: at, Post: post}
	if at.IsZero() {
		below = store.DeliveredKey{DueAt: s.Now(), Post: math.MaxInt64}
	}
	if s.Now().Before(below.DueAt) {
		return page.ErrNotFound // a future key would reveal hidden posts (I2)
	}
	p := feedPostsPage{First: at.IsZero(), Newest: feedPath(digest.FeedID(id)) + "/posts"}
	sub, err := s.Store.Subscriptions.SubscriptionSince(r.Context(), me.Digest.ID, digest.FeedID(id))
	switch {
	case err == nil:
		p.Title, p.Path, id = page.Shortened(titleOf(sub)), feedPath(sub.Feed.ID), int64(sub.Feed.ID)
	case digest.KindOf(err) != digest.NotFound:
		return err
	}
	p.Posts, err = s.Store.Posts.DeliveredBefore(r.Context(), me.Digest.ID, digest.FeedID(id), below, feedPosts+1)
	if err != nil {
		return err
	}
	if p.Path == "" {
		if err := s.describeFeedLeft(r, &p, digest.FeedID(id)); err != nil {
			return err
		}
	}
	if len(p.Posts) > feedPosts {
		p.Posts = p.Posts[:feedPosts]
		last := p.Posts[feedPosts-1]
		p.Older = p.Newest + "?after=" + place(last.DueAt, last.PostID)
	}
	p.Posts = withShownTitles(p.Posts)
	return s.ShowPage(w, r, nil, "feed_posts", p.Title, p)
}

// withShownTitles shortens titles and removes control characters for text direction.
func withShownTitles(posts []store.DeliveredPost) []store.DeliveredPost {
	for i := range posts {
		posts[i].Title = page.Shortened(posts[i].Title)
	}
	return posts
}

// describeFeedLeft names a feed from which the reader has unsubscribed. It returns ErrNotFound if
// the reader never received a post of it.
func (s *site) describeFeedLeft(r *http.Request, p *feedPostsPage, id digest.FeedID) error {
	if len(p.Posts) == 0 {
		return page.ErrNotFound
	}
	f, err := s.Store.Feeds.Feed(r.Context(), id)
	if err != nil {
		return err
	}
	p.Title = page.Shortened(feedTitle(f.Feed))
	if !digest.IsPrivate(f.URL) {
		p.Again = id
	}
	return nil
}
