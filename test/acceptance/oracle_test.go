package acceptance

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"
)

// The documented defaults of the settings.
const (
	pollGap         = time.Hour
	releaseDeadline = 30 * time.Minute
	usualPenalty    = 4 * time.Hour  // after an error, reference/polling.md S20
	longestPenalty  = 24 * time.Hour // after many consecutive errors
	nearMidnight    = 2 * time.Hour  // no retry this shortly before a midnight
	inFull          = 24 * time.Hour // between polls of a feed that always transfers everything (S33)
	believeMove     = 20 * time.Hour // between two sightings (S28)
)

// An oracle predicts, only from sites and readers, which sites get requests in each hour and which posts are in each
// mail.
type oracle struct {
	sites   map[*site]*asked
	readers []*reader
}

// asked is the state of polling a site.
type asked struct {
	last, notBefore, freshUntil, queued time.Time
	moved                               time.Time     // first seen
	read                                int           // responses with the feed
	errors                              int           // since the last of them
	least                               time.Duration // between two polls, by digest's own rules
	posts                               map[string]seen
	order                               []string
	gone                                map[string]bool // posts the feed no longer lists; false: lists again
}

type seen struct {
	post
	at    time.Time
	first bool // in the first reading
}

type reader struct {
	email, zone string
	sites       []*site
	since       time.Time // the time of joining
	next        time.Time // the next midnight
	last        time.Time // the midnight that was released last; zero: none
	planned     time.Time // the time of the run that planned it; zero: not planned
	waiting     map[string]bool
	had         map[string]bool // posts
	dates       map[string]bool // of editions
}

// An edition is an expected mail.
type edition struct {
	reader *reader
	date   time.Time // noon UTC of the local date
	posts  map[string]bool
	late   map[string]bool // posts read after the deadline, in the hour of the release
	days   int             // from the midnight that was released before to this one
}

// span returns the date of the edition as its subject has it, or the days that it collects if there are several.
func (e edition) span() string {
	if e.days == 1 {
		return e.date.Format("Monday 2 January")
	}
	return fmt.Sprintf("%d–%s", e.date.AddDate(0, 0, -e.days).Day(), e.date.AddDate(0, 0, -1).Format("2 January"))
}

func newOracle() *oracle { return &oracle{sites: map[*site]*asked{}} }

// midnight returns the first time after after at which a later local date begins, in steps of a minute.
func midnight(t *testing.T, after time.Time, zone string) time.Time {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	day := func(at time.Time) string { return at.In(loc).Format(time.DateOnly) }
	for at := after.Truncate(time.Minute).Add(time.Minute); ; at = at.Add(time.Minute) {
		if day(at) > day(at.Add(-time.Minute)) {
			return at
		}
	}
}

// localDate returns the reader's date as noon UTC of that day.
func localDate(t *testing.T, at time.Time, zone string) time.Time {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	y, m, d := at.In(loc).Date()
	return time.Date(y, m, d, 12, 0, 0, 0, time.UTC)
}

// subscribe adds a reader. Sites without subscribers get a request immediately.
func (o *oracle) subscribe(t *testing.T, now time.Time, r *reader) {
	r.next = midnight(t, now, r.zone)
	r.waiting, r.had, r.dates = map[string]bool{}, map[string]bool{}, map[string]bool{}
	o.readers = append(o.readers, r)
	for _, s := range r.sites {
		if a := o.sites[s]; a != nil && a.read > 0 {
			r.take(a.recent(now))
		}
	}
	for _, s := range r.sites {
		if o.sites[s] == nil {
			o.sites[s] = &asked{posts: map[string]seen{}, gone: map[string]bool{}}
			o.ask(t, s, now)
		}
	}
}

// recent returns the posts for a new reader of a known site: the last 24 hours', or the newest.
func (a *asked) recent(now time.Time) []string {
	var recent []string
	newest, newestAt := "", time.Time{}
	for _, url := range a.order {
		p := a.posts[url]
		age := p.post.at
		if p.undated() {
			age = p.at
			if p.first {
				age = time.Time{}
			}
		}
		if age.After(now.Add(-24 * time.Hour)) {
			recent = append(recent, url)
		}
		if newest == "" || age.After(newestAt) {
			newest, newestAt = url, age
		}
	}
	if len(recent) == 0 && newest != "" {
		recent = append(recent, newest)
	}
	return recent
}

func (s seen) undated() bool { return s.post.at.IsZero() }

func (r *reader) take(urls []string) {
	for _, url := range urls {
		if !r.had[url] {
			r.waiting[url] = true
		}
	}
}

// move changes a reader's zone. The next edition is at the next midnight that begins a date without an edition.
func (r *reader) move(t *testing.T, now time.Time, zone string) {
	r.zone, r.planned = zone, time.Time{}
	r.next = midnight(t, now, zone)
	for r.dates[localDate(t, r.next, zone).Format(time.DateOnly)] {
		r.next = midnight(t, r.next, zone)
	}
}

// leave ends a subscription and drops its waiting posts.
func (o *oracle) leave(r *reader, s *site) {
	r.sites = slices.DeleteFunc(slices.Clone(r.sites), func(other *site) bool { return other == s })
	for url := range o.sites[s].posts {
		delete(r.waiting, url)
	}
}

func (o *oracle) subscribers(s *site) int {
	n := 0
	for _, r := range o.readers {
		if slices.Contains(r.sites, s) {
			n++
		}
	}
	return n
}

// tick predicts the polls and editions of a run.
func (o *oracle) tick(t *testing.T, now time.Time) (polls []*site, editions []edition) {
	o.plan(now)
	for s, a := range o.sites {
		if !a.queued.IsZero() && !a.queued.After(now) {
			o.ask(t, s, now)
			polls = append(polls, s)
		}
	}
	for _, r := range o.readers {
		if !r.next.After(now) && !o.waits(r, now) {
			if e := o.release(t, r, now); len(e.posts) > 0 {
				editions = append(editions, e)
			}
		}
	}
	return polls, editions
}

// plan queues the sites of readers whose midnight has come.
func (o *oracle) plan(now time.Time) {
	for _, r := range o.readers {
		if r.next.After(now) || !r.planned.IsZero() {
			continue
		}
		r.planned = now
		for _, s := range r.sites {
			a := o.sites[s]
			askable := a.askable()
			if askable.After(latest(r.next.Add(releaseDeadline), now)) {
				continue
			}
			at := latest(now, askable)
			if a.queued.IsZero() || at.Before(a.queued) {
				a.queued = at
			}
		}
	}
}

// askable returns when the site may get the next request.
func (a *asked) askable() time.Time {
	return latest(a.last.Add(max(pollGap, a.least)), a.notBefore, a.freshUntil)
}

// retry returns when a failed site gets a poll outside of the hourly plan: as soon as possible, unless a reader's
// midnight polls it soon after that. It also yields to a midnight that another failure would cost, if a failure at
// that midnight costs no other reader theirs.
func (o *oracle) retry(t *testing.T, s *site, now time.Time) time.Time {
	a := o.sites[s]
	at := a.askable()
	var due, later time.Time
	for _, r := range o.readers {
		if !slices.Contains(r.sites, s) {
			continue
		}
		next := r.next
		for !next.After(now) || next.Add(releaseDeadline).Before(at) {
			next = midnight(t, next, r.zone)
		}
		switch {
		case due.IsZero() || next.Before(due):
			due, later = next, due
		case next.After(due) && (later.IsZero() || next.Before(later)):
			later = next
		}
	}
	penalty := min(usualPenalty<<min(a.errors, 8), longestPenalty)
	if told, _ := s.fails(now); told > 0 {
		penalty = told
	}
	penalty -= releaseDeadline
	if alone := later.IsZero() || later.Sub(due) >= penalty; due.IsZero() || due.After(at.Add(nearMidnight)) &&
		(!alone || due.After(at.Add(penalty))) {
		return at
	}
	return time.Time{}
}

// waits reports whether a reader's edition waits for a site that is still queued.
func (o *oracle) waits(r *reader, now time.Time) bool {
	until := r.planned.Add(releaseDeadline)
	return until.After(now) && slices.ContainsFunc(r.sites, func(s *site) bool {
		queued := o.sites[s].queued
		return !queued.IsZero() && !queued.After(until)
	})
}

func (o *oracle) release(t *testing.T, r *reader, now time.Time) edition {
	late := map[string]bool{}
	for _, s := range r.sites {
		for url, p := range o.sites[s].posts {
			if r.waiting[url] && p.at.Equal(now) && r.planned.Before(now) {
				late[url] = true
			}
		}
	}
	last := r.next
	for next := midnight(t, last, r.zone); !next.After(now); next = midnight(t, last, r.zone) {
		last = next
	}
	e := edition{r, localDate(t, last, r.zone), r.waiting, late, 1}
	if !r.last.IsZero() {
		e.days = max(1, int(math.Round(r.next.Sub(r.last).Hours()/24)))
	}
	r.last = r.next
	r.next, r.planned, r.waiting = midnight(t, last, r.zone), time.Time{}, map[string]bool{}
	maps.Copy(r.had, e.posts)
	if len(e.posts) > 0 {
		r.dates[e.date.Format(time.DateOnly)] = true
	}
	return e
}

// postpone moves posts that were read after the deadline to the reader's next edition, unless got has them. One
// worker may release the edition while another still reads.
func (e *edition) postpone(got map[string]bool) {
	for url := range e.late {
		if !got[url] {
			delete(e.posts, url)
			delete(e.reader.had, url)
			e.reader.waiting[url] = true
		}
	}
	if len(e.posts) == 0 {
		delete(e.reader.dates, e.date.Format(time.DateOnly))
	}
}

func (o *oracle) ask(t *testing.T, s *site, now time.Time) {
	a := o.sites[s]
	before := a.last
	a.last, a.queued = now, time.Time{}
	if told, failed := s.fails(now); failed {
		wait := min(usualPenalty<<min(a.errors, 8), longestPenalty)
		if told > 0 {
			wait = told
		}
		a.errors++
		a.notBefore = now.Add(wait)
		a.queued = o.retry(t, s, now)
		return
	}
	a.read++
	a.errors = 0
	a.least = 0
	if s.hopeless { // each poll transfers the whole document
		a.least = inFull
	}
	fresh := s.fresh
	if s.real != nil {
		a.least = max(a.least, s.real.silence(now, before))
		fresh = max(fresh, s.real.every)
	}
	if a.moved.IsZero() {
		a.moved = now
	}
	s.settled = s.moved != nil && s.forGood() && now.Sub(a.moved) >= believeMove
	a.notBefore, a.freshUntil = time.Time{}, now.Add(fresh)
	// A stuck HEAD hides nothing: its validators are old, but its Content-Length is current, and the document only
	// grows. A different length causes a GET in the same poll.
	first := a.read == 1
	var news []string
	for _, p := range s.listed(now) {
		if _, known := a.posts[p.url]; !known {
			if s.undated {
				p.at = time.Time{}
			}
			a.posts[p.url] = seen{p, now, first}
			a.order = append(a.order, p.url)
			news = append(news, p.url)
		}
	}
	if first {
		news = a.recent(now)
	}
	if s.flickers && !first {
		news = append(news, o.takeBack(s, now)...)
	}
	for _, r := range o.readers {
		if slices.Contains(r.sites, s) {
			r.take(news)
		}
	}
}

// takeBack removes posts that a site no longer lists from waiting readers, each once, and returns posts that it lists
// again.
func (o *oracle) takeBack(s *site, now time.Time) (back []string) {
	a, listed := o.sites[s], map[string]bool{}
	for _, p := range s.listed(now) {
		listed[p.url] = true
	}
	for _, url := range a.order {
		gone, once := a.gone[url]
		switch {
		case gone && listed[url]:
			a.gone[url], back = false, append(back, url)
		case !once && !listed[url]:
			for _, r := range o.readers {
				if r.waiting[url] && slices.Contains(r.sites, s) {
					delete(r.waiting, url)
					a.gone[url] = true
				}
			}
		}
	}
	return back
}

func latest(times ...time.Time) time.Time {
	return slices.MaxFunc(times, time.Time.Compare)
}
