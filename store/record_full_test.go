package store_test

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// fill leaves no room in the database until its result is called. SQLite's file may not grow, and PostgreSQL reports
// a full disk when posts are stored.
func (w world) fill() (free func()) {
	w.Helper()
	if w.Exec(w.ctx, `PRAGMA max_page_count = 1`) == nil { // SQLite uses the present number instead
		return func() { w.Helper(); w.exec(`PRAGMA max_page_count = 1000000`) }
	}
	for _, statement := range []string{
		`CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
			'BEGIN RAISE EXCEPTION ''could not extend file: No space left on device'' USING ERRCODE = ''53100''; END'`,
		`CREATE TRIGGER no_room BEFORE INSERT ON posts EXECUTE FUNCTION no_room()`,
	} {
		w.exec(statement)
	}
	return func() { w.Helper(); w.exec(`DROP TRIGGER no_room ON posts`) }
}

// TestFullDisk: a poll that does not fit on the disk is lost. Its feed is polled again after the poll gap, although
// the rules after a response would wait for a day. It does not count as a failure.
func TestFullDisk(t *testing.T) {
	each(t, func(w world) {
		f := w.newFeed("f.example")
		ann := w.reader("ann", "UTC")
		w.subscribe(ann, f)
		w.ok(w.Enqueue(w.ctx, f.ID, noon))
		w.end(noon, w.one(noon, "t"), func(p *store.Polled) {
			p.Feed.OwnInterval, p.Feed.ParsedAt = day,
				noon
		})

		day := noon.Add(day)
		w.ok(w.Enqueue(w.ctx, f.ID, day))
		c := w.one(day, "u")
		found := post("large", day)
		found.Content = strings.Repeat("a lot of text ", 200_000)
		rec := c.Feed
		rec.PollAt, rec.LastOKAt, rec.ETag = time.Time{}, day, "new"
		brought := []store.Polled{{Feed: rec, Was: c.Feed, Token: "u", HostFreeAt: day, Posts: []digest.Post{found},
			Listed: []string{found.Identity}}}

		free := w.fill()
		oneLine(w, err2(w.Feeds.Record(w.ctx, day, brought)), digest.Unavailable)
		free()
		after := w.feedAgain(f)
		want(w, "its validators", after.ETag, "")
		want(w, "errors", after.Errors, 0)
		want(w, "within the poll gap", len(w.claim(day.Add(time.Hour-time.Second), 9, "v")), 0)
		again := w.one(day.Add(time.Hour), "v")
		brought[0].Token, brought[0].Was = "v", again.Feed
		r := w.poll(day.Add(time.Hour), brought...)
		want(w, "stored", r.Posts, 1)
		want(w, "waiting", w.waiting(ann), "large")
	})
}
