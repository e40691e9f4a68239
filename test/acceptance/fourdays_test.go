package acceptance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

// begin returns the morning of the first day. Europe's clocks change on the third.
func begin() time.Time { return time.Date(2026, 3, 27, 6, 0, 0, 0, time.UTC) }

// zones returns the readers' zones. They include offsets of half and quarter hours, both sides of the date line, and
// clock changes in March 2026 at, before and after midnight.
func zones() []string {
	return []string{
		"Asia/Kolkata", "Asia/Kathmandu", "Asia/Tokyo", "Pacific/Chatham", "Europe/Paris", "UTC",
		"Atlantic/Azores", "America/Sao_Paulo", "America/St_Johns", "Pacific/Honolulu", "Pacific/Apia",
		"America/Los_Angeles", "Asia/Beirut", "Pacific/Auckland", "America/Nuuk",
	}
}

// A scene is a house with readers, their sites, and the expected results.
type scene struct {
	*house
	*court
	sites  []*site
	oracle *oracle
	inbox  *letterbox
	now    time.Time
	// importing, if not nil, is called before each import.
	importing func(args ...string)
}

func newScene(t *testing.T, database string, now time.Time, sites ...*site) *scene {
	t.Helper()
	s := &scene{house: newHouse(t, database), oracle: newOracle(), now: now, sites: sites}
	s.court = newCourt(newRecorder(t, now), s.oracle.subscribers)
	for _, p := range sites {
		s.put(p, p.shares)
	}
	s.inbox = newLetterbox(s.house)
	return s
}

// newSites returns the sites of a scene of five days.
func newSites(n int) []*site { return publish(n, begin(), begin().Add(5*day), 1) }

// join adds a reader of every step-th site, by a subscription list.
func (s *scene) join(email, zone string, offset, step int) *reader {
	s.t.Helper()
	r := &reader{email: email, zone: zone, since: s.now}
	var addresses []string
	for i := offset; i < len(s.sites); i += step {
		r.sites = append(r.sites, s.sites[i])
		addresses = append(addresses, s.sites[i].address())
	}
	s.at(s.now, "user", "add", email, "--time-zone", zone, "--subject", "date")
	list := s.List(addresses...)
	if s.importing != nil {
		s.importing("--now", instant(s.now), "opml", "import", email, list)
	}
	s.at(s.now, "opml", "import", email, list)
	s.oracle.subscribe(s.t, s.now, r)
	return r
}

// populate adds readers in different zones; each site has at least one.
func (s *scene) populate(readers int) {
	s.t.Helper()
	for i, zone := range zones()[:readers] {
		s.join(fmt.Sprintf("reader%d@example.org", i), zone, i%3+i/3%s.step(), s.step()*(1+i%3))
	}
}

// step limits the sites of a reader to about sixty, because larger editions do not fit into a mail.
func (s *scene) step() int { return 1 + (len(s.sites)-1)/60 }

// set sets the clock of everything.
func (s *scene) set(now time.Time) {
	s.now = now
	s.recorder.set(now)
}

// requests returns the requests to sites since the n-th entry.
func (s *scene) requests(n int) []*entry {
	return slices.DeleteFunc(s.entries(n), func(e *entry) bool { return e.site == nil })
}

// hour runs the job for an hour with several workers, and compares the requests and the mail with the oracle.
func (s *scene) hour(now time.Time, workers int) {
	s.t.Helper()
	s.set(now)
	before := len(s.entries(0))
	sums := make([]summary, workers)
	var running sync.WaitGroup
	for i := range sums {
		running.Go(func() { sums[i] = s.tick(now) })
	}
	running.Wait()
	polls, editions := s.oracle.tick(s.t, now)
	letters := s.inbox.arrived(s.t)
	if workers > 1 {
		editions = postpone(editions, letters)
	}
	s.checkPolls(polls, s.requests(before))
	s.judge()
	s.checkMail(editions, letters)
	want := summary{Polled: len(polls), Changed: len(polls), Editions: len(editions), Sent: len(editions)}
	var got summary // Changed includes all outcomes of polls
	for _, sum := range sums {
		got.Polled, got.Changed = got.Polled+sum.Polled, got.Changed+sum.Changed+sum.Unchanged+sum.Failed
		got.Editions, got.Sent = got.Editions+sum.Editions, got.Sent+sum.Sent
		got.FailedMail += sum.FailedMail
	}
	if got != want {
		s.t.Errorf("%s: the summaries say %+v, want %+v", instant(now), sums, want)
	}
}

func postpone(editions []edition, letters []letter) []edition {
	for i := range editions {
		got := map[string]bool{}
		for _, l := range letters {
			if l.To == editions[i].reader.email {
				got = l.posts
			}
		}
		editions[i].postpone(got)
	}
	return slices.DeleteFunc(editions, func(e edition) bool { return len(e.posts) == 0 })
}

func (s *scene) checkPolls(want []*site, requests []*entry) {
	s.t.Helper()
	got := map[*site]bool{}
	for _, e := range requests {
		got[e.site] = true
	}
	for _, site := range want {
		if !got[site] {
			s.t.Errorf("%s: site %d (%s) was not asked", instant(s.now), site.n, site.name)
		}
		delete(got, site)
	}
	for site := range got {
		s.t.Errorf("%s: site %d (%s) was asked and should not be", instant(s.now), site.n, site.name)
	}
}

func (s *scene) checkMail(want []edition, got []letter) {
	s.t.Helper()
	for _, e := range want {
		i := slices.IndexFunc(got, func(l letter) bool { return l.To == e.reader.email })
		if i < 0 {
			s.t.Errorf("%s: %s (%s) got no mail of %s with %d posts", instant(s.now), e.reader.email, e.reader.zone,
				e.date.Format(time.DateOnly), len(e.posts))
			continue
		}
		s.checkLetter(e, got[i])
		got = slices.Delete(got, i, i+1)
	}
	for _, l := range got {
		s.t.Errorf("%s: %s got a mail that should not be: %q", instant(s.now), l.To, l.Subject)
	}
}

func (s *scene) checkLetter(e edition, l letter) {
	s.t.Helper()
	about := fmt.Sprintf("%s: %s (%s)", instant(s.now), e.reader.email, e.reader.zone)
	missing, extra := difference(e.posts, l.posts)
	if len(missing)+len(extra) > 0 {
		s.t.Errorf("%s: %q misses %v and should not have %v", about, l.Subject, missing, extra)
	}
	from := map[string]bool{}
	for url := range e.posts {
		from[strings.SplitAfter(url, ".example")[0]] = true
	}
	want := fmt.Sprintf("%s: %s from %s", e.span(), count(len(e.posts), "post"), count(len(from), "site"))
	if l.Subject != want {
		s.t.Errorf("%s: subject %q, want %q", about, l.Subject, want)
	}
	if !l.Date.Equal(s.now) {
		s.t.Errorf("%s: dated %s", about, l.Date)
	}
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// difference returns the elements that only a has, and those that only b has.
func difference(a, b map[string]bool) (onlyA, onlyB []string) {
	for _, x := range slices.Sorted(maps.Keys(a)) {
		if !b[x] {
			onlyA = append(onlyA, x)
		}
	}
	for _, x := range slices.Sorted(maps.Keys(b)) {
		if !a[x] {
			onlyB = append(onlyB, x)
		}
	}
	return onlyA, onlyB
}

// checkPromise checks the whole run: at most one mail for each reader and date, no post twice, and every post that a
// poll could have fetched by the last midnight.
func (s *scene) checkPromise() {
	s.t.Helper()
	had := map[string]string{}
	for _, l := range s.inbox.letters {
		day, _, _ := strings.Cut(l.Subject, ":")
		if other, again := had[l.To+day]; again {
			s.t.Errorf("%s has two mails of one date: %q and %q", l.To, other, l.Subject)
		}
		had[l.To+day] = l.Subject
		for url := range l.posts {
			if other, again := had[l.To+url]; again {
				s.t.Errorf("%s has %s twice: in %q and %q", l.To, url, other, l.Subject)
			}
			had[l.To+url] = l.Subject
		}
	}
	for _, r := range s.oracle.readers {
		for _, site := range r.sites {
			s.checkNothingLost(r, site, had)
		}
	}
}

// checkNothingLost checks that the reader has all posts older than a day and a half, because a poll and a midnight
// must have followed. It allows more time for a site's max-age, and a day if each poll may transfer the whole
// document.
func (s *scene) checkNothingLost(r *reader, site *site, had map[string]string) {
	s.t.Helper()
	late := s.now.Add(-36*time.Hour - site.fresh)
	if site.hopeless {
		late = late.Add(-inFull)
	}
	if site.flickers { // a post that is absent at the reader's midnight is in the next edition
		late = late.Add(-24 * time.Hour)
	}
	for _, p := range site.posts {
		if p.at.After(r.since) && p.at.Before(late) && had[r.email+p.url] == "" {
			s.t.Errorf("%s never had %s of site %d (%s), published %s", r.email, p.url, site.n, site.name,
				instant(p.at))
		}
	}
}

// life simulates actions of people during the days.
func (s *scene) life(since time.Duration) {
	s.t.Helper()
	readers := s.oracle.readers
	switch since {
	case 26 * time.Hour: // a new reader of known sites: no requests (S17, S18)
		before := len(s.entries(0))
		s.join("late@example.org", "Asia/Dubai", 0, s.step())
		if n := len(s.entries(before)); n != 0 {
			s.t.Errorf("a new reader of known sites made %d requests", n)
		}
	case 31 * time.Hour: // travel to the east: the date that has begun there already had its edition
		s.travel(readers[2], "Pacific/Kiritimati")
	case 47 * time.Hour: // travel to the west: the date repeats, its edition does not
		s.travel(readers[2], "America/Los_Angeles")
	case 52 * time.Hour: // across the date line in the other direction
		s.travel(readers[9], "Pacific/Apia")
	case 58 * time.Hour: // waiting posts of an unsubscribed site are dropped
		r := readers[1]
		if r.sites[3].moved != nil {
			s.t.Fatal("choose another site")
		}
		s.at(s.now, "unsubscribe", r.email, r.sites[3].address())
		s.oracle.leave(r, r.sites[3])
	}
}

func (s *scene) travel(r *reader, zone string) {
	s.t.Helper()
	s.at(s.now, "user", "set", r.email, "--time-zone", zone)
	r.move(s.t, s.now, zone)
}

// TestFourDays simulates four days hour by hour, on PostgreSQL with two concurrent workers.
func TestFourDays(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		sites, readers, workers := 40, 10, 1
		if strings.HasPrefix(database, "postgres") {
			workers = 2
		} else {
			sites, readers = 60, 15
		}
		if full() {
			sites, readers = 240, 15
		}
		s := newScene(t, database, begin(), newSites(sites)...)
		s.populate(readers)
		for now := begin().Add(time.Hour); now.Before(begin().Add(4 * 24 * time.Hour)); now = now.Add(time.Hour) {
			s.hour(now, workers)
			s.life(now.Sub(begin()))
			if t.Failed() {
				t.FailNow()
			}
		}
		s.checkPromise()
		s.judgeRobots()
		t.Logf("%d requests, %d mails", len(s.entries(0)), len(s.inbox.letters))
	})
}
