package store

import (
	"context"
	"math"
	"time"

	"digest"
)

// A traffic is what the lanes may carry at one instant.
type traffic struct {
	claim digest.Claim
	now   time.Time
	rows  map[string]laneRow
	busy  map[string]int // editions handed to mailers, by lane; the route has all
	ways  map[string]*way
}

// readTraffic reads the lanes, and counts what is under way where that matters.
func readTraffic(ctx context.Context, c conn, now time.Time, q digest.Claim) (*traffic, error) {
	t := &traffic{claim: q, now: now, rows: make(map[string]laneRow), busy: make(map[string]int), ways: make(map[string]*way)}
	var rows []laneRow
	if err := c.all(ctx, &rows, `SELECT `+laneColumns+` FROM lanes l`); err != nil {
		return nil, err
	}
	counts := q.Route.Connections > 0 || q.Domain.Connections > 0
	for _, r := range rows {
		t.rows[r.Name] = r
		counts = counts || r.Connections > 0 || r.Width > 0
	}
	if !counts {
		return t, nil
	}
	var busy []struct {
		Domain string `db:"domain"`
		N      int    `db:"n"`
	}
	if err := c.all(ctx, &busy, `SELECT e.domain, count(*) AS n FROM editions e
		WHERE e.state IN ('leased', 'dotting') GROUP BY e.domain`); err != nil {
		return nil, err
	}
	for _, b := range busy {
		t.busy[b.Domain] += b.N
		if b.Domain != "" { // addresses without a domain have no lane but the route
			t.busy[""] += b.N
		}
	}
	return t, nil
}

// limited reports whether what one claimer takes lessens what is left for others.
func (t *traffic) limited() bool {
	for _, l := range []digest.Limits{t.claim.Route, t.claim.Domain} {
		if l.Connections > 0 || l.Messages > 0 {
			return true
		}
	}
	for _, r := range t.rows {
		if r.Connections > 0 || r.Messages > 0 || r.Width > 0 {
			return true
		}
	}
	return false
}

// way gives the way of a lane, the route's for the empty name.
func (t *traffic) way(name string) *way {
	w, ok := t.ways[name]
	if !ok {
		defaults := t.claim.Domain
		if name == "" {
			defaults = t.claim.Route
		}
		w = newWay(t.rows[name], defaults, t.busy[name], t.now)
		t.ways[name] = w
	}
	return w
}

// closed gives the domains that can carry nothing now.
func (t *traffic) closed() []string {
	known := make(map[string]bool, len(t.rows)+len(t.busy))
	for name := range t.rows {
		known[name] = true
	}
	for name := range t.busy {
		known[name] = true
	}
	delete(known, "")
	var names []string
	for name := range known {
		if t.way(name).room <= 0 {
			names = append(names, name)
		}
	}
	return names
}

// A way is what one lane may carry.
type way struct {
	row  laneRow
	room int  // messages that may be claimed now
	full bool // so many are under way that time alone brings no room

	rests bool // until the row says

	// The rate is kept by the generic cell rate algorithm: free is when all that
	// was claimed will have passed one gap after another, and a claim may run
	// ahead of that by ahead. Of burst messages at once, and then one each gap,
	// no stretch of the rate's time sees more than its messages.
	rated            bool
	free, gap, ahead int64 // microseconds
	moved            bool  // free is not what is stored
}

func newWay(r laneRow, defaults digest.Limits, busy int, now time.Time) *way {
	w := &way{row: r, room: math.MaxInt}
	most := r.Connections
	if most == 0 {
		most = defaults.Connections
	}
	if r.Width > 0 && (most == 0 || r.Width < most) {
		most = r.Width
	}
	if most > 0 {
		w.room = max(0, most-busy)
		w.full = w.room == 0
	}
	rate := digest.Rate{Messages: r.Messages, Per: span(r.Per)}
	if rate.Messages == 0 {
		rate = defaults.Rate
	}
	if rate.Messages > 0 {
		w.room = min(w.room, w.rate(rate, now.UnixMicro()))
	}
	if w.rests = r.lane().Rests(now); w.rests {
		w.room = 0
	}
	return w
}

// rate applies a rate, and gives how many messages it lets pass now.
func (w *way) rate(rate digest.Rate, now int64) int {
	burst := int64(max(1, rate.Messages/10))
	apart := max(1, int64(rate.Messages)-burst)
	w.rated = true
	w.gap = (rate.Per.Microseconds() + apart - 1) / apart
	w.ahead = (burst - 1) * w.gap
	w.free = max(w.row.FreeUS, now)
	// No rate leads further than a burst: this was another rate's, or another clock's.
	w.free = min(w.free, now+burst*w.gap)
	w.moved = w.row.FreeUS > w.free
	if w.free-w.ahead > now {
		return 0
	}
	return int((now+w.ahead-w.free)/w.gap) + 1
}

// take uses up room for one message.
func (w *way) take() {
	w.room--
	if w.rated {
		w.free += w.gap
		w.moved = true
	}
}

// opens is when the lane may carry a message, as far as time alone decides.
func (w *way) opens() time.Time {
	var t time.Time
	if w.rests {
		t = w.row.UntilAt.time()
	}
	if w.rated {
		if free := time.UnixMicro(w.free - w.ahead).UTC(); free.After(t) {
			t = free
		}
	}
	return t
}

// slow reports whether the lane has had trouble.
func (w *way) slow() bool { return w.row.Width > 0 || w.row.Pause > 0 || w.row.Failures > 0 }
