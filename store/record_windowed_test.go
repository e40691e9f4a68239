package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestWindowedFeed deletes entries from documents, so that older ones replace them. Entries of a long document that
// were never read are not news; a short document may bring posts of any age.
func TestWindowedFeed(t *testing.T) {
	dated := func(id string, days int) digest.Post {
		p := post(id, noon)
		p.PublishedAt = noon.Add(-time.Duration(days) * day)
		if days == 0 {
			p.PublishedAt = time.Time{}
		}
		return p
	}
	cases := []struct {
		why      string
		windowed bool
		first    bool
		found    digest.Post
		want     string
	}{
		{"before all that is stored", true, false, dated("x", 500), ""},
		{"among what is stored", true, false, dated("x", 50), "x"},
		{"the same day as the oldest", true, false, dated("x", 100), "x"},
		{"without a date", true, false, dated("x", 0), "x"},
		{"in a short document", false, false, dated("x", 500), "x"},
		{"the first read of a long one", true, true, dated("x", 500), "x"},
	}
	each(t, func(w world) {
		for i, c := range cases {
			d := w.reader(fmt.Sprint("reader", i))
			f := w.newFeed(fmt.Sprintf("f%d.example", i))
			if !c.first {
				w.record(noon, f, []digest.Post{dated("new", 1), dated("undated", 0), dated("old", 100)})
			}
			w.exec(`INSERT INTO subscriptions (digest_id, feed_id, created_at) VALUES (?, ?, 0)`,
				int64(d.ID), int64(f.ID))
			f.ParsedAt = noon
			w.poll(noon, store.Polled{Feed: f, FirstRead: c.first, Windowed: c.windowed, Posts: []digest.Post{c.found},
				Listed: []string{"x"}})
			want(w, c.why, w.waiting(d), c.want)
			w.holds(c.why+": stored", 1, `SELECT count(*) FROM posts WHERE identity = 'x' AND feed_id = ?`, int64(f.ID))
		}
	})
}
