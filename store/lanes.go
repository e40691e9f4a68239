package store

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"digest"
)

// laneRow is a lane as it is stored. One that is well, has no limits of its own
// and has used up no rate has no row.
type laneRow struct {
	digest.Lane
	FreeUS int64 // see capacity
}

const laneColumns = `l.name, l.connections, l.messages, l.per, l.width, l.pause, l.until_at AS until,
	l.failures, l.alarm, l.reason, l.changed_at, l.free_us`

// unremarkable holds for lanes l of which nothing is to be said but how much of
// a rate they have used up.
const unremarkable = `l.connections = 0 AND l.messages = 0 AND l.width = 0 AND l.pause = 0 AND l.until_at = 0
	AND l.failures = 0 AND l.alarm = 0 AND l.reason = ''`

// laneName is the name of the lane of a domain as people write it.
func laneName(domain string) string {
	domain = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(domain), "."))
	if ascii, err := digest.ASCIIHost(domain); err == nil {
		return ascii
	}
	return domain
}

// Lane gives a lane by its name, empty for the route. Most have nothing to be
// said of them: then it is the Lane of that name, and no more.
func (s *Store) Lane(ctx context.Context, name string) (digest.Lane, error) {
	r := laneRow{Lane: digest.Lane{Name: laneName(name)}}
	_, err := s.read().find(ctx, &r, `SELECT `+laneColumns+` FROM lanes l WHERE l.name = ?`, r.Name)
	return r.Lane, failed(fmt.Sprintf("reading the lane %q", name), err)
}

// Lanes gives the lanes that have limits of their own, or trouble: the route
// first, then the domains by name.
func (s *Store) Lanes(ctx context.Context) ([]digest.Lane, error) {
	rows, err := readRows[laneRow](ctx, s.read(), "reading the lanes",
		`SELECT `+laneColumns+` FROM lanes l WHERE NOT (`+unremarkable+`) ORDER BY l.name`)
	return each(rows, func(r laneRow) digest.Lane { return r.Lane }), err
}

// ChangeLane hands a lane to change and stores what it makes of it, in one
// transaction in which nobody else can change it. Its name stays, and ChangedAt
// becomes now. change may be called more than once.
func (s *Store) ChangeLane(ctx context.Context, now time.Time, name string, change func(digest.Lane) digest.Lane) (
	digest.Lane, error) {
	var l digest.Lane
	name = laneName(name)
	err := s.write(ctx, func(c conn) error {
		r, err := lockLane(ctx, c, name)
		if err != nil {
			return err
		}
		was := r.Lane
		if !was.IsPaused(now) && was.Until.After(now) { // a wrong clock's
			was.Until = time.Time{}
		}
		l = change(was)
		l.Name, l.ChangedAt = name, was.ChangedAt
		if l == was && !was.ChangedAt.IsZero() {
			return nil
		}
		l.ChangedAt = at(now).time()
		return storeLane(ctx, c, now, l)
	})
	if err != nil {
		return digest.Lane{}, fmt.Errorf("changing the lane %q: %w", name, err)
	}
	return l, nil
}

// ResumeLane forgets the trouble of a lane, empty for the route, so that it is tried again now; its limits stay.
func (s *Store) ResumeLane(ctx context.Context, now time.Time, name string) error {
	_, err := s.ChangeLane(ctx, now, name,
		func(l digest.Lane) digest.Lane { return digest.Lane{Name: l.Name, Limits: l.Limits} })
	return err
}

// SetLimits sets the operator's limits for a lane; zero ends the rule. What
// trouble the lane has stays as it is.
func (s *Store) SetLimits(ctx context.Context, now time.Time, name string, l digest.Limits) error {
	if strings.ContainsAny(name, "@/ ") {
		return invalid("limits are set for a domain such as example.org, not for %q", name)
	}
	if l.Connections < 0 || l.Messages < 0 || (l.Messages > 0) != (l.Per > 0) || l.Per%time.Second != 0 {
		return invalid("a limit is a number of simultaneous messages, or a rate such as 100/m")
	}
	_, err := s.ChangeLane(ctx, now, name, func(lane digest.Lane) digest.Lane {
		lane.Limits = l
		return lane
	})
	return err
}

// lockLane makes sure that a lane has a row, and locks it.
func lockLane(ctx context.Context, c conn, name string) (laneRow, error) {
	var r laneRow
	if _, err := c.exec(ctx,
		`INSERT INTO lanes (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET name = excluded.name`, name); err != nil {
		return r, err
	}
	err := c.get(ctx, &r, `SELECT `+laneColumns+` FROM lanes l WHERE l.name = ?`, name)
	return r, err
}

// storeLane writes a lane into its row, and deletes the row if it needs none.
func storeLane(ctx context.Context, c conn, now time.Time, l digest.Lane) error {
	if _, err := c.exec(ctx,
		`UPDATE lanes SET connections = ?, messages = ?, per = ?, width = ?, pause = ?, until_at = ?,
		failures = ?, alarm = ?, reason = ?, changed_at = ? WHERE name = ?`,
		l.Connections, l.Messages, int64(l.Per/time.Second), l.Width, seconds(l.Pause), from(l.Until),
		l.Failures, bit(l.Alarm), l.Reason, at(l.ChangedAt), l.Name); err != nil {
		return err
	}
	return forgetLanes(ctx, c, now, `l.name = ?`, l.Name)
}

// forgetLanes deletes the rows of those lanes that need none.
func forgetLanes(ctx context.Context, c conn, now time.Time, which string, args ...any) error {
	return c.run(ctx, `DELETE FROM lanes AS l WHERE `+which+` AND `+unremarkable+` AND l.free_us <= ?`,
		append(args, now.UnixMicro())...)
}

// A capacities is what the lanes may carry at one instant.
type capacities struct {
	claim digest.Claim
	now   time.Time
	rows  map[string]laneRow
	busy  map[string]int // editions handed to mailers, by lane; the route has all
	known map[string]*capacity
}

// readCapacities reads the lanes, and counts what is under way where that matters.
func readCapacities(ctx context.Context, c conn, now time.Time, q digest.Claim) (*capacities, error) {
	t := &capacities{claim: q, now: now, rows: make(map[string]laneRow), busy: make(map[string]int),
		known: make(map[string]*capacity)}
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
	err := countBy(ctx, c, t.busy, `SELECT mc.domain AS kind, count(*) AS n FROM mail_claims mc
		WHERE mc.state <> 'sent' GROUP BY mc.domain`)
	for domain, n := range t.busy {
		if domain != "" { // addresses without a domain have no lane but the route
			t.busy[""] += n
		}
	}
	return t, err
}

// limited reports whether what one claimer takes lessens what is left for others.
func (t *capacities) limited() bool {
	bounds := func(l digest.Limits) bool { return l.Connections > 0 || l.Messages > 0 }
	limited := bounds(t.claim.Route) || bounds(t.claim.Domain)
	for _, r := range t.rows {
		limited = limited || bounds(r.Limits) || r.Width > 0
	}
	return limited
}

// of gives the capacity of a lane, the route's for the empty name.
func (t *capacities) of(name string) *capacity {
	w, ok := t.known[name]
	if !ok {
		defaults := t.claim.Domain
		if name == "" {
			defaults = t.claim.Route
		}
		w = newCapacity(t.rows[name], defaults, t.busy[name], t.now)
		t.known[name] = w
	}
	return w
}

// closed gives the domains that can carry nothing now.
func (t *capacities) closed() []string {
	names := slices.Collect(maps.Keys(t.rows))
	names = slices.AppendSeq(names, maps.Keys(t.busy))
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" || t.of(name).room > 0 })
}

// A capacity is what one lane may carry at one instant.
type capacity struct {
	row  laneRow
	room int  // messages that may be claimed now
	full bool // so many are under way that time alone brings no room

	paused bool // until the row says

	// The rate is kept by the generic cell rate algorithm: free is when all that
	// was claimed will have passed one gap after another, and a claim may run
	// ahead of that by ahead. Of burst messages at once, and then one each gap,
	// no stretch of the rate's time sees more than its messages.
	rated            bool
	free, gap, ahead int64 // microseconds
	moved            bool  // free is not what is stored
}

func newCapacity(r laneRow, defaults digest.Limits, busy int, now time.Time) *capacity {
	w := &capacity{row: r, room: math.MaxInt}
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
	rate := r.Rate
	if rate.Messages == 0 {
		rate = defaults.Rate
	}
	if rate.Messages > 0 {
		w.room = min(w.room, w.rate(rate, now.UnixMicro()))
	}
	if w.paused = r.IsPaused(now); w.paused {
		w.room = 0
	}
	return w
}

// rate applies a rate, and gives how many messages it lets pass now.
func (w *capacity) rate(rate digest.Rate, now int64) int {
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

// use uses up room for one message.
func (w *capacity) use() {
	w.room--
	if w.rated {
		w.free += w.gap
		w.moved = true
	}
}

// opens is when the lane may carry a message, as far as time alone decides.
func (w *capacity) opens() time.Time {
	var t time.Time
	if w.paused {
		t = w.row.Until
	}
	if w.rated {
		if free := time.UnixMicro(w.free - w.ahead).UTC(); free.After(t) {
			t = free
		}
	}
	return t
}

// slow reports whether the lane has had trouble.
func (w *capacity) slow() bool { return w.row.Width > 0 || w.row.Pause > 0 || w.row.Failures > 0 }
