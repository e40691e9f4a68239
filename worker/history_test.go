package worker_test

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/feed"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
	"digest/test/tier"
	"digest/worker"
)

// An item is a post in a document on one day. Its name is a word of the form "q17" in the title or the
// text. The test recognises the post in an edition by its name, whatever else the publisher changes.
type item struct {
	name, guid, link, title, text string
	at                            time.Time
	old                           bool // is in the archive: no reader must see it
}

// A history is a publisher's documents at each midnight, from the day on which its reader subscribes (day
// 0). The reader must see each later post once, on the day on which it is first listed. They must not see
// posts of day 0 on a later day.
type history struct {
	name string
	at   func(day int) []item

	ping    func(day int) []item // at noon before that midnight; nil: no poll
	days    int                  // number of days; 0: historyDays
	atom    func(day int) bool   // the document is Atom; nil: RSS
	dated   bool                 // its server dates each document with the current time
	never   []string             // posts that no reader must see
	anytime []string             // posts that may appear on any day, once
}

const historyDays = 8

var historyBegin = time.Date(2026, 11, 2, 0, 1, 0, 0, time.UTC)

func midnightOf(day int) time.Time { return historyBegin.AddDate(0, 0, day) }

// posted returns the nth post of a blog that publishes at 09:17 each day.
func posted(n int) item {
	slug := fmt.Sprintf("q%d", n+1000)
	return item{
		name: slug, guid: "https://blog.example/?p=" + slug[1:], link: "https://blog.example/2026/" + slug +
			"/", title: "All about " + slug,
		text: "<p>Of " + slug +
			" there is a good deal to be said, and all of it is said here, in a text of some length.</p>",
		at: midnightOf(n).Add(-15*time.Hour + 16*time.Minute),
	}
}

// blog returns the newest posts of a day, the newest first, each changed by edit.
func blog(day, size int, edit func(*item)) []item {
	items := make([]item, 0, size)
	for n := day; n > day-size; n-- {
		it := posted(n)
		if edit != nil {
			edit(&it)
		}
		items = append(items, it)
	}
	return items
}

// from returns edit from day start on, and nil before.
func from(day, start int, edit func(*item)) func(*item) {
	if day < start {
		return nil
	}
	return edit
}

func document(items []item, atom bool) string {
	var b strings.Builder
	b.WriteString(`<rss version="2.0"><channel><title>Blog</title><link>https://blog.example/</link>`)
	if atom {
		b.Reset()
		b.WriteString(
			`<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><link href="https://blog.example/"/>`)
	}
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "<%s>%s</%[1]s>", name, html.EscapeString(value))
		}
	}
	for _, it := range items {
		stamp := func(layout string) string {
			if it.at.IsZero() {
				return ""
			}
			return it.at.Format(layout)
		}
		if atom {
			b.WriteString("<entry>")
			field("id", it.guid)
			fmt.Fprintf(&b, `<link href="%s"/>`, html.EscapeString(it.link))
			field("title", it.title)
			field("published", stamp(time.RFC3339))
			fmt.Fprintf(&b, `<content type="html">%s</content></entry>`, html.EscapeString(it.text))
			continue
		}
		b.WriteString("<item>")
		field("guid", it.guid)
		field("link", it.link)
		field("title", it.title)
		field("pubDate", stamp(time.RFC1123Z))
		field("description", it.text)
		b.WriteString("</item>")
	}
	if atom {
		return b.String() + "</feed>"
	}
	return b.String() + "</channel></rss>"
}

// A publisher is a history in progress, with the reader of its feed.
type publisher struct {
	history
	feed   digest.Feed
	reader digest.Digest
	due    map[string]int // the day on which each post must appear
	old    map[string]bool
}

// TestHistories plays histories of publishers over some days, with the statements that store and release
// posts. It checks the editions of each reader: each post once, none missing, and no old ones.
func TestHistories(t *testing.T) {
	tier.Alone(t)
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		var all []*publisher
		days := 0
		for i, h := range histories() {
			p := &publisher{history: h, due: map[string]int{}, old: map[string]bool{}}
			if p.days == 0 {
				p.days = historyDays
			}
			days = max(days, p.days)
			host := fmt.Sprintf("h%d.example", i)
			var err error
			if p.feed, _, err = st.Feeds.EnsureFeed(t.Context(),
				digest.Feed{URL: "https://" + host + "/feed", Host: host}); err != nil {
				t.Fatal(err)
			}
			if _, p.reader, err = st.Readers.AddUser(t.Context(), fmt.Sprintf("r%d@example.org", i), "UTC",
				midnightOf(-1)); err != nil {
				t.Fatal(err)
			}
			if _, err = st.Subscriptions.Subscribe(t.Context(),
				digest.Subscription{DigestID: p.reader.ID, FeedID: p.feed.ID},
				midnightOf(-1)); err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
		for day := range days {
			pollHistories(t, st, all, day, midnightOf(day).Add(-12*time.Hour),
				func(p *publisher) func(int) []item { return p.ping })
			now := midnightOf(day)
			pollHistories(t, st, all, day, now, func(p *publisher) func(int) []item { return p.at })
			if _, err := st.Feeds.Plan(t.Context(), now, func(digest.Feed, time.Time) (time.Time, bool) {
				return time.Time{},
					false
			}); err != nil {
				t.Fatal(err)
			}
			if _, err := st.Editions.Release(t.Context(), now, 30*time.Minute); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range all {
			t.Run(p.name, func(t *testing.T) { p.judge(t, st) })
		}
	})
}

// pollHistories reads the publishers' documents of an instant and stores their news in one transaction.
func pollHistories(t *testing.T, st *store.Store, all []*publisher, day int, now time.Time,
	which func(*publisher) func(int) []item) {
	t.Helper()
	var polls []store.Polled
	for _, p := range all {
		at := which(p)
		if at == nil || day >= p.days {
			continue
		}
		items := at(day)
		for _, it := range items {
			if _, seen := p.due[it.name]; !seen && !it.old {
				p.due[it.name] = day
			}
			p.old[it.name] = it.old
		}
		was, err := st.Feeds.FeedByURL(t.Context(), p.feed.URL)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := feed.Parse([]byte(document(items, p.atom != nil && p.atom(day))), "", was.URL)
		if err != nil {
			t.Fatalf("%s, day %d: %v", p.name, day, err)
		}
		res := poller.Result{Feed: was, Outcome: poller.Changed, Document: doc, Address: was.URL}
		if res.Feed.LastModified = ""; p.dated {
			res.Feed.LastModified = now.Format(http.TimeFormat)
		}
		res.Feed.LastAttemptAt, res.Feed.LastOKAt, res.Feed.ParsedAt = now, now, now
		polled, err := worker.PrepareRecord(t.Context(), st, was, res, now)
		if err != nil {
			t.Fatal(err)
		}
		polls = append(polls, polled)
	}
	if _, err := st.Feeds.Record(t.Context(), now, polls); err != nil {
		t.Fatal(err)
	}
}

// judge compares the editions of a publisher's reader with the expected ones.
func (p *publisher) judge(t *testing.T, st *store.Store) {
	t.Helper()
	seen := p.seen(t, st)
	var wrong []string
	note := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for _, name := range slices.Sorted(maps.Keys(p.due)) {
		due, on := p.due[name], seen[name]
		switch {
		case slices.Contains(p.never, name):
			if len(on) > 0 {
				note("%s is seen on %v, and never should be", name, on)
			}
		case slices.Contains(p.anytime, name):
			if len(on) != 1 {
				note("%s is seen on %v", name, on)
			}
		case due == 0:
			if len(on) > 1 || len(on) == 1 && on[0] != 0 {
				note("%s, which was there when the reader came, is seen on %v", name, on)
			}
		case len(on) == 0:
			note("%s of day %d is missed", name, due)
		case len(on) > 1 || on[0] != due:
			note("%s of day %d is seen on %v", name, due, on)
		}
	}
	for name, old := range p.old {
		if old && len(seen[name]) > 0 {
			note("%s is old, and seen on %v", name, seen[name])
		}
	}
	if len(wrong) > 0 {
		slices.Sort(wrong)
		t.Errorf("%d wrong:\n%s", len(wrong), strings.Join(wrong[:min(len(wrong), 12)], "\n"))
	}
}

var itemName = regexp.MustCompile(`\bq\d+\b`)

// seen returns the days on which a reader saw each post, by name.
func (p *publisher) seen(t *testing.T, st *store.Store) map[string][]int {
	t.Helper()
	editions, err := st.Editions.Editions(t.Context(), p.reader.ID, 100)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string][]int{}
	for _, e := range slices.Backward(editions) {
		refs, err := st.Editions.EditionPosts(t.Context(), []digest.Delivery{{Edition: e}})
		if err != nil {
			t.Fatal(err)
		}
		var ids []digest.PostID
		for _, r := range refs[e.ID] {
			if !r.Carried { // nothing is mailed here, so each edition also has the earlier ones
				ids = append(ids, r.PostID)
			}
		}
		posts, err := st.Editions.Posts(t.Context(), ids)
		if err != nil {
			t.Fatal(err)
		}
		for _, post := range posts {
			name := itemName.FindString(post.Title + " " + post.Content)
			seen[name] = append(seen[name], int(e.DueAt.Sub(midnightOf(0)).Round(time.Hour)/(24*time.Hour)))
		}
	}
	return seen
}
