package main

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest/store"
	"digest/store/storetest"
	"digest/test/usage"
)

// TestFill checks the filled data on both databases: the requested number of readers, due at their own zone's
// midnight, and feeds whose sites have nothing new.
func TestFill(t *testing.T) {
	storetest.EachEmpty(t, func(t *testing.T, database string) {
		const readers, each, feeds = 1000, 20, 200
		if err := fill(t.Context(), database, size{readers: readers, each: each, feeds: feeds, port: 80}); err != nil {
			t.Fatal(err)
		}
		db, err := open(database)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for query, want := range map[string][2]int{
			`SELECT count(*) FROM users u JOIN digests d ON d.user_id = u.id`: {readers, readers},
			`SELECT count(*) FROM subscriptions`: {readers * each * 8 / 10,
				readers * each},
			`SELECT MAX(n) FROM (SELECT count(*) AS n FROM subscriptions GROUP BY feed_id) x`: {readers / 10,
				readers / 2},
			`SELECT count(DISTINCT time_zone) FROM users`:     {30, len(zones())},
			`SELECT count(DISTINCT next_due_at) FROM digests`: {20, 30},
			`SELECT MAX(feed_id) FROM subscriptions`:          {feeds / 2, feeds},
			`SELECT MIN(feed_id) FROM subscriptions`:          {1, 1},
			fmt.Sprintf(`SELECT count(*) FROM digests WHERE next_due_at > %d AND next_due_at <= %[1]d + 86400`,
				firstDay().Unix()): {readers, readers},
		} {
			var n int
			if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil || n < want[0] || n > want[1] {
				t.Errorf("%s: %d, %v; want %v", query, n, err, want)
			}
		}
		unchanged(t, storetest.Open(t, database))
	})
}

// unchanged sends requests to the sites of some feeds on the day before. They must respond 304 to the validators in
// the database.
func unchanged(t *testing.T, st *store.Store) {
	t.Helper()
	s := new(sites)
	s.now.Store(firstDay().Add(-24 * time.Hour).Unix())
	for _, f := range storetest.All(t, st.Feeds.Feeds(t.Context())) {
		ask := httptest.NewRequest(http.MethodGet, f.URL, nil)
		ask.Header.Set("If-None-Match", f.ETag)
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, ask)
		if answer.Code != http.StatusNotModified {
			t.Fatalf("%s with ETag %s: %d, %s", f.URL, f.ETag, answer.Code, answer.Header().Get("ETag"))
		}
	}
}

func TestSites(t *testing.T) {
	s := new(sites)
	before := firstDay().Add(-24 * time.Hour).Unix()
	for feed := range int64(300) {
		if n := written(feed, before+period) - written(feed, before); n != 1 {
			t.Fatalf("feed %d has written %d posts in %d s", feed, n, period)
		}
	}
	for path, want := range map[string]int{clockPath + fmt.Sprint(before+period): 200, "/7/feed.xml": 200, clockPath +
		"noon": 400, "/robots.txt": 404} {
		answer := httptest.NewRecorder()
		s.now.Store(before + period)
		s.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		if answer.Code != want {
			t.Errorf("%s: %d, want %d", path, answer.Code, want)
		}
		if n := strings.Count(answer.Body.String(), "<item>"); path == "/7/feed.xml" && n != 1 {
			t.Errorf("%s has %d posts, want 1", path, n)
		}
	}
}

// TestPicture checks that the picture is XML, and that equal costs of a reader's day have equal bars at each size.
func TestPicture(t *testing.T) {
	of := func(readers int) report {
		m := midnight{ProgramCPU: float64(readers) / 100,
			Counts: usage.Counts{WAL: float64(readers) / 50, ServerCPU: float64(readers) / 200}}
		m.Editions, m.Polled = readers, readers*3
		return report{Readers: readers, Midnights: []midnight{m},
			Growth: map[string]int64{"digest_posts": int64(readers) * 1024, "polls": int64(readers) * 2048}}
	}
	svg := picture([]report{of(1000), of(1_000_000)})
	if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil {
		t.Errorf("%v: %s", err, svg)
	}
	for text, want := range map[string]int{">1,000,000<": 4, ">1,000<": 4, ">15<": 2, ">3<": 4, ">20.5<": 2} {
		if n := strings.Count(svg, text); n != want {
			t.Errorf("%s is there %d times, want %d", text, n, want)
		}
	}
	if err := draw([]string{filepath.Join(t.TempDir(), "missing.json")}); err == nil {
		t.Error("a report that is not there was drawn")
	}
}
