package edition_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"digest"
	"digest/edition"
	"digest/feed"
	"digest/store"
	"digest/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// TestOnceOfStored: the rule works on stored posts. Two forgers repeat a post with another text: one repeats a feed
// that is read through another host, the other has a folder on the feed's host. Neither replaces the original. A
// category feed of the host adds only a link to it.
func TestOnceOfStored(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		user, own, err := s.Readers.AddUser(ctx, "ann@example.org", "Europe/Paris", noon(19))
		if err != nil {
			t.Fatal(err)
		}
		const text = "<p>On Sunday we took the old boat out of the harbour for the first time since the storm.</p>"
		for _, arrived := range []struct{ feed, url, title, content string }{
			{"https://forger.example/feed", "https://anna.example/boats", "The boat has sunk", text +
				"<p>Buy our paint.</p>"},
			{"https://burner.example/anna", "https://anna.example/boats", "The old boat", text},
			{"https://host.example/mallory/feed", "https://host.example/bob/1", "The new boat has sunk", text + text},
			{"https://host.example/bob/feed", "https://host.example/bob/1", "The new boat", text},
			{"https://host.example/tag/boats/feed", "https://host.example/bob/1", "The new boat", text},
		} {
			host := feed.Host(arrived.feed)
			f, _, err := s.Feeds.EnsureFeed(ctx, digest.Feed{URL: arrived.feed, Host: host, Domain: feed.Domain(host),
				Title: strings.TrimPrefix(arrived.feed, "https://")})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Subscriptions.Subscribe(ctx, digest.Subscription{DigestID: own.ID, FeedID: f.ID},
				noon(19)); err != nil {
				t.Fatal(err)
			}
			f.ParsedAt, f.LastOKAt = noon(19), noon(19)
			p := digest.Post{Identity: "1", URL: arrived.url, Title: arrived.title, Content: arrived.content,
				SeenAt: noon(19), PublishedAt: noon(19)}
			if _, err := s.Feeds.Record(ctx, noon(19),
				[]store.Polled{{Feed: f, Posts: []digest.Post{p}, Listed: []string{"1"}}}); err != nil {
				t.Fatal(err)
			}
		}
		bld := edition.New(edition.Options{Store: s.Editions, Signer: signer(), BaseURL: "https://digest.example/"})
		page, err := bld.Preview(ctx, own, user)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, section := range page.Sections {
			for _, p := range section.Posts {
				got = append(got, fmt.Sprintf("%s: %s %d", section.Title, p.Title, len(p.Files)))
			}
		}
		slices.Sort(got)
		want := []string{"burner.example/anna: The old boat 0", "forger.example/feed: The boat has sunk 0",
			"host.example/bob/feed: The new boat 1", "host.example/mallory/feed: The new boat has sunk 0"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
