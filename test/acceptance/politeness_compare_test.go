package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A tally contains the statistics of one site.
type tally struct {
	polls, requests, heads, full, bytes int
	last                                time.Time
}

func (w *world) tallies() map[*site]*tally {
	all := map[*site]*tally{}
	for _, p := range w.sites {
		all[p] = &tally{}
	}
	for _, e := range w.recorder.entries(0) {
		t := all[e.site]
		if t == nil {
			continue
		}
		t.requests++
		t.bytes += e.wire
		if e.req.Method == http.MethodHead {
			t.heads++
		} else if e.reply.status == http.StatusOK && e.reply.version > 0 {
			t.full++
		}
		if !e.at.Equal(t.last) {
			t.polls++
		}
		t.last = e.at
	}
	return all
}

// compare compares each site's requests and bytes with the ideal reader's, and the delivery of posts with the
// earliest possible day.
func (w *world) compare() {
	const learning = 1 // one HEAD to try
	got := w.tallies()
	var table strings.Builder
	fmt.Fprintf(&table, "%-52s %15s %15s %15s %17s\n", "site", "polls", "requests", "full", "bytes")
	sum, sumIdeal := tally{}, tally{}
	for _, p := range w.sites {
		g, best := got[p], w.model.states[p]
		fmt.Fprintf(&table, "%3d %-48.48s %7d %7d %7d %7d %7d %7d %8d %8d\n", p.n, p.name, g.polls, best.polls,
			g.requests, best.requests, g.full, best.full, g.bytes, best.bytes)
		sum.requests, sum.bytes = sum.requests+g.requests, sum.bytes+g.bytes
		sumIdeal.requests, sumIdeal.bytes = sumIdeal.requests+best.requests, sumIdeal.bytes+best.bytes
		if most := best.requests + p.extra + learning; g.requests > most {
			w.broken(p, w.ticks[len(w.ticks)-1], "ideal",
				"%d requests in %d polls; the ideal is %d in %d, and %d more are allowed (%s)", g.requests,
				g.polls, best.requests, best.polls, p.extra+learning, p.extraWhy)
		}
		if most := best.full + p.extraFull; g.full > most {
			w.broken(p, w.ticks[len(w.ticks)-1], "ideal",
				"%d full answers; the ideal is %d, and %d more are allowed (%s)", g.full, best.full,
				p.extraFull, p.extraWhy)
		}
	}
	fmt.Fprintf(&table, "in all: %d requests, ideal %d; %d bytes, ideal %d\n", sum.requests, sumIdeal.requests,
		sum.bytes, sumIdeal.bytes)
	w.t.Log("program and ideal, by turns\n" + table.String())
	for _, r := range w.model.readers {
		w.compareMail(r)
	}
}

// compareMail checks that no post is later than possible.
func (w *world) compareMail(r *subscriber) {
	got := w.got[r.email]
	for _, p := range r.sites {
		for _, post := range p.posts {
			best, must := r.got[post.url]
			at, came := got[post.url]
			switch {
			case !must || p.bursts(post.at): // too many to get all
			case p.lags && (came || w.ticks[len(w.ticks)-1].Sub(post.at) < 3*day):
			case !came:
				w.broken(p, best, "I3", "post %d of day %.2f never came to %s", post.n,
					post.at.Sub(runBegin()).Hours()/24, r.email)
			case at.Sub(best) > 2*time.Hour:
				w.broken(p, at, "late", "post %d of day %.2f came to %s; it could have come on day %.2f",
					post.n, post.at.Sub(runBegin()).Hours()/24, r.email, best.Sub(runBegin()).Hours()/24)
			}
		}
	}
}
