package acceptance

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/program"
	"digest/test/tier"
)

// stopWithin is the time within which the program must end after a signal.
const stopWithin = 15 * time.Second

// beginsWithin is the time within which the program starts to listen for signals, on a busy machine.
const beginsWithin = time.Second

// The tempers of mixed feeds.
const (
	quick   = iota // responds immediately
	tarpit         // sends nothing
	trickle        // sends a byte at a time
	large          // a document of 9 MB
	costly         // a document that is slow to parse
	slowKinds
)

// mixed responds for a feed that has published a post per day. At night all except the quick ones are slow.
func (s *siege) mixed(w http.ResponseWriter, r *http.Request, n int) {
	temper := quick
	if s.night.Load() {
		temper = n % slowKinds
	}
	etag := fmt.Sprintf(`"%d-%d"`, s.day.Load(), temper)
	if w.Header().Set("ETag", etag); r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	switch temper {
	case tarpit, trickle:
		tarry(w, r, map[int]int{tarpit: 0, trickle: 3}[temper])
	default:
		_, _ = io.WriteString(w, mixedDocument(n, temper, int(s.day.Load())))
	}
}

func mixedDocument(site, temper, day int) string {
	var b strings.Builder
	b.WriteString(`<rss version="2.0"><channel><title>Site</title>`)
	for d := day; d > max(0, day-50); d-- {
		text := ""
		switch {
		case temper == large && d > day-20:
			text = strings.Repeat("&lt;p&gt;a paragraph of &lt;b&gt;some&lt;/b&gt; words&lt;/p&gt;", 450<<10/66)
		case temper == costly && d == day:
			var attributes strings.Builder
			for i := range 12000 {
				fmt.Fprintf(&attributes, "&lt;html a%d=b&gt;", i)
			}
			text = attributes.String()
		}
		fmt.Fprintf(&b, `<item><title>t-%d-%d-t</title><guid>%d-%d</guid><link>http://site.example/%d/%d</link>`+
			`<description>%s</description></item>`, site, d, site, d, site, d, text)
	}
	b.WriteString(`</channel></rss>`)
	return b.String()
}

var slowTitle = regexp.MustCompile(`t-\d+-\d+-t`)

// TestStopAtAnyMoment interrupts the program at different times, beside sites that hang, trickle, or send documents
// that are slow to parse. It must end within 15 seconds, and no post is lost or repeated.
func TestStopAtAnyMoment(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		const sites = 15
		moments := 6
		if full() {
			moments = 20
		}
		s := newSiege(t, database)
		s.Set("DIGEST_POLL_WINDOW=0", "DIGEST_HOST_INTERVAL=100ms", "DIGEST_RELEASE_DEADLINE=30m",
			"DIGEST_LISTEN="+program.FreeAddress(t))
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		s.day.Store(1)
		s.readers(now, "reader", 1, sites, mixedFeed, sites)
		s.at(now, "tick")
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 1))
		for moment := range moments {
			now = now.Truncate(24 * time.Hour).Add(24 * time.Hour)
			s.day.Add(1)
			s.night.Store(true)
			command := []string{"serve", "work", "tick"}[moment%3]
			stopAfter(s.house, now, time.Duration(random.Int64N(int64(10*time.Second))), command)
			s.night.Store(false)
			for hour := range 14 { // until penalties and the gap have passed
				s.at(now.Add(time.Duration(hour+1)*time.Hour), "tick")
			}
		}
		now = now.Add(24 * time.Hour)
		for hour := range 14 {
			s.at(now.Add(time.Duration(hour)*time.Hour), "tick")
		}
		checkTitles(t, s.house, sites, moments+1)
	})
}

// stopAfter runs a command at a time, interrupts it after a while, and checks how long it takes to end.
func stopAfter(h *house, now time.Time, after time.Duration, command string) {
	h.t.Helper()
	p := h.Start("", "--now", instant(now), command)
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	select {
	case err := <-ended: // a tick may be complete
		if err != nil {
			h.t.Errorf("%s ended by itself: %v\n%s", command, err, &p.Said)
		}
		return
	case <-time.After(after):
	}
	told := time.Now()
	_ = p.Process.Signal(syscall.SIGTERM)
	err := <-ended
	if e, ok := errors.AsType[*exec.ExitError](err); ok && after < beginsWithin && p.Said.Len() == 0 &&
		e.Sys().(syscall.WaitStatus).Signaled() {
		err = nil // it had not yet started to listen or work
	}
	if took := time.Since(told); took > stopWithin || err != nil {
		h.t.Errorf("%s, told to stop after %v, ended after %v: %v\n%s", command, after, took, err, &p.Said)
	} else {
		h.t.Logf("%s, told to stop after %v, ended after %v", command, after.Round(time.Millisecond),
			took.Round(time.Millisecond))
	}
}

func checkTitles(t *testing.T, h *house, sites, days int) {
	t.Helper()
	times := map[string]int{}
	for _, l := range newLetterbox(h).arrived(t) {
		seen := map[string]bool{}
		for _, title := range slowTitle.FindAllString(l.Text, -1) {
			seen[title] = true
		}
		for title := range seen {
			times[title]++
		}
	}
	for site := range sites {
		for day := 1; day <= days; day++ {
			if n := times[fmt.Sprintf("t-%d-%d-t", site, day)]; n != 1 {
				t.Errorf("the post of day %d of site %d, which is of temper %d, was mailed %d times", day, site,
					site%slowKinds, n)
			}
		}
	}
}
