package hourly_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// run ticks at an instant and ignores the summary.
func (h *house) run(at time.Time) {
	h.t.Helper()
	h.clock = at
	if _, err := h.job().Tick(h.t.Context()); err != nil {
		h.t.Fatalf("tick at %s: %v", at, err)
	}
}

// dates returns the dates of the reader's editions, the earliest first.
func (h *house) dates() string {
	h.t.Helper()
	list, err := h.st.Editions(h.t.Context(), h.d.ID, 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	var dates []string
	for _, e := range list {
		dates = append([]string{e.LocalDate.String()}, dates...)
	}
	return strings.Join(dates, " ")
}

func (h *house) mailedOnce(titles []string) {
	h.t.Helper()
	files, err := filepath.Glob(filepath.Join(h.mail, "new", "*"))
	if err != nil {
		h.t.Fatal(err)
	}
	mails := map[string]int{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			h.t.Fatal(err)
		}
		for _, title := range titles {
			if strings.Contains(unfold(string(content)), ">"+title+"<") {
				mails[title]++
			}
		}
	}
	for _, title := range titles {
		if mails[title] != 1 {
			h.t.Errorf("%q was mailed %d times; want once", title, mails[title])
		}
	}
}

// TestClockThatWasWrong runs an hour with a wrong clock and then days with a right one. Each date gets its
// edition, and each post is mailed once.
func TestClockThatWasWrong(t *testing.T) {
	for _, test := range []struct {
		name string
		off  time.Duration
		want string // dates of the editions
	}{
		{"14 hours fast", 14 * time.Hour, "2026-11-20 2026-11-21 2026-11-22 2026-11-23"},
		{"14 hours slow", -14 * time.Hour, "2026-11-19 2026-11-20 2026-11-21 2026-11-22 2026-11-23"},
		{"3 days fast", 72 * time.Hour, "2026-11-20 2026-11-21 2026-11-22 2026-11-23"},
		{"a year fast", 365 * 24 * time.Hour, "2026-11-19 2026-11-20 2026-11-21 2026-11-22 2026-11-23"},
	} {
		t.Run(test.name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, st *store.Store) {
				s := newSite(t, "first")
				h := newHouse(t, st, "2026-11-19 10:00")
				h.reader("utc@example.org", "UTC", s)
				titles := []string{"first"}
				publish := func() {
					titles = append(titles, fmt.Sprintf("post %d", len(titles)))
					s.publish(titles[len(titles)-1])
				}
				noon := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
				for minutes := 0; minutes <= 60; minutes += 20 {
					publish()
					h.run(noon.Add(test.off + time.Duration(minutes)*time.Minute))
				}
				for now := noon.Add(2 * time.Hour); now.Before(noon.Add(86 * time.Hour)); now = now.Add(2 * time.Hour) {
					publish()
					h.run(now)
				}
				publish()
				h.run(noon.Add(84 * time.Hour))
				if got := h.dates(); got != test.want {
					t.Errorf("editions %s; want %s", got, test.want)
				}
				h.mailedOnce(titles[:len(titles)-3])
			})
		})
	}
}

// TestClocksThatJump changes the clock at random for weeks. With a right clock, the digest is due at its
// first midnight without an edition at the latest. No date gets two editions, and every post is mailed
// once, within days.
func TestClocksThatJump(t *testing.T) {
	offs := []time.Duration{14 * time.Hour, -14 * time.Hour, 3 * time.Hour, -3 * time.Hour, 40 * time.Hour,
		72 * time.Hour, 400 * 24 * time.Hour, 10 * time.Minute}
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, st *store.Store) {
				random := rand.New(rand.NewPCG(seed, 12))
				s := newSite(t, "first")
				h := newHouse(t, st, "2026-11-19 10:00")
				h.reader("utc@example.org", "UTC", s)
				titles := []string{"first"}
				now := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
				for range 80 {
					now = now.Add(3 * time.Hour)
					titles = append(titles, fmt.Sprintf("post %d", len(titles)))
					s.publish(titles[len(titles)-1])
					if random.IntN(6) == 0 {
						h.run(now.Add(offs[random.IntN(len(offs))]))
						continue
					}
					h.run(now)
					h.dueInTime(now)
				}
				for range 6 * 8 { // days with a right clock
					now = now.Add(3 * time.Hour)
					h.run(now)
					h.dueInTime(now)
				}
				h.mailedOnce(titles)
			})
		})
	}
}

// dueInTime checks that the digest is due at the first midnight whose date has no edition.
func (h *house) dueInTime(now time.Time) {
	h.t.Helper()
	d, err := h.st.Digest(h.t.Context(), h.d.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	had := " " + h.dates() + " "
	midnight := now.Truncate(24 * time.Hour).Add(24 * time.Hour)
	for strings.Contains(had, " "+digest.DateOf(midnight).String()+" ") {
		midnight = midnight.Add(24 * time.Hour)
	}
	if d.NextDueAt.After(midnight) {
		h.t.Fatalf("at %s the digest is due at %s; the first midnight without an edition is %s (editions:%s)", now,
			d.NextDueAt, midnight, had)
	}
}

// TestMidnightAfterAFastClock holds that a midnight comes although nothing ran between it and the
// correction of a fast clock. The edition has the posts published since then, and each post is mailed once.
func TestMidnightAfterAFastClock(t *testing.T) {
	do := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name     string
		set      func(t *testing.T, h *house) // at 10:00 on 1 November, a Sunday
		last     string                       // with a right clock
		midnight string
		date     string // of the edition at that midnight
		mail     string // when it is sent
	}{
		{name: "every day", last: "2026-11-02 00:01", midnight: "2026-11-03 00:06", date: "2026-11-03"},
		{name: "noticed a day and a half later", last: "2026-11-02 00:01", midnight: "2026-11-04 12:06",
			date: "2026-11-04"},
		{name: "on Mondays", last: "2026-11-02 00:01", midnight: "2026-11-09 00:06", date: "2026-11-09",
			set: func(t *testing.T, h *house) { do(t, h.st.SetCadence(t.Context(), h.d.ID, 1<<time.Monday, h.clock)) }},
		{name: "on Mondays, noticed on Wednesday", last: "2026-11-02 00:01", midnight: "2026-11-11 12:06",
			date: "2026-11-09",
			set: func(t *testing.T,
				h *house) {
				do(t, h.st.SetCadence(t.Context(), h.d.ID, 1<<time.Monday, h.clock))
			}},
		{name: "on workdays", last: "2026-11-06 00:01", midnight: "2026-11-09 00:06", date: "2026-11-09",
			set: func(t *testing.T, h *house) {
				do(t, h.st.SetCadence(t.Context(), h.d.ID, digest.Workdays, h.clock))
			}},
		{name: "in Kathmandu", last: "2026-11-01 18:16", midnight: "2026-11-02 18:21", date: "2026-11-03",
			set: func(t *testing.T, h *house) {
				do(t, h.st.SetTimeZone(t.Context(), h.d.UserID, "Asia/Kathmandu", h.clock))
			}},
		{name: "on a stay in Tokyo", last: "2026-11-01 15:01", midnight: "2026-11-02 15:06", date: "2026-11-03",
			set: func(t *testing.T, h *house) {
				_, err := h.st.AddStay(t.Context(), digest.Stay{UserID: h.d.UserID, TimeZone: "Asia/Tokyo",
					From: day("2026-11-01"), To: day("2026-12-01")}, h.clock)
				do(t, err)
			}},
		{name: "mailed at 7", last: "2026-11-02 07:01", midnight: "2026-11-03 00:06", date: "2026-11-03",
			mail: "2026-11-03 07:01",
			set:  func(t *testing.T, h *house) { do(t, h.st.SetDeliverAt(t.Context(), h.d.ID, 7*time.Hour)) }},
		{name: "as a pause ends", last: "2026-11-02 00:01", midnight: "2026-11-05 00:06", date: "2026-11-05",
			set: func(t *testing.T, h *house) {
				do(t, h.st.PauseDigest(t.Context(), h.d.ID, time.Date(2026, 11, 5, 0, 0, 0, 0, time.UTC), h.clock))
			}},
	} {
		for _, fast := range [][]string{{"2026-11-20 00:01"}, {"2150-01-01 00:00"},
			{"2150-01-01 00:00", "2150-01-02 00:00"}} {
			switch {
			case len(fast) > 1 && strings.Contains(test.name, "noticed"):
				continue // the earlier release is not known in this case
			case fast[0] > "2027" && strings.Contains(test.name, "stay"):
				continue // the trip has ended, and its midnights too
			}
			t.Run(fmt.Sprint(test.name, " ", fast), func(t *testing.T) {
				eachHouse(t, "2026-11-01 10:00", func(t *testing.T, h *house, s *site) {
					tick := func(clock string) {
						h.set(clock)
						h.run(h.clock)
					}
					if test.set != nil {
						test.set(t, h)
					}
					tick(test.last)
					for i, clock := range fast {
						s.publish(fmt.Sprint("early ", i))
						tick(clock)
					}
					s.publish("news")
					tick(test.midnight)
					if got := h.dates(); !strings.Contains(got, test.date) {
						t.Errorf("editions %s; want one of %s", got, test.date)
					}
					if test.mail != "" {
						tick(test.mail)
					}
					h.mailedOnce([]string{"first", "early 0", "news"})
				})
			})
		}
	}
}

func day(s string) digest.Date {
	d, err := digest.ParseDate(s)
	if err != nil {
		panic(err)
	}
	return d
}
