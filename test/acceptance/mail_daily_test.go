package acceptance

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

// A wish contains a reader's settings and the expected times of mail.
type wish struct {
	zone string
	how  []string // flags of user add
	set  []string // flags of user set, afterwards
	want string   // the times from Friday, 27 March to Wednesday, 1 April 2026
}

func (w wish) email() string {
	return strings.ToLower(strings.NewReplacer("/", "-", "_", "-", ":", "", ",", "-", " ", "").Replace(w.zone+"-"+
		strings.Join(w.how, "")+strings.Join(w.set, ""))) + "@example.org"
}

// wishes returns readers who joined on Friday, 27 March, 06:00 UTC. The clocks of Europe and Lebanon change on the
// 29th, Lebanon's at midnight.
func wishes() []wish {
	at7 := []string{"--deliver-at", "07:00"}
	return []wish{
		{"UTC", nil, nil, "28T00:00 29T00:00 30T00:00 31T00:00"},
		{"UTC", at7, nil, "28T07:00 29T07:00 30T07:00 31T07:00"},
		{"Europe/Paris", at7, nil, "28T06:00 29T05:00 30T05:00 31T05:00"},
		// 02:30 does not exist on the 29th
		{"Europe/Paris", []string{"--deliver-at", "02:30"}, nil, "28T01:30 29T01:00 30T00:30 31T00:30"},
		{"Europe/Paris", []string{"--deliver-at", "23:45"}, nil, "28T22:45 29T21:45 30T21:45"},
		{"Asia/Beirut", at7, nil, "28T05:00 29T04:00 30T04:00 31T04:00"},
		{"Asia/Kathmandu", at7, nil, "28T01:15 29T01:15 30T01:15 31T01:15"},
		{"America/New_York", at7, nil, "28T11:00 29T11:00 30T11:00 31T11:00"},
		{"Pacific/Kiritimati", at7, nil, "27T17:00 28T17:00 29T17:00 30T17:00 31T17:00"},
		{"UTC", []string{"--days", "weekdays"}, nil, "30T00:00 31T00:00"},
		{"Europe/Paris", []string{"--days", "mon,wed", "--deliver-at", "07:00"}, nil, "30T05:00"},
		{"UTC", at7, []string{"--pause-until", "2026-03-30"}, "30T07:00 31T07:00"},
		{"Europe/Paris", nil, []string{"--pause-until", "2026-03-31"}, "30T22:00"},
		{"UTC", nil, []string{"--deliver-at", "18:15"}, "28T18:15 29T18:15 30T18:15 31T18:15"},
	}
}

// TestMailHours checks that editions are made at midnight and sent at the reader's hour and days by their own clock,
// also across clock changes, and that no post is lost.
func TestMailHours(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	o := newOffice(t, storetest.SQLite(t), 5)
	o.add(firstMidnight(), "UTC", "first@example.org")
	got := map[string]string{}
	moments := map[time.Time]bool{}
	for _, w := range wishes() {
		email := w.email()
		o.at(o.now, slices.Concat([]string{"user", "add", email, "--time-zone", w.zone}, w.how)...)
		o.at(o.now, "subscribe", email, o.site.address())
		if w.set != nil {
			o.at(o.now, slices.Concat([]string{"user", "set", email}, w.set)...)
		}
		o.due[email] = map[string]time.Time{}
		for day := 27; day <= 32; day++ {
			loc, err := time.LoadLocation(w.zone)
			if err != nil {
				t.Fatal(err)
			}
			midnight := time.Date(2026, 3, day, 0, 0, 0, 0, loc)
			moments[midnight] = true
		}
		for _, at := range strings.Fields(w.want) {
			instant := w.instant(t, at)
			moments[instant], moments[instant.Add(-time.Minute)] = true, true
		}
	}
	o.runAll(moments, time.Date(2026, 3, 31, 20, 0, 0, 0, time.UTC))
	for _, a := range o.server.kept() {
		if a.to != "first@example.org" {
			got[a.to] += strings.TrimPrefix(instant(a.now), "2026-03-")[:8] + " "
		}
	}
	for _, w := range wishes() {
		if g := strings.TrimSpace(got[w.email()]); g != w.want {
			t.Errorf("%s %v %v had mail at %s, want %s", w.zone, w.how, w.set, g, w.want)
		}
		o.due[w.email()] = o.dueBy(w)
	}
	o.until = time.Date(2026, 3, 31, 23, 0, 0, 0, time.UTC)
	o.hold()
}

func (w wish) instant(t *testing.T, at string) time.Time {
	t.Helper()
	i, err := time.Parse(time.RFC3339, "2026-03-"+at+":00Z")
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func (o *office) runAll(moments map[time.Time]bool, until time.Time) {
	o.t.Helper()
	byInstant := map[int64]bool{}
	for at := range maps.Keys(moments) {
		byInstant[at.Unix()] = true
	}
	for _, at := range slices.Sorted(maps.Keys(byInstant)) {
		if now := time.Unix(at, 0).UTC(); now.After(begin()) && now.Before(until) {
			o.set(now)
			o.once(now)
		}
	}
}

// dueBy returns the posts that a reader must have by their last mail: all before the midnight that began its day.
func (o *office) dueBy(w wish) map[string]time.Time {
	o.t.Helper()
	fields := strings.Fields(w.want)
	last := lastMidnight(o.t, w.instant(o.t, fields[len(fields)-1]), w.zone)
	since := begin()
	if len(w.set) > 0 && w.set[0] == "--pause-until" { // posts during a pause are not stored for them
		since = lastMidnight(o.t, w.instant(o.t, fields[0]), w.zone)
	}
	due := map[string]time.Time{}
	for _, p := range o.site.posts {
		if p.at.After(since) && p.at.Before(last) {
			due[p.url] = midnight(o.t, p.at, w.zone)
		}
	}
	return due
}
