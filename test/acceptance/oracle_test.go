package acceptance

import (
	"maps"
	"slices"
	"testing"
	"time"
)

// The settings' defaults, by the contract.
const (
	pollGap         = time.Hour
	releaseDeadline = 30 * time.Minute
	usualPenalty    = 4 * time.Hour  // of an error, by reference/polling.md S20,
	longestPenalty  = 24 * time.Hour // and of many in a row
	nearMidnight    = 2 * time.Hour  // a retry so shortly before a midnight is left to it
	inFull          = 24 * time.Hour // between two polls of a feed that always comes whole, by S33
	believeMove     = 20 * time.Hour // between two sightings, by S28
)

// An oracle foretells, from the sites and the readers alone, which site is
// asked at which hour and which post is in whose mail of which date.
type oracle struct {
	sites   map[*site]*asked
	readers []*reader
	noHEAD  bool // it is never asked
}

// asked is what polling has made of a site so far.
type asked struct {
	last, notBefore, freshUntil, queued time.Time
	moved                               time.Time     // first seen
	read                                int           // answers that held the feed
	errors                              int           // since then
	least                               time.Duration // between two polls, by our own manners
	taught                              lesson
	posts                               map[string]seen
	order                               []string
	gone                                map[string]bool // posts that it has taken back; false: and listed again since
}

type seen struct {
	post
	at    time.Time
	first bool // in the first reading
}

// A reader has a zone and subscriptions.
type reader struct {
	email, zone string
	sites       []*site
	since       time.Time // a reader
	next        time.Time // midnight
	planned     time.Time // when the hour began for it; zero: not yet
	waiting     map[string]bool
	had         map[string]bool // posts
	dates       map[string]bool // of editions
}

// An edition is a mail that must come.
type edition struct {
	reader *reader
	date   time.Time // noon UTC of the local date
	posts  map[string]bool
	late   map[string]bool // of posts: read after the deadline, in the very hour of the release
}

func newOracle() *oracle { return &oracle{sites: map[*site]*asked{}} }

// midnight walks minute by minute from after to the first instant of a later date.
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

// localDate is the reader's date at an instant, as noon UTC of that day.
func localDate(t *testing.T, at time.Time, zone string) time.Time {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	y, m, d := at.In(loc).Date()
	return time.Date(y, m, d, 12, 0, 0, 0, time.UTC)
}

// subscribe adds a reader of sites, which are asked at once if nobody has them yet.
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

// recent is what a new reader of a known site gets: the last 24 hours, or the newest.
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

// move gives a reader another zone: the next midnight there that begins a date
// they had no edition of.
func (r *reader) move(t *testing.T, now time.Time, zone string) {
	r.zone, r.planned = zone, time.Time{}
	r.next = midnight(t, now, zone)
	for r.dates[localDate(t, r.next, zone).Format(time.DateOnly)] {
		r.next = midnight(t, r.next, zone)
	}
}

// leave ends a subscription, and what waits of it goes too.
func (o *oracle) leave(r *reader, s *site) {
	r.sites = slices.DeleteFunc(slices.Clone(r.sites), func(other *site) bool { return other == s })
	for url := range o.sites[s].posts {
		delete(r.waiting, url)
	}
}

// subscribers counts a site's readers.
func (o *oracle) subscribers(s *site) int {
	n := 0
	for _, r := range o.readers {
		if slices.Contains(r.sites, s) {
			n++
		}
	}
	return n
}

// tick foretells what the hour at now does.
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

// askable is when a site may be asked again.
func (a *asked) askable() time.Time {
	return latest(a.last.Add(max(pollGap, a.least)), a.notBefore, a.freshUntil)
}

// retry returns when a site that failed is polled beside the hour: as soon as possible, unless the midnight of one of
// its readers polls it soon after that. It makes way for a midnight, too, that another failure would cost, if a failure
// at that midnight costs no other reader theirs.
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
	if s.trouble.wait > 0 {
		penalty = s.trouble.wait
	}
	penalty -= releaseDeadline
	if alone := later.IsZero() || later.Sub(due) >= penalty; due.IsZero() || due.After(at.Add(nearMidnight)) &&
		(!alone || due.After(at.Add(penalty))) {
		return at
	}
	return time.Time{}
}

// waits tells whether a reader's edition waits for a site that is still queued.
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
	e := edition{r, localDate(t, last, r.zone), r.waiting, late}
	r.next, r.planned, r.waiting = midnight(t, last, r.zone), time.Time{}, map[string]bool{}
	maps.Copy(r.had, e.posts)
	if len(e.posts) > 0 {
		r.dates[e.date.Format(time.DateOnly)] = true
	}
	return e
}

// postpone takes back from an edition what was read too late to be surely in
// it, where one worker may release while another still reads: after the
// deadline nobody waits. It must be in the reader's next.
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

// ask is one look at a site.
func (o *oracle) ask(t *testing.T, s *site, now time.Time) {
	a := o.sites[s]
	before := a.last
	a.last, a.queued = now, time.Time{}
	if s.trouble.at(now) {
		wait := min(usualPenalty<<min(a.errors, 8), longestPenalty)
		if s.trouble.wait > 0 {
			wait = s.trouble.wait
		}
		a.errors++
		a.notBefore = now.Add(wait)
		a.queued = o.retry(t, s, now)
		return
	}
	a.read++
	a.errors = 0
	a.least = a.taught.read(s, now, o.noHEAD)
	fresh := s.maxAge
	if s.real != nil {
		a.least = max(a.least, s.real.silence(now, before))
		fresh = max(fresh, s.real.every)
	}
	if a.moved.IsZero() {
		a.moved = now
	}
	s.settled = s.moved == 301 && now.Sub(a.moved) >= believeMove
	a.notBefore, a.freshUntil = time.Time{}, now.Add(fresh)
	// A HEAD that is stuck keeps nothing back, not even once: its validators are
	// those of the document before, but its Content-Length is of the one that is
	// there, which only grows; with another length a GET follows in the same poll.
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

// takeBack takes what a site does not list any more from those who wait for it, each post once,
// and gives what it lists again.
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

// A lesson is what the answers of a site have taught of how it is best asked.
type lesson struct {
	etag, document     string
	answers304         bool // to a GET
	moves              bool // its validators, over the same document
	repeats            bool // the document, although asked by its validators
	headLies, headGood bool
}

// read takes in a good answer, and gives the least time between two polls: a
// day where each brings the whole document (S33). That is a site without
// validators; until it answers a GET by 304, one whose validators have moved
// over the same document; and where HEAD is never asked, one whose ETag is in
// the way. All others that ignore conditions tell the truth to HEAD, here.
func (l *lesson) read(s *site, now time.Time, noHEAD bool) time.Duration {
	etag, lm := s.validators(now)
	switch {
	case etag == "" && lm == "":
		return inFull
	case s.touches:
		l.touched(etag, string(s.document(now)), noHEAD)
	case s.temper.etag == suffixed && noHEAD:
		l.answers304 = l.answers304 || l.repeats && l.etag == etag
		l.repeats = l.repeats || l.etag == etag
		l.etag = etag
	}
	if (l.moves || l.repeats) && !l.answers304 && (l.headLies || !l.headGood) {
		return inFull
	}
	return 0
}

// touched takes in an answer of a site whose validators move by themselves.
func (l *lesson) touched(etag, document string, noHEAD bool) {
	first, moved := l.etag == "", l.etag != etag
	head := !noHEAD && !first && !l.answers304 && !l.headLies && (l.moves || !l.headGood)
	switch {
	case first:
	case !moved && head:
		l.headGood = true
	case !moved:
		l.answers304 = true
	case document == l.document:
		l.moves = l.moves || !l.answers304
		l.headLies = l.headLies || head
	default:
		l.headGood = l.headGood || head
	}
	l.etag, l.document = etag, document
}

func latest(times ...time.Time) time.Time {
	return slices.MaxFunc(times, time.Time.Compare)
}
