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

// run ticks at an instant, whatever comes of it.
func (h *house) run(at time.Time) {
	h.t.Helper()
	h.clock = at
	if _, err := h.job().Tick(h.t.Context()); err != nil {
		h.t.Fatalf("tick at %s: %v", at, err)
	}
}

// dates gives the dates of the reader's editions, the earliest first.
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

// mailedOnce checks that every post was mailed, and none twice.
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

// TestClockThatWasWrong has an hour by a wrong clock, and then days by a right
// one: each date has its edition, and each post comes once.
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

// TestClocksThatJump lets the clock jump about for weeks. By a right clock the
// digest is never due later than at its first midnight without an edition, no
// date has two, and every post is mailed once, within days.
func TestClocksThatJump(t *testing.T) {
	offs := []time.Duration{14 * time.Hour, -14 * time.Hour, 3 * time.Hour, -3 * time.Hour, 40 * time.Hour, 72 * time.Hour, 400 * 24 * time.Hour, 10 * time.Minute}
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
				for range 6 * 8 { // days by a right clock
					now = now.Add(3 * time.Hour)
					h.run(now)
					h.dueInTime(now)
				}
				h.mailedOnce(titles)
			})
		})
	}
}

// dueInTime checks that the digest is due at its first midnight whose date has no
// edition.
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
		h.t.Fatalf("at %s the digest is due at %s; the first midnight without an edition is %s (editions:%s)", now, d.NextDueAt, midnight, had)
	}
}
