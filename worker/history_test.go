package worker_test

import (
	"cmp"
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
	index                         int  // its position in the document, from 1
	old                           bool // is in the archive: no reader must see it
}

// number returns which post of a blog it is.
func (it *item) number() (n int) {
	fmt.Sscanf(it.name, "q%d", &n)
	return n - 1000
}

// A history is a publisher's documents at each midnight, from the day on which its reader subscribes (day
// 0). The reader must see each later post once, on the day on which it is first listed. They must not see
// posts of day 0 on a later day.
type history struct {
	name string
	at   func(day int) []item

	ping    func(day int) []item // at noon before that midnight; nil: no poll
	days    int                  // number of days; 0: historyDays
	atom    int                  // the day from which on the document is Atom; 0: it is always RSS
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
		name: slug, guid: "https://blog.example/?p=" + slug[1:], link: "https://blog.example/2026/" + slug + "/",
		title: "All about " + slug,
		text: "<p>Of " + slug +
			" there is a good deal to be said, and all of it is said here, in a text of some length.</p>",
		at: midnightOf(n).Add(-15*time.Hour + 16*time.Minute),
	}
}

// blog returns the newest posts of a blog, the newest first.
func blog(newest, size int) []item {
	items := make([]item, size)
	for i := range items {
		items[i] = posted(newest - i)
		items[i].index = i + 1
	}
	return items
}

func document(items []item, atom bool) string {
	begin, end := `<rss version="2.0"><channel><title>Blog</title><link>https://blog.example/</link>`,
		`</channel></rss>`
	names, layout := []string{"item", "guid", "title", "pubDate", "description"}, time.RFC1123Z
	if atom {
		begin = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><link href="https://blog.example/"/>`
		end = "</feed>"
		names, layout = []string{"entry", "id", "title", "published", `content type="html"`}, time.RFC3339
	}
	var b strings.Builder
	field := func(name, value string) {
		if value != "" {
			tag, _, _ := strings.Cut(name, " ")
			fmt.Fprintf(&b, "<%s>%s</%s>", name, html.EscapeString(value), tag)
		}
	}
	b.WriteString(begin)
	for _, it := range items {
		b.WriteString("<" + names[0] + ">")
		field(names[1], it.guid)
		if atom {
			fmt.Fprintf(&b, `<link href="%s"/>`, html.EscapeString(it.link))
		} else {
			field("link", it.link)
		}
		field(names[2], it.title)
		if !it.at.IsZero() {
			field(names[3], it.at.Format(layout))
		}
		field(names[4], it.text)
		b.WriteString("</" + names[0] + ">")
	}
	return b.String() + end
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
			p.days = cmp.Or(p.days, historyDays)
			days = max(days, p.days)
			host := fmt.Sprintf("h%d.example", i)
			var err error
			p.feed, _, err = st.Feeds.EnsureFeed(t.Context(), digest.Feed{URL: "https://" + host + "/feed", Host: host})
			ok(t, err)
			_, p.reader, err = st.Readers.AddUser(t.Context(), fmt.Sprintf("r%d@example.org", i), "UTC", midnightOf(-1))
			ok(t, err)
			_, err = st.Subscriptions.Subscribe(t.Context(),
				digest.Subscription{DigestID: p.reader.ID, FeedID: p.feed.ID}, midnightOf(-1))
			ok(t, err)
			all = append(all, p)
		}
		for day := range days {
			now := midnightOf(day)
			pollHistories(t, st, all, day, now.Add(-12*time.Hour),
				func(p *publisher) func(int) []item { return p.ping })
			pollHistories(t, st, all, day, now, func(p *publisher) func(int) []item { return p.at })
			_, err := st.Feeds.Plan(t.Context(), now, noPoll)
			ok(t, err)
			_, err = st.Editions.Release(t.Context(), now, 30*time.Minute)
			ok(t, err)
		}
		for _, p := range all {
			t.Run(p.name, func(t *testing.T) { p.judge(t, st) })
		}
	})
}

// noPoll plans no poll for a midnight.
func noPoll(digest.Feed, time.Time) (at time.Time, ok bool) { return at, false }

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
		ok(t, err)
		doc, err := feed.Parse([]byte(document(items, p.atom > 0 && day >= p.atom)), "", was.URL)
		if err != nil {
			t.Fatalf("%s, day %d: %v", p.name, day, err)
		}
		res := poller.Result{Feed: was, Outcome: poller.Changed, Document: doc, Address: was.URL}
		if res.Feed.LastModified = ""; p.dated {
			res.Feed.LastModified = now.Format(http.TimeFormat)
		}
		res.Feed.LastAttemptAt, res.Feed.LastOKAt, res.Feed.ParsedAt = now, now, now
		polled, err := worker.PrepareRecord(t.Context(), st, was, res, now)
		ok(t, err)
		polls = append(polls, polled)
	}
	_, err := st.Feeds.Record(t.Context(), now, polls)
	ok(t, err)
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
	ok(t, err)
	seen := map[string][]int{}
	for _, e := range slices.Backward(editions) {
		refs, err := st.Editions.EditionPosts(t.Context(), []digest.Delivery{{Edition: e}})
		ok(t, err)
		var ids []digest.PostID
		for _, r := range refs[e.ID] {
			if !r.Carried { // nothing is mailed here, so each edition also has the earlier ones
				ids = append(ids, r.PostID)
			}
		}
		posts, err := st.Editions.Posts(t.Context(), ids)
		ok(t, err)
		for _, post := range posts {
			name := itemName.FindString(post.Title + " " + post.Content)
			seen[name] = append(seen[name], int(e.DueAt.Sub(midnightOf(0)).Round(time.Hour)/(24*time.Hour)))
		}
	}
	return seen
}
