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
	"digest/store/db"
)

// A laneRow is a stored lane. A lane without trouble, own limits and used rate has no row.
type laneRow struct {
	digest.Lane
	FreeUS int64 // see capacity
}

const laneColumns = `l.name, l.connections, l.messages, l.per, l.width, l.pause, l.until_at AS until,
	l.failures, l.alarm, l.reason, l.changed_at, l.free_us`

// unremarkable holds for lanes l without limits and trouble, whatever rate they have used.
const unremarkable = `l.connections = 0 AND l.messages = 0 AND l.width = 0 AND l.pause = 0 AND l.until_at = 0
	AND l.failures = 0 AND l.alarm = 0 AND l.reason = ''`

// laneName returns the name of the lane for a domain.
func laneName(domain string) string {
	domain = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(domain), "."))
	if ascii, err := digest.ASCIIHost(domain); err == nil {
		return ascii
	}
	return domain
}

// Lane returns a lane by its name, empty for the route. Without a row it returns a Lane with only that name.
func (s Editions) Lane(ctx context.Context, name string) (digest.Lane, error) {
	r := laneRow{Lane: digest.Lane{Name: laneName(name)}}
	_, err := s.read().Find(ctx, &r, `SELECT `+laneColumns+` FROM lanes l WHERE l.name = ?`, r.Name)
	return r.Lane, failed(fmt.Sprintf("reading the lane %q", name), err)
}

// Lanes returns the lanes that have their own limits or trouble: the route first, then the domains by name.
func (s Editions) Lanes(ctx context.Context) ([]digest.Lane, error) {
	rows, err := readRows[laneRow](ctx, s.read(), "reading the lanes",
		`SELECT `+laneColumns+` FROM lanes l WHERE NOT (`+unremarkable+`) ORDER BY l.name`)
	return each(rows, func(r laneRow) digest.Lane { return r.Lane }), err
}

// ChangeLane replaces a lane by the result of change, in one transaction that locks the lane. It keeps the name. If
// the lane changes, it sets ChangedAt to now. It may call change more than once.
func (s Editions) ChangeLane(ctx context.Context, now time.Time, name string, change func(digest.Lane) digest.Lane) (
	digest.Lane, error) {
	var l digest.Lane
	name = laneName(name)
	err := s.write(ctx, func(c conn) error {
		r, err := lockLane(ctx, c, name)
		if err != nil {
			return err
		}
		was := r.Lane
		if !was.IsPaused(now) && was.Until.After(now) { // set by a wrong clock
			was.Until = time.Time{}
		}
		l = change(was)
		l.Name, l.ChangedAt = name, was.ChangedAt
		if l == was && !was.ChangedAt.IsZero() {
			return nil
		}
		l.ChangedAt = at(now).Time()
		return storeLane(ctx, c, now, l)
	})
	if err != nil {
		return digest.Lane{}, fmt.Errorf("changing the lane %q: %w", name, err)
	}
	return l, nil
}

// ResumeLane clears the trouble of a lane, empty for the route, so that it is tried again now. Its limits remain.
func (s Editions) ResumeLane(ctx context.Context, now time.Time, name string) error {
	_, err := s.ChangeLane(ctx, now, name,
		func(l digest.Lane) digest.Lane { return digest.Lane{Name: l.Name, Limits: l.Limits} })
	return err
}

// SetLimits sets the operator's limits for a lane; zero removes them. It does not change the trouble of the lane.
func (s Editions) SetLimits(ctx context.Context, now time.Time, name string, l digest.Limits) error {
	if strings.ContainsAny(name, "@/ ") {
		return db.Invalid("limits are set for a domain such as example.org, not for %q", name)
	}
	if l.Connections < 0 || l.Messages < 0 || (l.Messages > 0) != (l.Per > 0) || l.Per%time.Second != 0 {
		return db.Invalid("a limit is a number of simultaneous messages, or a rate such as 100/m")
	}
	_, err := s.ChangeLane(ctx, now, name, func(lane digest.Lane) digest.Lane {
		lane.Limits = l
		return lane
	})
	return err
}

// lockLane locks the row of a lane, and inserts it if it is missing.
func lockLane(ctx context.Context, c conn, name string) (laneRow, error) {
	var r laneRow
	if err := c.Run(ctx,
		`INSERT INTO lanes (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET name = excluded.name`, name); err != nil {
		return r, err
	}
	err := c.Get(ctx, &r, `SELECT `+laneColumns+` FROM lanes l WHERE l.name = ?`, name)
	return r, err
}

// storeLane updates the row of a lane, and deletes it if the lane needs none.
func storeLane(ctx context.Context, c conn, now time.Time, l digest.Lane) error {
	if err := c.Run(ctx,
		`UPDATE lanes SET connections = ?, messages = ?, per = ?, width = ?, pause = ?, until_at = ?,
		failures = ?, alarm = ?, reason = ?, changed_at = ? WHERE name = ?`,
		l.Connections, l.Messages, l.Per, l.Width, l.Pause, from(l.Until),
		l.Failures, l.Alarm, l.Reason, l.ChangedAt, l.Name); err != nil {
		return err
	}
	return forgetLanes(ctx, c, now, `l.name = ?`, l.Name)
}

// forgetLanes deletes rows of lanes that need none.
func forgetLanes(ctx context.Context, c conn, now time.Time, which string, args ...any) error {
	return c.Run(ctx, `DELETE FROM lanes AS l WHERE `+which+` AND `+unremarkable+` AND l.free_us <= ?`,
		append(args, now.UnixMicro())...)
}

// A capacities holds what each lane may carry at one instant.
type capacities struct {
	claim digest.Claim
	now   time.Time
	rows  map[string]laneRow
	busy  map[string]int // claimed editions, by lane; the route counts all
	known map[string]*capacity
}

// readCapacities reads the lanes, and counts the claimed editions if a limit needs the count.
func readCapacities(ctx context.Context, c conn, now time.Time, q digest.Claim) (*capacities, error) {
	t := &capacities{claim: q, now: now, rows: make(map[string]laneRow), busy: make(map[string]int),
		known: make(map[string]*capacity)}
	var rows []laneRow
	if err := c.All(ctx, &rows, `SELECT `+laneColumns+` FROM lanes l`); err != nil {
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
		if domain != "" { // addresses without a domain only use the route
			t.busy[""] += n
		}
	}
	return t, err
}

// limited reports whether a claim reduces what other claimers may claim.
func (t *capacities) limited() bool {
	bounds := func(l digest.Limits) bool { return l.Connections > 0 || l.Messages > 0 }
	limited := bounds(t.claim.Route) || bounds(t.claim.Domain)
	for _, r := range t.rows {
		limited = limited || bounds(r.Limits) || r.Width > 0
	}
	return limited
}

// of returns the capacity of a lane, of the route for the empty name.
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

// closed returns the domains that may carry nothing now.
func (t *capacities) closed() []string {
	names := slices.Collect(maps.Keys(t.rows))
	names = slices.AppendSeq(names, maps.Keys(t.busy))
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" || t.of(name).room > 0 })
}

// A capacity holds what one lane may carry at one instant.
type capacity struct {
	row  laneRow
	room int  // messages that may be claimed now
	full bool // the lane has room again only after a mark or the end of a lease

	paused bool // until row.Until

	// The rate uses the generic cell rate algorithm. free is when all claimed messages have passed, one every gap. A
	// claim may run ahead of this by ahead. So a burst of messages may pass together, and then one every gap. No period
	// of the rate contains more than its number of messages.
	rated            bool
	free, gap, ahead int64 // microseconds
	moved            bool  // free differs from the stored value
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

// rate applies a rate and returns how many messages may pass now.
func (w *capacity) rate(rate digest.Rate, now int64) int {
	burst := int64(max(1, rate.Messages/10))
	apart := max(1, int64(rate.Messages)-burst)
	w.rated = true
	w.gap = (rate.Per.Microseconds() + apart - 1) / apart
	w.ahead = (burst - 1) * w.gap
	w.free = max(w.row.FreeUS, now)
	// A later time than one burst is from another rate or a wrong clock.
	w.free = min(w.free, now+burst*w.gap)
	w.moved = w.row.FreeUS > w.free
	if w.free-w.ahead > now {
		return 0
	}
	return int((now+w.ahead-w.free)/w.gap) + 1
}

// use takes the room of one message.
func (w *capacity) use() {
	w.room--
	if w.rated {
		w.free += w.gap
		w.moved = true
	}
}

// opens returns when the lane may carry a message again, if no mark is necessary for that.
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
