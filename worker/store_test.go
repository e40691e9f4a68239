package worker_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/feed"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
	"digest/worker"
)

// TestIntakeOfALongDocument holds that a document of 501 posts stays windowed after one is deleted, because
// its oldest post was never read.
func TestIntakeOfALongDocument(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		for n, want := range map[int]bool{feed.MaxPosts - 1: false, feed.MaxPosts: true, feed.MaxPosts + 1: true} {
			var items strings.Builder
			for i := range n {
				fmt.Fprintf(&items, "<item><title>%d</title><guid>%d</guid></item>", i, i)
			}
			doc, err := feed.Parse([]byte(`<rss version="2.0"><channel><title>S</title>`+
				items.String()+`</channel></rss>`), "", "http://example.org/")
			if err != nil {
				t.Fatal(err)
			}
			res := poller.Result{Feed: digest.Feed{ID: 1}, Outcome: poller.Changed, Document: doc}
			polled, err := worker.PrepareRecord(t.Context(), st, digest.Feed{}, res,
				time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC))
			if err != nil {
				t.Fatal(err)
			}
			if doc.Shortened = true; !want {
				short, err := worker.PrepareRecord(t.Context(), st, digest.Feed{}, res,
					time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC))
				if err != nil || !short.Windowed {
					t.Errorf("a document of which a part was read counts as whole: %v", err)
				}
			}
			if polled.Windowed != want || len(polled.Listed) != min(n, feed.MaxPosts) {
				t.Errorf("of %d entries %d are listed, windowed: %t", n, len(polled.Listed), polled.Windowed)
			}
		}
	})
}

// TestOneGUIDTwice has a document that uses one GUID twice, for two posts or for one. Each post comes once,
// whichever is first, whatever is edited, and whichever disappears.
func TestOneGUIDTwice(t *testing.T) {
	const (
		a, edited = "A|/a|09:00", "A edited|/a|09:00"
		b, later  = "B|/b|15:00", "B edited|/b|15:00"
		noLink    = "A||09:00"
		noLink2   = "A edited||09:00"
		other     = "B||15:00"
	)
	for name, days := range map[string][][]string{
		"a new post shares it":              {{a}, {b, a}, {b, a}, {b}},
		"the new post stands last":          {{a}, {a, b}, {a, b}, {b}},
		"the earlier one is edited with it": {{a}, {b, edited}, {b, edited}, {later}},
		"edited, and last":                  {{a}, {edited, b}, {edited, later}, {later}},
		"edited as it has the GUID alone":   {{a}, {b, a}, {edited}, {edited, b}},
		"now and then":                      {{a}, {b, a}, {a}, {b, edited}, {edited}, {later, edited}},
		"the same post twice":               {{a}, {a, a}, {b, a, a}, {a}},
		"as it was and edited":              {{a}, {edited, a}, {a, edited}, {edited}, {b, edited, a}},
		"without addresses":                 {{noLink}, {other, noLink2}, {noLink2, other}, {noLink2}},
		"from the first day on":             {{b, a}, {edited, b}, {edited}, {later}},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, st *store.Store) {
				s := newSite(t)
				h := newHouse(t, st, "2026-11-18 10:00")
				show := func(items []string) {
					s.mu.Lock()
					defer s.mu.Unlock()
					s.posts = nil
					for _, item := range items {
						part := strings.Split(item, "|")
						link := ""
						if part[1] != "" {
							link = "<link>http://example.org" + part[1] + "</link>"
						}
						s.posts = append(s.posts,
							fmt.Sprintf("<item><title>%s</title><guid isPermaLink='false'>g</guid>%s<pubDate>Wed, 18 Nov 2026 %s:00 +0000</pubDate></item>", part[0], link, part[2]))
					}
					s.extra = fmt.Sprintf("<!-- %v -->", items)
				}
				show(days[0])
				h.reader("ann@example.org", "UTC", s)
				midnight := time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC)
				for i, items := range days {
					show(items)
					h.run(midnight.AddDate(0, 0, i))
				}
				files, err := filepath.Glob(filepath.Join(h.mail, "new", "*"))
				if err != nil {
					t.Fatal(err)
				}
				shown := map[string]int{}
				for _, file := range files {
					content, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					mail := unfold(string(content))
					for _, title := range []string{"A", "B"} {
						for _, version := range []string{title, title + " edited"} {
							if strings.Contains(mail, ">"+version+"<") {
								shown[title]++
							}
						}
					}
				}
				want := map[string]int{}
				for _, items := range days {
					for _, item := range items {
						want[item[:1]] = 1
					}
				}
				if !maps.Equal(shown, want) {
					t.Errorf("shown %v, want %v", shown, want)
				}
			})
		})
	}
}
