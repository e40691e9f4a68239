package acceptance

import (
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

// A reaper kills runs of the program at seeded random times.
type reaper struct {
	*scene
	random *rand.Rand
	most   time.Duration // maximum duration of a run
	beside bool          // another worker, which is not killed, does the same hour
	killed int           // number of killed runs
	deaths []time.Time   // when they were killed, and when killAtDot killed one
	atMail atomic.Int32  // runs killed just after they delivered mail
}

func newReaper(s *scene, seed uint64) *reaper {
	if full() {
		seed = rand.Uint64()
	}
	s.t.Logf("seed %d", seed)
	r := &reaper{scene: s, random: rand.New(rand.NewPCG(seed, 7)), most: 80 * time.Millisecond}
	if full() {
		r.most = 400 * time.Millisecond
	}
	return r
}

// interrupt starts a run several times and kills it each time: after a random time, at the k-th request to a site, or
// when a mail has arrived.
func (r *reaper) interrupt(times int, args ...string) {
	r.t.Helper()
	for range times {
		ctx, kill := context.WithCancel(r.t.Context())
		after := time.Duration(r.random.Int64N(int64(r.most)))
		var watching sync.WaitGroup
		switch r.random.IntN(3) {
		case 0:
			r.onRequest(1+r.random.IntN(25), kill)
			after += r.most
		case 1:
			mails := 1 + r.random.IntN(2)
			watching.Go(func() { r.watchMail(ctx, mails, kill) })
			after += time.Second
		}
		timer := time.AfterFunc(after, kill)
		o := r.try(ctx, args...)
		timer.Stop()
		r.onRequest(0, nil)
		kill()
		watching.Wait()
		switch {
		case o.status == -1:
			r.killed++
			r.deaths = append(r.deaths, r.now)
		case o.status != 0:
			r.t.Errorf("digest %s after a crash: exit status %d: %s", strings.Join(args, " "), o.status, o.stderr)
		}
	}
}

// watchMail kills a run when more mails have arrived in the Maildir: the run has delivered them, but may not have
// recorded it.
func (r *reaper) watchMail(ctx context.Context, more int, kill func()) {
	folder := filepath.Join(r.Maildir(), "new")
	before, _ := os.ReadDir(folder)
	look := time.NewTicker(500 * time.Microsecond)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			if now, _ := os.ReadDir(folder); len(now) >= len(before)+more {
				r.atMail.Add(1)
				kill()
				return
			}
		}
	}
}

// hours runs the hours until a time. In each hour it kills as many runs as crash returns before one may finish. After
// crashes it runs the job again 20 minutes later, when all leases of the killed runs have expired.
func (r *reaper) hours(until time.Time, crash func(hour int) int) {
	r.t.Helper()
	for now := r.now.Truncate(time.Hour).Add(time.Hour); !now.After(until); now = now.Add(time.Hour) {
		r.set(now)
		crashes := crash(now.Hour())
		var other sync.WaitGroup
		if r.beside && crashes > 0 {
			other.Go(func() { r.tick(now) })
		}
		r.interrupt(crashes, "--now", instant(now), "tick")
		other.Wait()
		r.tick(now)
		r.checkInTime(r.inbox.arrived(r.t))
		if crashes > 0 {
			r.set(now.Add(20 * time.Minute))
			r.tick(r.now)
			r.checkInTime(r.inbox.arrived(r.t))
		}
	}
}

// checkInTime checks that no mail arrives before the midnight that begins its date.
func (s *scene) checkInTime(letters []letter) {
	s.t.Helper()
	for _, l := range letters {
		i := slices.IndexFunc(s.oracle.readers, func(r *reader) bool { return r.email == l.To })
		if i < 0 {
			s.t.Errorf("a mail to %s, who is nobody", l.To)
			continue
		}
		day, today := strings.Split(l.Subject, ":")[0], localDate(s.t, s.now, s.oracle.readers[i].zone)
		if day != today.Format("Monday 2 January") && day != today.AddDate(0, 0, -1).Format("Monday 2 January") {
			s.t.Errorf("%s: %s, whose date is %s, got %q", instant(s.now), l.To, today.Format(time.DateOnly), l.Subject)
		}
	}
}

// checkGaps checks the requests, whatever was killed: a site gets at most one per hour, with the validators of one of
// its responses (S16). A request may have only the date if the ETag names a coding and came twice with the complete
// feed (S37).
func (s *scene) checkGaps(killed ...time.Time) {
	s.t.Helper()
	s.judgeRobots(killed...)
	last := map[*site]time.Time{}
	methods := map[*site]string{}
	gave := map[*site]map[string]bool{}
	came := map[*site]string{} // the ETag of the last complete feed
	byDate := map[*site]bool{}
	for _, e := range s.requests(0) {
		p := e.site
		if gave[p] == nil {
			gave[p] = map[string]bool{"\n": true}
		}
		if before, asked := last[p]; asked && !e.at.Equal(before) {
			methods[p] = ""
			if gap := e.at.Sub(before); gap < pollGap {
				s.broken(p, e.at, "S14", "asked %s after the last time", gap)
			}
		}
		last[p] = e.at
		if e.moved {
			continue
		}
		methods[p] += e.req.Method + " "
		if m := methods[p]; m != "GET " && m != "HEAD " && m != "HEAD GET " {
			s.broken(p, e.at, "S16", "asked %sin one hour", m)
		}
		if pair := e.req.Header.Get("If-None-Match") + "\n" + e.req.Header.Get("If-Modified-Since"); !gave[p][pair] {
			s.broken(p, e.at, "S2-S12", "sent validators that it never gave: %q", pair)
		}
		etag, lm := e.reply.get("ETag"), e.reply.get("Last-Modified")
		if e.whole() {
			byDate[p] = byDate[p] || p.late && came[p] == etag
			came[p] = etag
		}
		if e.whole() || e.reply.status == http.StatusNotModified {
			gave[p][etag+"\n"+lm] = true
			gave[p]["\n"+lm] = byDate[p] || gave[p]["\n"+lm]
		}
	}
}

func (s *scene) checkMessageIDs() {
	s.t.Helper()
	had := map[string]bool{}
	for _, l := range s.inbox.letters {
		if had[l.ID] {
			s.t.Errorf("%s is in the Maildir twice", l.ID)
		}
		had[l.ID] = true
	}
}

// TestKill kills the hourly job and every import repeatedly, on PostgreSQL beside another worker. The following hours
// must complete the work: no post is lost or repeated, and no site gets too many requests.
func TestKill(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		sites, readers, crashes := 40, 10, 3
		if full() {
			sites, readers, crashes = 150, 15, 5
		}
		s := newScene(t, database, begin(), newSites(sites)...)
		r := newReaper(s, 20260327)
		r.beside = strings.HasPrefix(database, "postgres")
		s.importing = func(args ...string) { r.interrupt(crashes, args...) }
		s.populate(readers)
		r.hours(begin().Add(54*time.Hour), func(int) int { return r.random.IntN(crashes + 1) })
		if r.killed < 10 {
			t.Fatalf("only %d runs were killed", r.killed)
		}
		r.hours(begin().Add(96*time.Hour), func(int) int { return 0 })
		s.checkPromise()
		s.checkMessageIDs()
		s.checkGaps(r.deaths...)
		t.Logf("%d runs killed, %d of them with mail just delivered, %d requests, %d mails", r.killed, r.atMail.Load(),
			len(s.entries(0)), len(s.inbox.letters))
	})
}
