package worker_test

import (
	"fmt"
	"maps"
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

// An intake reads documents of one feed and prepares what is stored of them.
type intake struct {
	t    *testing.T
	st   *store.Store
	feed digest.Feed
	now  time.Time
}

func newIntake(t *testing.T, st *store.Store) *intake {
	in := &intake{t: t, st: st, now: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)}
	var err error
	in.feed, _, err = st.Feeds.EnsureFeed(t.Context(), digest.Feed{URL: "http://example.org/feed", Host: "example.org",
		State: digest.FeedActive, Schedule: digest.Schedule{LastAttemptAt: in.now, ParsedAt: in.now}})
	ok(t, err)
	return in
}

// prepare reads a document with items.
func (in *intake) prepare(items string, shortened bool) store.Polled {
	in.t.Helper()
	doc, err := feed.Parse([]byte(`<rss version="2.0"><channel><title>S</title><link>http://example.org/blog/</link>`+
		items+`</channel></rss>`), "", in.feed.URL)
	ok(in.t, err)
	doc.Shortened = shortened
	res := poller.Result{Feed: in.feed, Outcome: poller.Changed, Document: doc, Address: in.feed.URL}
	polled, err := worker.PrepareRecord(in.t.Context(), in.st, in.feed, res, in.now)
	ok(in.t, err)
	return polled
}

func (in *intake) record(p store.Polled) {
	in.t.Helper()
	_, err := in.st.Feeds.Record(in.t.Context(), in.now, []store.Polled{p})
	ok(in.t, err)
	in.now = in.now.Add(24 * time.Hour)
}

// TestIntake holds that only new posts are sanitised, and that a post without content appears as soon as it has some.
// A new post ends the silence of a feed, whatever its date.
func TestIntake(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		in := newIntake(t, st)
		const two = `<item><title>a</title><guid>a</guid></item><item><title>b</title><guid>b</guid></item>`
		const old = "<pubDate>Thu, 01 Dec 2022 09:00:00 GMT</pubDate>"
		for _, step := range []struct {
			items         string
			posts, listed int
			news          bool
		}{
			{two, 2, 2, true},
			{two, 0, 2, false},
			{`<item><guid>c</guid><description>&lt;p&gt;&lt;/p&gt;</description></item>` + two, 0, 2, false},
			{`<item><guid>c</guid><description>Now it has words.</description></item>` + two, 1, 3, true},
			{`<item><title>found in a drawer</title><guid>d</guid>` + old + `</item>` + two, 1, 3, true},
		} {
			polled := in.prepare(step.items, false)
			if len(polled.Posts) != step.posts || len(polled.Listed) != step.listed ||
				polled.Feed.NewestAt.Equal(in.now) != step.news {
				t.Errorf("%s: %d posts of %d listed, newest at %v", step.items, len(polled.Posts), len(polled.Listed),
					polled.Feed.NewestAt)
			}
			in.record(polled)
		}
	})
}

// TestIntakeOfALongDocument holds that a document of 501 posts stays windowed after one is deleted, because
// its oldest post was never read.
func TestIntakeOfALongDocument(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		for n, want := range map[int]bool{feed.MaxPosts - 1: false, feed.MaxPosts: true, feed.MaxPosts + 1: true} {
			var items strings.Builder
			for i := range n {
				fmt.Fprintf(&items, "<item><title>%d</title><guid>%d</guid></item>", i, i)
			}
			in := newIntake(t, st)
			polled := in.prepare(items.String(), false)
			if polled.Windowed != want || len(polled.Listed) != min(n, feed.MaxPosts) {
				t.Errorf("of %d entries %d are listed, windowed: %t", n, len(polled.Listed), polled.Windowed)
			}
			if !in.prepare(items.String(), true).Windowed {
				t.Error("a document of which a part was read counts as whole")
			}
		}
	})
}

// TestOneGUIDTwice has a document that uses one GUID twice, for two posts or for one. Each post comes once,
// whichever is first, whatever is edited, and whichever disappears.
func TestOneGUIDTwice(t *testing.T) {
	items := map[string]string{"a": "A|/a|09:00", "a2": "A edited|/a|09:00", "b": "B|/b|15:00",
		"b2": "B edited|/b|15:00", "x": "A||09:00", "x2": "A edited||09:00", "y": "B||15:00"}
	for name, text := range map[string]string{ // the posts of each day
		"a new post shares it":              "a, b a, b a, b",
		"the new post stands last":          "a, a b, a b, b",
		"the earlier one is edited with it": "a, b a2, b a2, b2",
		"edited, and last":                  "a, a2 b, a2 b2, b2",
		"edited as it has the GUID alone":   "a, b a, a2, a2 b",
		"now and then":                      "a, b a, a, b a2, a2, b2 a2",
		"the same post twice":               "a, a a, b a a, a",
		"as it was and edited":              "a, a2 a, a a2, a2, b a2 a",
		"without addresses":                 "x, y x2, x2 y, x2",
		"from the first day on":             "b a, a2 b, a2, b2",
	} {
		days := strings.Split(text, ", ")
		t.Run(name, func(t *testing.T) {
			eachEmptyHouse(t, "2026-11-18 10:00", func(t *testing.T, h *house) {
				s, want := newSite(t), map[string]int{}
				show := func(day string) {
					s.posts, s.extra = nil, "<!-- "+day+" -->"
					for item := range strings.FieldsSeq(day) {
						part := strings.Split(items[item], "|")
						if part[1] != "" {
							part[1] = "<link>http://example.org" + part[1] + "</link>"
						}
						s.posts = append(s.posts, fmt.Sprintf(
							`<item><title>%s</title><guid isPermaLink='false'>g</guid>%s`+
								`<pubDate>Wed, 18 Nov 2026 %s:00 +0000</pubDate></item>`, part[0], part[1], part[2]))
						want[part[0][:1]] = 1
					}
				}
				show(days[0])
				h.reader("ann@example.org", "UTC", s)
				for i, day := range days {
					show(day)
					h.midnights(19 + i)
				}
				shown := map[string]int{}
				for _, mail := range h.letters() {
					for _, title := range []string{"A", "A edited", "B", "B edited"} {
						if strings.Contains(mail, ">"+title+"<") {
							shown[title[:1]]++
						}
					}
				}
				if !maps.Equal(shown, want) {
					t.Errorf("shown %v, want %v", shown, want)
				}
			})
		})
	}
}
