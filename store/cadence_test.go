package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
)

// december and january are the midnights in Paris that begin the months.
var (
	december = time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
	january  = time.Date(2026, 12, 31, 23, 0, 0, 0, time.UTC)
)

// asksAgain returns the next midnight to plan.
func (w world) asksAgain(after time.Time) time.Time {
	w.Helper()
	next, _ := must2(w.Feeds.NextMidnight(w.ctx, after))
	return next
}

// TestMonthly: the feeds of a monthly digest are polled at each midnight, and its edition contains all their posts.
func TestMonthly(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.posted(f, "p")
		w.setCadence(ada, digest.Monthly(1), noon)
		want(w, "due", w.again(ada).NextDueAt, december)
		want(w, "the post waits for it", w.waiting(ada), "p")
		due := must(w.Feeds.FeedDue(w.ctx, f.ID, time.Time{}))
		want(w, "asked next", due, parisMidnight)

		listed := []string{"p"}
		night, asked := parisMidnight, 0
		for ; night.Before(december); night = night.Add(day) {
			want(w, "the next midnight", w.asksAgain(night.Add(-time.Hour)), night)
			must(w.Feeds.Plan(w.ctx, night, func(feed digest.Feed, due time.Time) (time.Time, bool) {
				want(w, "asked for", due, night)
				asked++
				return time.Time{}, false
			}))
			want(w, "released "+night.String(), w.release(night), 0)
			w.record(night.Add(time.Minute), f, posts(night, night.Format("d0102")), listed...)
			listed = append(listed, night.Format("d0102"))
		}
		want(w, "nights", asked, 11)
		all := w.waiting(ada)
		want(w, "posts that wait", len(strings.Fields(all)), 12)
		planned := must(w.Feeds.Plan(w.ctx, december, queueNothing))
		want(w, "planned, once", planned.Digests, 1)
		want(w, "released", w.release(december), 1)
		want(w, "the edition", w.editions(ada), "2026-12-01 "+all)
		want(w, "the next edition", w.again(ada).NextDueAt, january)
		want(w, "the next midnight", w.asksAgain(december), december.Add(day))
		list := w.latest(ada)
		want(w, "worth sending all month", list.ExpiresAt, january.Add(-4*time.Hour))

		w.setCadence(ada, digest.Daily, december)
		want(w, "daily again", w.again(ada).NextDueAt, december.Add(day))
		w.hour(december.Add(day))
		want(w, "and asked then alone", w.asksAgain(december.Add(day)), december.Add(48*time.Hour))
		want(w, "planned in between", must(w.Feeds.Plan(w.ctx, december.Add(47*time.Hour), queueNothing)).Digests, 0)
	})
}

// TestMonthlyOutage: after an outage of weeks, a monthly digest gets one edition with the date that it missed. Later
// polls do not change it.
func TestMonthlyOutage(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.setCadence(ada, digest.Monthly(1), noon)
		w.setCadence(bob, digest.LastDay, noon)
		w.posted(f, "p")
		w.hour(december.Add(-day)) // bob's edition of 30 November
		back := december.Add(25 * day)
		w.record(back, f, posts(back, "q"), "p")
		want(w, "released", w.hour(back), 1)
		want(w, "the edition", w.editions(ada), "2026-12-01 p q")
		want(w, "the next one", w.again(ada).NextDueAt, january)
		want(w, "asked tonight", w.asksAgain(back), december.Add(26*day))
		edited := post("q", back)
		edited.Title, edited.ContentHash = "another title", "another hash"
		w.record(back.Add(time.Hour), f, []digest.Post{edited}, "p")
		refs := must(w.Editions.WaitingPosts(w.ctx, bob.ID))
		stored := must(w.Editions.Posts(w.ctx, []digest.PostID{refs[0].PostID}))
		want(w, "what ada had", stored[0].Title, "Title of q")
	})
}

// TestMonthlyWithdrawn: a post that is deleted after weeks of waiting does not appear.
func TestMonthlyWithdrawn(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.setCadence(ada, digest.LastDay, noon)
		at := func(identity string, days int) digest.Post {
			return post(identity, december.AddDate(0, 0, days))
		}
		w.hour(december.Add(-day))
		oldest, old, gone, newer := at("oldest", 1), at("old", 1), at("gone", 2), at("newer", 3)
		w.record(newer.SeenAt, f, []digest.Post{oldest, old, gone, newer})
		want(w, "that wait", w.waiting(ada), "oldest old gone newer")
		latest := at("latest", 28)
		w.record(latest.SeenAt, f, []digest.Post{oldest, old, newer, latest})
		want(w, "that wait still", w.waiting(ada), "oldest old newer latest")
		w.hour(january.Add(-day))
		want(w, "the edition", w.editions(ada), "2026-12-31 oldest old newer latest")
	})
}

// TestMonthlyIsKept: prune keeps the hidden posts of a month, even if the period for posts is shorter.
func TestMonthlyIsKept(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.setCadence(ada, digest.First(time.Tuesday), noon)
		w.hour(december) // the longest wait for the next one: five weeks
		first := december.Add(time.Hour)
		before, second := first.Add(-29*day), first.Add(36*time.Hour)
		w.record(before, f, posts(before, "old")) // updates listed_at, as every 30 days
		w.record(first, f, posts(first, "p"))
		w.record(second, f, posts(second, "q"))
		due := w.again(ada).NextDueAt
		for now := second; now.Before(due); now = now.Add(day) {
			w.record(now, f, posts(second, "q"))
			w.pruneOnce(now, 12*time.Hour, 100)
		}
		w.hour(due)
		want(w, "the edition", w.editions(ada), "2027-01-05 old p q")
	})
}

// TestCadenceOfStrangers: an invalid cadence in the database does not stop the hourly job or other readers' editions.
func TestCadenceOfStrangers(t *testing.T) {
	for _, number := range []int64{0, -1, 128, 255, 1 << 50, 1<<63 - 1, -1 << 63} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			each(t, func(w world) {
				ada, eve := w.reader("ada"), w.reader("eve")
				f := w.feed("f.example")
				w.subscribe(ada, f)
				w.subscribe(eve, f)
				w.exec(`UPDATE digests SET cadence = ? WHERE id = ?`, number, eve.ID)
				w.posted(f, "p")
				want(w, "released", w.hour(parisMidnight), 2)
				want(w, "ada's", w.editions(ada), "2026-11-20 p")
				if next := w.again(eve).NextDueAt; !next.After(parisMidnight) ||
					next.Sub(parisMidnight) > 40*day {
					w.Errorf("eve's next one is at %s", next)
				}
				w.setCadence(eve, digest.Workdays, noon)
				w.setZone(eve, "Asia/Tokyo", parisMidnight)
			})
		})
	}
}

// TestMembersCadence: a member chooses a cadence that is not more frequent than the newsletter's, and keeps it while
// this is true.
func TestMembersCadence(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"), w.feed("a.example"))
		mo := w.member(n, "mo@example.org", "Europe/Paris")
		w.member(n, "bo@example.org", "Europe/Paris")
		set := func(c digest.Cadence) {
			w.Helper()
			n.Cadence = c
			w.ok(w.Newsletters.SetNewsletter(w.ctx, n, noon))
		}
		is := func(what, email string, c digest.Cadence, own bool) {
			w.Helper()
			m := must(w.Members.Member(w.ctx, n.ID, email))
			want(w, what, m.Cadence, c)
			want(w, what+", own", m.OwnDays, own)
		}
		w.ok(w.Readers.SetCadence(w.ctx, mo.DigestID, digest.Workdays, noon))
		is("mo's", "mo@example.org", digest.Workdays, true)
		is("bo's", "bo@example.org", digest.Daily, false)
		set(1<<time.Saturday | 1<<time.Monday | 1<<time.Tuesday | 1<<time.Wednesday | 1<<time.Thursday | 1<<time.Friday)
		is("mo's, who keeps it", "mo@example.org", digest.Workdays, true)
		is("bo's, who follows", "bo@example.org", n.Cadence, false)
		set(1 << time.Sunday)
		is("mo's, when the newsletter is calmer", "mo@example.org", 1<<time.Sunday, false)
		oneLine(w, w.Readers.SetCadence(w.ctx, mo.DigestID, digest.Daily, noon), digest.Invalid)
		oneLine(w, w.Readers.SetCadence(w.ctx, mo.DigestID, 1<<time.Sunday|1<<time.Monday, noon), digest.Invalid)
		w.ok(w.Readers.SetCadence(w.ctx, mo.DigestID, 1<<time.Thursday, noon))
		is("mo's, on another day", "mo@example.org", 1<<time.Thursday, true)
		w.ok(w.Readers.SetCadence(w.ctx, mo.DigestID, 1<<time.Sunday, noon))
		is("mo's, as all have it", "mo@example.org", 1<<time.Sunday, false)
		set(digest.LastDay)
		is("mo's, with all", "mo@example.org", digest.LastDay, false)
		want(w, "asked next, for Paris", w.asksAgain(noon), parisMidnight)
		d := must(w.Readers.Digest(w.ctx, w.member(n, "li@example.org", "Asia/Tokyo").DigestID))
		want(w, "li's", d.NextDueAt, time.Date(2026, 11, 29, 15, 0, 0, 0, time.UTC))
		want(w, "asked next, for Tokyo", w.asksAgain(noon), time.Date(2026, 11, 19, 15, 0, 0, 0, time.UTC))
	})
}

// TestWithheldIsKept: prune keeps the hidden posts of a newsletter that is held for months.
func TestWithheldIsKept(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		n := w.newsletter("anna-writes", w.reader("anna"), f)
		n.Cadence = digest.Monthly(1)
		w.ok(w.Newsletters.SetNewsletter(w.ctx, n, noon))
		m := w.member(n, "mo@example.org", "Europe/Paris")
		w.setNewsletter(n, digest.NewsletterHeld, "spam", noon)
		w.posted(f, "p")
		now := noon
		for range 40 {
			now = now.Add(7 * day)
			w.record(now, f, posts(now, "new"))
			w.hour(now)
			w.pruneOnce(now, day, 100)
		}
		w.setNewsletter(n, digest.NewsletterActive, "", now)
		w.hour(now.AddDate(0, 1, 0))
		want(w, "the letter", w.editions(digest.Digest{ID: m.DigestID}), "2027-09-01 p new")
	})
}

// TestSetSchedule checks that a schedule is stored whole or not at all.
func TestSetSchedule(t *testing.T) {
	each(t, func(w world) {
		d := w.reader("ada")
		w.ok(w.Readers.SetSchedule(w.ctx, d.ID, digest.Workdays, 7*time.Hour, noon))
		for _, err := range []error{w.Readers.SetSchedule(w.ctx, d.ID, digest.Daily, day, noon),
			w.Readers.SetSchedule(w.ctx, d.ID, 0, 8*time.Hour, noon)} {
			oneLine(w, err, digest.Invalid)
		}
		got := w.again(d)
		want(w, "days", got.Cadence, digest.Workdays)
		want(w, "time", got.DeliverAt, 7*time.Hour)
	})
}
