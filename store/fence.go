package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"
)

// beatEvery is the age at which the heartbeat is written again. Workers check it about every minute.
const beatEvery = 5 * time.Minute

const beatKey = "heartbeat"

// furthestBack is how far the clock may go back. Within an hour, due work only waits.
const furthestBack = time.Hour

// FenceRules decide when a database is fenced because of its last heartbeat.
type FenceRules struct {
	After time.Duration // age of the heartbeat from which many waiting editions need the operator
	Most  int           // editions that may wait then
	AsOf  bool          // the caller was started with --now, which may be before or after other times
}

// A heartbeat identifies the instance that last worked on the database.
type heartbeat struct {
	BaseURL string  `json:"base_url"`
	At      instant `json:"at"`
	Brought string  `json:"brought,omitempty"` // the reason if a restore or a copy fenced the database
	AsOf    bool    `json:"as_of,omitempty"`   // At was set by --now
}

// Beat writes a heartbeat unless the database is fenced. Workers call it before they poll or send mail, and regularly
// while they work. The database is fenced after a restore or a copy, or if the last heartbeat has another base URL. It
// is also fenced if the heartbeat is too old by the rules, or if a clock without --now left it and it is over an hour in
// the future. If the returned Fence has a Reason, the caller must not poll or send mail. A database without users is
// never fenced.
func (s Operator) Beat(ctx context.Context, baseURL string, now time.Time, rules FenceRules) (Fence, error) {
	last, known, err := lastBeat(ctx, s.read())
	if err != nil {
		return Fence{}, fmt.Errorf("reading the heartbeat: %w", err)
	}
	if age := now.Sub(last.at()); known && last.Brought == "" && last.BaseURL == baseURL && age >= 0 &&
		age < min(beatEvery, rules.After) {
		return Fence{BaseURL: last.BaseURL, Beat: last.at()}, nil
	}
	return changed(ctx, s.database, "leaving a heartbeat", func(c conn) (Fence, error) {
		f, err := lookFence(ctx, c, baseURL, now, rules)
		if err != nil || f.Reason != "" {
			return f, err
		}
		return f, heartbeat{BaseURL: baseURL, At: at(now), AsOf: rules.AsOf}.leave(ctx, c)
	})
}

// LookFence returns the same as Beat but changes nothing.
func (s Operator) LookFence(ctx context.Context, baseURL string, now time.Time, rules FenceRules) (Fence, error) {
	f, err := lookFence(ctx, s.read(), baseURL, now, rules)
	return f, failed("reading the heartbeat", err)
}

// KnownAs returns the base URL of the instance that last worked on the database, or "".
func (s Operator) KnownAs(ctx context.Context) (baseURL string, err error) {
	last, _, err := lastBeat(ctx, s.read())
	return last.BaseURL, failed("reading the heartbeat", err)
}

// Unfence removes the fence for the instance with this base URL.
func (s Operator) Unfence(ctx context.Context, baseURL string, now time.Time) error {
	return s.change(ctx, "releasing the fence", func(c conn) error { return beat(ctx, c, baseURL, now) })
}

func (b heartbeat) at() time.Time { return b.At.Time() }

func beat(ctx context.Context, c conn, baseURL string, now time.Time) error {
	return heartbeat{BaseURL: baseURL, At: at(now)}.leave(ctx, c)
}

func (b heartbeat) leave(ctx context.Context, c conn) error {
	value, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("writing the heartbeat: %w", err)
	}
	return c.setSetting(ctx, beatKey, value)
}

func lastBeat(ctx context.Context, c conn) (last heartbeat, known bool, err error) {
	value, err := c.setting(ctx, beatKey)
	if err != nil || value == nil {
		return last, false, err
	}
	if err := json.Unmarshal(value, &last); err != nil {
		return last, false, fmt.Errorf("the heartbeat cannot be read: %w", err)
	}
	return last, true, nil
}

func lookFence(ctx context.Context, c conn, baseURL string, now time.Time, rules FenceRules) (Fence, error) {
	last, known, err := lastBeat(ctx, c)
	if err != nil || !known {
		return Fence{}, err
	}
	f := Fence{BaseURL: last.BaseURL, Beat: last.at()}
	elsewhere, age := !sameInstance(last.BaseURL, baseURL), now.Sub(f.Beat)
	back := age < -furthestBack && !rules.AsOf && !last.AsOf
	if !elsewhere && age <= rules.After && !back && last.Brought == "" {
		return f, nil
	}
	readers, err := c.Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM users LIMIT 1) u`)
	if err != nil || readers == 0 {
		return f, err
	}
	if err := c.Get(ctx, &f.Waiting, `SELECT (SELECT count(*) FROM editions WHERE state = 'ready')
		+ (SELECT count(*) FROM mail_claims WHERE state <> 'sent')
		+ (SELECT count(*) FROM digests WHERE state = 'active' AND next_due_at <= ?)`, now); err != nil {
		return f, err
	}
	switch {
	case last.Brought != "":
		f.Reason = last.Brought
	case elsewhere:
		f.Reason = fmt.Sprintf("this database was last at work as %s, and this is %s", last.BaseURL, baseURL)
	case back:
		f.Reason = fmt.Sprintf("this database was last used at %s, which is in the future; correct the clock, "+
			"or restore a backup if a clock was fast", f.Beat.Format("2006-01-02 15:04 MST"))
	case f.Waiting > rules.Most:
		f.Reason = fmt.Sprintf("nobody has worked on this database since %s, and %d editions wait",
			f.Beat.Format("2006-01-02 15:04 MST"), f.Waiting)
	}
	return f, nil
}

// sameInstance reports whether two base URLs have the same host and port. A change from http to https does not matter.
func sameInstance(a, b string) bool { return place(a) == place(b) }

// place returns the host and port of a base URL, without a default port.
func place(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	port := u.Port()
	if u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		port = ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") + " " + port
}

// A FenceView describes what a release of the fence would do.
type FenceView struct {
	Feeds   []string // addresses that would be requested now, sorted
	Readers []FenceReader
	IfNews  int // other readers without waiting editions whose feeds may have news
}

// A FenceReader is a digest whose editions would be mailed.
type FenceReader struct {
	Email  string
	Sealed int       // released editions that would be sent
	DueAt  time.Time // midnight of an edition that would be released; zero: none
	Posts  int       // hidden posts of that edition
}

// Editions returns how many editions would be mailed to the reader.
func (r FenceReader) Editions() int {
	if r.DueAt.IsZero() {
		return r.Sealed
	}
	return r.Sealed + 1
}

// Waiting returns what a worker that starts at now would poll and send.
func (s Operator) Waiting(ctx context.Context, now time.Time) (FenceView, error) {
	var v FenceView
	var feeds []askRow
	if err := s.Policy.check(); err != nil {
		return v, fmt.Errorf("looking for what would be asked: %w", err)
	}
	err := s.read().All(ctx, &feeds,
		`SELECT f.url, `+askColumns+` FROM `+timedFeeds+` WHERE `+alive+` AND t.askable_at <= ?
		AND (t.poll_at <= ? OR EXISTS (SELECT 1 FROM subscriptions s JOIN digests d ON d.id = s.digest_id
			WHERE s.feed_id = f.id AND s.paused = 0 AND `+gathers+` AND `+askedAt+` <= ?)) ORDER BY f.url`, now,
		now, now)
	if err != nil {
		return v, fmt.Errorf("looking for what would be asked: %w", err)
	}
	for _, f := range feeds {
		if s.read().askable(f.Feed, at(now)) <= at(now) {
			v.Feeds = append(v.Feeds, f.URL)
		}
	}
	if v.Readers, err = s.WaitingReaders(ctx, now, math.MaxInt32); err != nil {
		return v, err
	}
	n, err := s.CountWaiting(ctx, now)
	v.IfNews = n.IfNews
	return v, err
}

// mailable holds for digests d whose editions are mailed: their readers have not left, want mail and are not
// suppressed, and no newsletter of theirs is held.
const mailable = `d.state <> 'left' AND ` + unmailedDigest + ` IS NULL
	AND NOT EXISTS (SELECT 1 FROM newsletters n WHERE n.id = d.newsletter_id AND n.state <> 'active')`

// waitingMail selects the mailable digests: how many finished editions wait, and the midnight of the edition that is
// made at now. The midnight is -1 if there is only an edition when the feeds have news, and 0 without an edition. A
// finished edition that is too late expires, so the next edition carries it. Filters, which may hold back all posts of
// an edition, do not count.
func waitingMail(now instant) string {
	const finished = `e.digest_id = d.id AND e.state IN ('ready', 'leased')`
	return fmt.Sprintf(`(SELECT d.id, d.user_id,
			(SELECT count(*) FROM editions e WHERE `+finished+` AND e.expires_at > %[1]d) AS sealed,
			CASE WHEN d.state <> 'active' OR d.next_due_at > %[1]d THEN 0
				WHEN EXISTS (SELECT 1 FROM digest_posts p WHERE p.digest_id = d.id AND p.visible_at = d.next_due_at)
				OR EXISTS (SELECT 1 FROM notices n WHERE n.digest_id = d.id AND n.visible_at = d.next_due_at)
				OR EXISTS (SELECT 1 FROM editions e WHERE `+finished+` AND e.expires_at <= %[1]d)
				OR EXISTS (SELECT 1 FROM editions e WHERE e.digest_id = d.id
				AND `+undelivered+` AND `+isReason+`) THEN d.next_due_at
				WHEN EXISTS (SELECT 1 FROM subscriptions s WHERE s.digest_id = d.id AND s.paused = 0) THEN -1
				ELSE 0 END AS due
		FROM digests d WHERE `+mailable+`) w`, now)
}

// WaitingReaders returns the first readers who would get mail, ordered by address.
func (s Operator) WaitingReaders(ctx context.Context, now time.Time, most int) ([]FenceReader, error) {
	return readRows[FenceReader](ctx, s.read(), "looking for what would be sent", `SELECT u.email, w.sealed,
			CASE WHEN w.due > 0 THEN w.due ELSE 0 END AS due_at,
			(SELECT count(*) FROM digest_posts p WHERE p.digest_id = w.id AND p.visible_at = w.due) AS posts
		FROM `+waitingMail(at(now))+
		` JOIN users u ON u.id = w.user_id WHERE w.sealed > 0 OR w.due > 0 ORDER BY u.email, w.id LIMIT ?`, most)
}

// FenceCounts describes what a release of the fence would send.
type FenceCounts struct {
	Editions int // to the readers of WaitingReaders
	IfNews   int // readers for whom nothing waits, but whose feeds may have news
}

// CountWaiting counts what a release of the fence would send.
func (s Operator) CountWaiting(ctx context.Context, now time.Time) (n FenceCounts, err error) {
	err = s.read().Get(ctx, &n,
		`SELECT CAST(COALESCE(SUM(w.sealed + CASE WHEN w.due > 0 THEN 1 ELSE 0 END), 0) AS BIGINT) AS editions,
		count(DISTINCT CASE WHEN w.sealed = 0 AND w.due < 0 THEN w.user_id END) AS if_news FROM `+waitingMail(at(now)))
	return n, failed("counting what would be sent", err)
}

// A Fence describes why a database must not poll or send mail: it may be a copy of one that is in use or an old backup,
// or the clock went back.
type Fence struct {
	Reason  string    // one line for people; empty: no fence
	BaseURL string    // of the instance that last used the database; empty: none
	Beat    time.Time // last heartbeat
	Waiting int       // editions that would be sent: released ones, and one of each digest whose midnight has passed
}
