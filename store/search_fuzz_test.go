package store_test

import (
	"testing"

	"digest"
	"digest/internal/textsearch"
	"digest/store"
	"digest/store/storetest"
)

// No query and no text is an error of either database, and both find the same.
func FuzzSearch(f *testing.F) {
	for _, seed := range []string{
		`foo "bar baz" -qux`, `' OR 1=1 --`, `a* NEAR(b) ^c {d}:e`, `foo & !bar | (baz) <-> :*`, "東京都 -京",
		`\'; DROP TABLE posts; --`, "ไทย \x00 \xff",
		"content OR NOT", "n\u0303 ½ ﷺ ｶﾞ", "-- /* */ $1 ? :x @y", "\uE000 content",
	} {
		f.Add(seed, seed)
	}
	readers := make(map[*store.Store]digest.Digest)
	open := func(s *store.Store) *store.Store {
		_, d, err := s.Readers.AddUser(f.Context(), "ada@example.org", "Europe/Paris", noon)
		if err != nil {
			f.Fatal(err)
		}
		feed, _, err := s.Feeds.EnsureFeed(f.Context(), digest.Feed{URL: "https://f.example/feed", Host: "f.example"})
		if err != nil {
			f.Fatal(err)
		}
		if _, err := s.Subscriptions.Subscribe(f.Context(), digest.Subscription{DigestID: d.ID, FeedID: feed.ID},
			noon); err != nil {
			f.Fatal(err)
		}
		if _, err := s.Feeds.Record(f.Context(), noon,
			[]store.Polled{{Feed: feed, FirstRead: true, Posts: append(many(501), post("a", noon))}}); err != nil {
			f.Fatal(err)
		}
		if _, err := s.Posts.IndexPosts(f.Context(), 1000); err != nil {
			f.Fatal(err)
		}
		if _, err := s.Feeds.Plan(f.Context(), parisMidnight, queueNothing); err != nil {
			f.Fatal(err)
		}
		if _, err := s.Editions.Release(f.Context(), parisMidnight, deadline); err != nil {
			f.Fatal(err)
		}
		readers[s] = d
		return s
	}
	both := []*store.Store{
		open(storetest.Open(f, storetest.SQLite(f))),
		open(storetest.Open(f, storetest.Postgres(f))),
	}
	f.Fuzz(func(t *testing.T, typed, text string) {
		q, err := textsearch.Parse(typed)
		if err != nil {
			return
		}
		var found [2]int
		for i, s := range both {
			if err := s.Exec(t.Context(), `UPDATE posts SET title = 'content', content = ? WHERE identity = 'a'`,
				text); err != nil {
				t.Fatal(err)
			}
			if err := s.Exec(t.Context(),
				`INSERT INTO index_queue (post_id) SELECT id FROM posts WHERE identity = 'a'
					ON CONFLICT DO NOTHING`); err != nil {
				t.Fatal(err)
			}
			if n, err := s.Posts.IndexPosts(t.Context(), 10); n != 1 || err != nil {
				t.Fatalf("%d indexed, %v", n, err)
			}
			result, err := s.Posts.Search(t.Context(), readers[s].UserID,
				store.SearchQuery{Query: q, Now: parisMidnight, Limit: 10})
			if err != nil {
				t.Fatalf("%q: %v", typed, err)
			}
			found[i] = len(result.Posts)
		}
		if found[0] != found[1] {
			t.Errorf("%q in %q: SQLite finds %d, PostgreSQL %d", typed, text, found[0], found[1])
		}
	})
}
