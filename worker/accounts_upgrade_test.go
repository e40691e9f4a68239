package worker_test

import (
	"database/sql"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/subscribe"
	"digest/test/tier"
)

// TestGroupAfterUpgrade checks that the posts of a group arrive once, although an earlier version of the program stored
// them under the identity, date and address of their announcements.
func TestGroupAfterUpgrade(t *testing.T) {
	tier.Alone(t)
	storetest.EachAddress(t, func(t *testing.T, database string) {
		driver, name := "sqlite3", "file:"+database
		if strings.HasPrefix(database, "postgres://") {
			driver, name = "postgres", database
		}
		db, err := sql.Open(driver, name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		st := storetest.Open(t, database)
		h := newHouse(t, st, "2026-11-16 12:00")
		a := &account{h: h, begin: h.clock.Add(-12 * time.Hour), every: 2 * time.Hour, objects: map[string]any{}}
		a.publish = func(a *account, n int, at string) any {
			page := a.note(n, at)
			page["id"], page["attributedTo"], page["url"] = fmt.Sprintf("%s/post/%d", a.far, n), a.far+"/u/zoe",
				fmt.Sprintf("%s/page/%d", a.far, n)
			a.objects[fmt.Sprintf("/post/%d", n)] = page
			return map[string]any{"type": "Announce", "id": fmt.Sprintf("%s/b/%d", a.URL, n),
				"actor": a.URL + "/users/ann", "to": publicly, "published": at,
				"object": map[string]any{"type": "Create", "id": fmt.Sprintf("%s/c/%d", a.far, n),
					"actor": a.far + "/u/zoe", "to": publicly, "object": page}}
		}
		a.Server = httptest.NewServer(a)
		t.Cleanup(a.Close)
		far := httptest.NewServer(a)
		t.Cleanup(far.Close)
		a.far = far.URL
		d := h.reader("ann@example.org", "UTC")
		subscriber := subscribe.Subscriber{Store: st, Poller: h.poller(), Now: func() time.Time { return h.clock }}
		if _, _, err := subscriber.Subscribe(t.Context(), d.ID, a.URL+"/users/ann/outbox?page=true", 0); err != nil {
			t.Fatal(err)
		}
		first := int(h.clock.Sub(a.begin)/a.every) + 1
		until := func(end time.Time) {
			for h.clock.Before(end) {
				h.run(h.clock.Add(time.Hour))
			}
		}
		begin := h.clock
		until(begin.Add(37 * time.Hour))
		old, err := db.ExecContext(t.Context(), fmt.Sprintf(
			`UPDATE posts SET identity = replace(identity, '%s/post/', '%s/b/'), url = replace(url, '/page/', '/post/'),
			fingerprint = identity, content_hash = identity, published_at = published_at + 7`, a.far, a.URL))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := old.RowsAffected(); n < 20 || err != nil {
			t.Errorf("the earlier version stored %d posts: %v", n, err)
		}
		until(begin.Add(4*24*time.Hour + 13*time.Hour))
		a.check(first, 4*6)
		var twice int
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) - count(DISTINCT title) FROM posts`).Scan(
			&twice); err != nil || twice > 0 {
			t.Errorf("%d posts are stored twice: %v", twice, err)
		}
		if _, text := h.inbox(); strings.Contains(text, "missed") {
			t.Error("a mail claims that posts were missed")
		}
	})
}
