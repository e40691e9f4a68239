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
	w.t.Helper()
	next, _, err := w.Feeds.NextMidnight(w.ctx(), after)
	w.ok(err)
	return next
}

// TestMonthly: the feeds of a monthly digest are polled at each midnight, and its edition contains all their posts.
func TestMonthly(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.record(noon, f, posts(noon, "p"))
		w.ok(w.Readers.SetCadence(w.ctx(), ada.ID, digest.Monthly(1), noon))
		want(w.t, "due", w.again(ada).NextDueAt, december)
		want(w.t, "the post waits for it", w.waiting(ada), "p")
		due, err := w.Feeds.FeedDue(w.ctx(), f.ID, time.Time{})
		w.ok(err)
		want(w.t, "asked next", due, parisMidnight)

		listed := []string{"p"}
		night, asked := parisMidnight, 0
		for ; night.Before(december); night = night.Add(24 * time.Hour) {
			want(w.t, "the next midnight", w.asksAgain(night.Add(-time.Hour)), night)
			_, err := w.Feeds.Plan(w.ctx(), night, func(feed digest.Feed, due time.Time) (time.Time, bool) {
				want(w.t, "asked for", due, night)
				asked++
				return time.Time{}, false
			})
			w.ok(err)
			want(w.t, "released "+night.String(), w.release(night), 0)
			w.record(night.Add(time.Minute), f, posts(night, night.Format("d0102")), listed...)
			listed = append(listed, night.Format("d0102"))
		}
		want(w.t, "nights", asked, 11)
		all := w.waiting(ada)
		want(w.t, "posts that wait", len(strings.Fields(all)), 12)
		planned, err := w.Feeds.Plan(w.ctx(), december, queueNothing)
		w.ok(err)
		want(w.t, "planned, once", planned.Digests, 1)
		want(w.t, "released", w.release(december), 1)
		want(w.t, "the edition", w.editions(ada), "2026-12-01 "+all)
		want(w.t, "the next edition", w.again(ada).NextDueAt, january)
		want(w.t, "the next midnight", w.asksAgain(december), december.Add(24*time.Hour))
		list, err := w.Editions.Editions(w.ctx(), ada.ID, 1)
		w.ok(err)
		want(w.t, "worth sending all month", list[0].ExpiresAt, january.Add(-4*time.Hour))

		w.ok(w.Readers.SetCadence(w.ctx(), ada.ID, digest.Daily, december))
		want(w.t, "daily again", w.again(ada).NextDueAt, december.Add(24*time.Hour))
		w.hour(december.Add(24 * time.Hour))
		want(w.t, "and asked then alone", w.asksAgain(december.Add(24*time.Hour)), december.Add(48*time.Hour))
		n, err := w.Feeds.Plan(w.ctx(), december.Add(47*time.Hour), queueNothing)
		w.ok(err)
		want(w.t, "planned in between", n.Digests, 0)
	})
}

// TestMonthlyOutage: after an outage of weeks, a monthly digest gets one edition with the date that it missed. Later
// polls do not change it.
func TestMonthlyOutage(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.ok(w.Readers.SetCadence(w.ctx(), ada.ID, digest.Monthly(1), noon))
		w.ok(w.Readers.SetCadence(w.ctx(), bob.ID, digest.LastDay, noon))
		w.record(noon, f, posts(noon, "p"))
		w.hour(december.Add(-24 * time.Hour)) // bob's edition of 30 November
		back := december.Add(25 * 24 * time.Hour)
		w.record(back, f, posts(back, "q"), "p")
		want(w.t, "released", w.hour(back), 1)
		want(w.t, "the edition", w.editions(ada), "2026-12-01 p q")
		want(w.t, "the next one", w.again(ada).NextDueAt, january)
		want(w.t, "asked tonight", w.asksAgain(back), december.Add(26*24*time.Hour))
		edited := post("q", back)
		edited.Title, edited.ContentHash = "another title", "another hash"
		w.record(back.Add(time.Hour), f, []digest.Post{edited}, "p")
		refs, err := w.Editions.WaitingPosts(w.ctx(), bob.ID)
		w.ok(err)
		stored, err := w.Editions.Posts(w.ctx(), []digest.PostID{refs[0].PostID})
		w.ok(err)
		want(w.t, "what ada had", stored[0].Title, "Title of q")
	})
}

// TestMonthlyWithdrawn: a post that is deleted after weeks of waiting does not appear.
func TestMonthlyWithdrawn(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.ok(w.Readers.SetCadence(w.ctx(), ada.ID, digest.LastDay, noon))
		at := func(identity string, days int) digest.Post {
			return post(identity, december.AddDate(0, 0, days))
		}
		w.hour(december.Add(-24 * time.Hour))
		oldest, old, gone, newer := at("oldest", 1), at("old", 1), at("gone", 2), at("newer", 3)
		w.record(newer.SeenAt, f, []digest.Post{oldest, old, gone, newer})
		want(w.t, "that wait", w.waiting(ada), "oldest old gone newer")
		latest := at("latest", 28)
		w.record(latest.SeenAt, f, []digest.Post{oldest, old, newer, latest})
		want(w.t, "that wait still", w.waiting(ada), "oldest old newer latest")
		w.hour(january.Add(-24 * time.Hour))
		want(w.t, "the edition", w.editions(ada), "2026-12-31 oldest old newer latest")
	})
}

// TestMonthlyIsKept: prune keeps the hidden posts of a month, even if the period for posts is shorter.
func TestMonthlyIsKept(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.ok(w.Readers.SetCadence(w.ctx(), ada.ID, digest.First(time.Tuesday), noon))
		w.hour(december) // the longest wait for the next one: five weeks
		first := december.Add(time.Hour)
		before, second := first.Add(-29*24*time.Hour), first.Add(36*time.Hour)
		w.record(before, f, posts(before, "old")) // updates listed_at, as every 30 days
		w.record(first, f, posts(first, "p"))
		w.record(second, f, posts(second, "q"))
		due := w.again(ada).NextDueAt
		for now := second; now.Before(due); now = now.Add(24 * time.Hour) {
			w.record(now, f, posts(second, "q"))
			_, err := w.Operator.Prune(w.ctx(), now, 12*time.Hour, 100)
			w.ok(err)
		}
		w.hour(due)
		want(w.t, "the edition", w.editions(ada), "2027-01-05 old p q")
	})
}

// TestCadenceOfStrangers: an invalid cadence in the database does not stop the hourly job or other readers' editions.
func TestCadenceOfStrangers(t *testing.T) {
	for _, number := range []int64{0, -1, 128, 255, 1 << 50, 1<<63 - 1, -1 << 63} {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			each(t, func(w world) {
				ada, eve := w.reader("ada", "Europe/Paris"), w.reader("eve", "Europe/Paris")
				f := w.feed("f.example")
				w.subscribe(ada, f)
				w.subscribe(eve, f)
				w.ok(w.Exec(w.ctx(), `UPDATE digests SET cadence = ? WHERE id = ?`, number, eve.ID))
				w.record(noon, f, posts(noon, "p"))
				want(w.t, "released", w.hour(parisMidnight), 2)
				want(w.t, "ada's", w.editions(ada), "2026-11-20 p")
				if next := w.again(eve).NextDueAt; !next.After(parisMidnight) ||
					next.Sub(parisMidnight) > 40*24*time.Hour {
					w.t.Errorf("eve's next one is at %s", next)
				}
				w.ok(w.Readers.SetCadence(w.ctx(), eve.ID, digest.Workdays, noon))
				w.ok(w.Readers.SetTimeZone(w.ctx(), eve.UserID, "Asia/Tokyo", parisMidnight))
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
			w.t.Helper()
			n.Cadence = c
			w.ok(w.Newsletters.SetNewsletter(w.ctx(), n, noon))
		}
		is := func(what, email string, c digest.Cadence, own bool) {
			w.t.Helper()
			m, err := w.Members.Member(w.ctx(), n.ID, email)
			w.ok(err)
			want(w.t, what, m.Cadence, c)
			want(w.t, what+", own", m.OwnDays, own)
		}
		w.ok(w.Readers.SetCadence(w.ctx(), mo.DigestID, digest.Workdays, noon))
		is("mo's", "mo@example.org", digest.Workdays, true)
		is("bo's", "bo@example.org", digest.Daily, false)
		set(1<<time.Saturday | 1<<time.Monday | 1<<time.Tuesday | 1<<time.Wednesday | 1<<time.Thursday | 1<<time.Friday)
		is("mo's, who keeps it", "mo@example.org", digest.Workdays, true)
		is("bo's, who follows", "bo@example.org", n.Cadence, false)
		set(1 << time.Sunday)
		is("mo's, when the newsletter is calmer", "mo@example.org", 1<<time.Sunday, false)
		oneLine(w.t, w.Readers.SetCadence(w.ctx(), mo.DigestID, digest.Daily, noon), digest.Invalid)
		oneLine(w.t, w.Readers.SetCadence(w.ctx(), mo.DigestID, 1<<time.Sunday|1<<time.Monday, noon), digest.Invalid)
		w.ok(w.Readers.SetCadence(w.ctx(), mo.DigestID, 1<<time.Thursday, noon))
		is("mo's, on another day", "mo@example.org", 1<<time.Thursday, true)
		w.ok(w.Readers.SetCadence(w.ctx(), mo.DigestID, 1<<time.Sunday, noon))
		is("mo's, as all have it", "mo@example.org", 1<<time.Sunday, false)
		set(digest.LastDay)
		is("mo's, with all", "mo@example.org", digest.LastDay, false)
		want(w.t, "asked next, for Paris", w.asksAgain(noon), parisMidnight)
		d, err := w.Readers.Digest(w.ctx(), w.member(n, "li@example.org", "Asia/Tokyo").DigestID)
		w.ok(err)
		want(w.t, "li's", d.NextDueAt, time.Date(2026, 11, 29, 15, 0, 0, 0, time.UTC))
		want(w.t, "asked next, for Tokyo", w.asksAgain(noon), time.Date(2026, 11, 19, 15, 0, 0, 0, time.UTC))
	})
}

// TestWithheldIsKept: prune keeps the hidden posts of a newsletter that is held for months.
func TestWithheldIsKept(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), f)
		n.Cadence = digest.Monthly(1)
		w.ok(w.Newsletters.SetNewsletter(w.ctx(), n, noon))
		m := w.member(n, "mo@example.org", "Europe/Paris")
		w.ok(w.Newsletters.SetNewsletterState(w.ctx(), n.ID, digest.NewsletterHeld, "spam", noon))
		w.record(noon, f, posts(noon, "p"))
		now := noon
		for range 40 {
			now = now.Add(7 * 24 * time.Hour)
			w.record(now, f, posts(now, "new"))
			w.hour(now)
			_, err := w.Operator.Prune(w.ctx(), now, 24*time.Hour, 100)
			w.ok(err)
		}
		w.ok(w.Newsletters.SetNewsletterState(w.ctx(), n.ID, digest.NewsletterActive, "", now))
		w.hour(now.AddDate(0, 1, 0))
		want(w.t, "the letter", w.editions(digest.Digest{ID: m.DigestID}), "2027-09-01 p new")
	})
}

// TestSetSchedule checks that a schedule is stored whole or not at all.
func TestSetSchedule(t *testing.T) {
	each(t, func(w world) {
		d := w.reader("ada", "Europe/Paris")
		w.ok(w.Readers.SetSchedule(w.ctx(), d.ID, digest.Workdays, 7*time.Hour, noon))
		for _, err := range []error{w.Readers.SetSchedule(w.ctx(), d.ID, digest.Daily, 24*time.Hour, noon),
			w.Readers.SetSchedule(w.ctx(), d.ID, 0, 8*time.Hour, noon)} {
			oneLine(w.t, err, digest.Invalid)
		}
		got := w.again(d)
		want(w.t, "days", got.Cadence, digest.Workdays)
		want(w.t, "time", got.DeliverAt, 7*time.Hour)
	})
}
