package worker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

// TestGroupAfterUpgrade checks that the posts of a group arrive once, although an earlier version of the program stored
// them under the identity, date and address of their announcements.
func TestGroupAfterUpgrade(t *testing.T) {
	tier.Alone(t)
	storetest.EachAddress(t, func(t *testing.T, database string) {
		db := openDatabase(t, database)
		h := newHouse(t, storetest.Open(t, database), "2026-11-16 12:00")
		a := &account{every: 2 * time.Hour, publish: func(a *account, n int, at string) any {
			page := a.farNote(n, at)
			page["url"] = fmt.Sprintf("%s/page/%d", a.far, n)
			return a.announce(n, at, announced(n, a.far, a.far+"/u/zoe", page))
		}}
		first, begin := a.subscribe(h), h.clock
		h.until(begin.Add(37 * time.Hour))
		old, err := db.ExecContext(t.Context(), fmt.Sprintf(
			`UPDATE posts SET identity = replace(identity, '%s/post/', '%s/b/'), url = replace(url, '/page/', '/post/'),
			fingerprint = identity, content_hash = identity, published_at = published_at + 7`, a.far, a.URL))
		ok(t, err)
		if n, err := old.RowsAffected(); n < 20 || err != nil {
			t.Errorf("the earlier version stored %d posts: %v", n, err)
		}
		h.until(begin.Add(4*24*time.Hour + 13*time.Hour))
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
