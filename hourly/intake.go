package hourly

import (
	"context"
	"fmt"
	"time"

	"digest"
	"digest/feed"
	"digest/poller"
	"digest/store"
)

// Intake turns what a poll brought into what is stored of it. Only entries that
// are new, or changed since they were stored, are sanitised: that is most of
// what reading a feed costs.
func Intake(ctx context.Context, st *store.Store, res poller.Result, token string, now time.Time) (store.Polled, error) {
	polled := store.Polled{Feed: res.Feed, Token: token, HostFreeAt: res.HostFreeAt}
	if res.Document == nil {
		return polled, nil
	}
	entries := res.Document.Newest(feed.MaxEntries)
	polled.Listed = identities(entries)
	polled.Windowed = len(res.Document.Entries) >= feed.MaxEntries
	known, err := st.KnownPosts(ctx, res.Feed.ID, polled.Listed)
	if err != nil {
		return polled, fmt.Errorf("comparing %s with what is stored: %w", res.Feed.URL, err)
	}
	polled.Posts = fresh(entries, known, now)
	return polled, nil
}

func identities(entries []feed.Entry) []string {
	all := make([]string, len(entries))
	for i := range entries {
		all[i] = entries[i].Identity
	}
	return all
}

func fresh(entries []feed.Entry, known map[string]string, now time.Time) []digest.Post {
	var posts []digest.Post
	for i := range entries {
		if e := &entries[i]; known[e.Identity] != e.Hash {
			posts = append(posts, e.Post(now))
		}
	}
	return posts
}
