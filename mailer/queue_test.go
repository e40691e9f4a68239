package mailer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
	"time"

	"digest"
)

// memQueue implements Queue in memory.
type memQueue struct {
	mu        sync.Mutex
	rows      map[digest.EditionID]*memRow
	commits   int           // of dots and marks
	cost      time.Duration // of a commit
	down      bool
	marksDown bool // marks fail, dots do not
	renewDown bool // leases cannot be renewed
	lanes     map[string]digest.Lane
	bounces   []digest.Bounce // from marks
	renewals  int             // of leases

	disk map[digest.EditionID]memRow // the rows at the last commit that waited for the disk
}

func (q *memQueue) sync() {
	q.disk = map[digest.EditionID]memRow{}
	for id, r := range q.rows {
		q.disk[id] = *r
	}
}

func (q *memQueue) losePower() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for id, r := range q.disk {
		*q.rows[id] = r
	}
}

// lasting returns the number of editions that are sent on the disk.
func (q *memQueue) lasting() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range q.disk {
		if r.State == digest.EditionSent {
			n++
		}
	}
	return n
}

type memRow struct {
	digest.Delivery
	leaseUntil time.Time
	dotAt      time.Time
	doubted    bool
}

func newMemQueue(n int, due time.Time) *memQueue {
	q := &memQueue{rows: map[digest.EditionID]*memRow{}, lanes: map[string]digest.Lane{}}
	for i := range n {
		id := digest.EditionID(i + 1)
		q.rows[id] = &memRow{Delivery: digest.Delivery{
			Edition: digest.Edition{
				ID: id, DigestID: digest.DigestID(100 + i), State: digest.EditionReady, NextAt: due, Date: due,
				ExpiresAt: due.Add(20 * time.Hour),
			},
			Email: fmt.Sprintf("reader%d@example.org", id), TimeZone: "Europe/Paris", DigestName: "Daily Digest",
			Domain: "example.org",
		}}
	}
	return q
}

var errDown = errors.New("the database is away")

func (q *memQueue) sorted() []*memRow {
	rows := make([]*memRow, 0, len(q.rows))
	for _, r := range q.rows {
		rows = append(rows, r)
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i].ID < rows[j].ID })
	return rows
}

func (q *memQueue) states() states {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := states{}
	for _, r := range q.rows {
		n[r.State]++
	}
	return n
}

func (q *memQueue) row(id digest.EditionID) memRow {
	q.mu.Lock()
	defer q.mu.Unlock()
	return *q.rows[id]
}

func (q *memQueue) RecoverEditions(_ context.Context, now time.Time, idempotent bool) (n, again int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.down {
		return 0, 0, errDown
	}
	for _, r := range q.rows {
		switch {
		case r.State == digest.EditionLeased && !now.Before(r.leaseUntil):
			r.State = digest.EditionReady
		case r.State == digest.EditionDotting && now.Sub(r.dotAt) >= 15*time.Minute && idempotent:
			r.State = digest.EditionReady
		case r.State == digest.EditionDotting && now.Sub(r.dotAt) >= 15*time.Minute:
			if r.State = digest.EditionInDoubt; r.doubted {
				r.State = digest.EditionUnconfirmed
				again++
			} else {
				n++
			}
			r.doubted = true
		}
	}
	return n, again, nil
}

func (q *memQueue) ClaimEditions(_ context.Context, now time.Time, c digest.Claim) ([]digest.Delivery, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.down {
		return nil, errDown
	}
	if q.lanes[""].Until.After(now) {
		return nil, nil
	}
	inUse := map[string]int{}
	for _, r := range q.rows {
		if r.State == digest.EditionLeased || r.State == digest.EditionDotting {
			inUse[r.Domain]++
		}
	}
	var claimed []digest.Delivery
	for _, r := range q.sorted() {
		if r.NextAt.Before(c.After.NextAt) || r.NextAt.Equal(c.After.NextAt) && r.ID <= c.After.ID {
			continue
		}
		if len(claimed) == c.Most {
			break
		}
		l := q.lanes[r.Domain]
		if r.State != digest.EditionReady && r.State != digest.EditionInDoubt || now.Before(r.NextAt) ||
			l.Until.After(now) {
			continue
		}
		if most := allowed(l, c.Domain); most > 0 && inUse[r.Domain] >= most {
			continue
		}
		inUse[r.Domain]++
		r.State, r.Token, r.leaseUntil, r.WasInDoubt = digest.EditionLeased, c.Token, now.Add(c.Lease), r.doubted
		r.Slow = hasTrouble(l) || hasTrouble(q.lanes[""])
		r.Attempt++
		claimed = append(claimed, r.Delivery)
	}
	q.sync()
	return claimed, nil
}

// allowed returns how many messages a lane accepts concurrently; 0 means no limit.
func allowed(l digest.Lane, defaults digest.Limits) int {
	most := cmp.Or(l.Connections, defaults.Connections)
	if l.Width > 0 && (most == 0 || l.Width < most) {
		most = l.Width
	}
	return most
}

func (q *memQueue) RenewLeases(_ context.Context, now time.Time, token string, lease time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.down || q.renewDown {
		return errDown
	}
	q.renewals++
	for _, r := range q.rows {
		if r.State == digest.EditionLeased && r.Token == token {
			r.leaseUntil = now.Add(lease)
		}
	}
	return nil
}

func (q *memQueue) Lane(_ context.Context, name string) (digest.Lane, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lanes[name]
	l.Name = name
	return l, nil
}

func (q *memQueue) ChangeLane(_ context.Context, now time.Time, name string, change func(digest.Lane) digest.Lane) (
	digest.Lane, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.down {
		return digest.Lane{}, errDown
	}
	l := q.lanes[name]
	l.Name = name
	l = change(l)
	l.Name, l.ChangedAt = name, now
	if q.lanes[name] = l; !hasTrouble(l) && l.Limits == (digest.Limits{}) {
		delete(q.lanes, name)
	}
	return l, nil
}

func (q *memQueue) MarkEditions(ctx context.Context, now time.Time, token string, marks []digest.Mark,
	dots []digest.Dot) (won []digest.EditionID, err error) {
	won, err = q.MarkEditionsUnsynced(ctx, now, token, marks, dots)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err == nil {
		q.sync()
	}
	return won, err
}

// MarkEditionsUnsynced costs and counts one commit for marks and one for dots.
func (q *memQueue) MarkEditionsUnsynced(_ context.Context, now time.Time, token string, marks []digest.Mark,
	dots []digest.Dot) (won []digest.EditionID, err error) {
	if len(marks) > 0 {
		if err := q.commit(true); err != nil {
			return nil, err
		}
		q.mark(now, token, marks)
	}
	if len(dots) > 0 {
		if err := q.commit(false); err != nil {
			return nil, err
		}
		won = q.promise(now, token, dots)
	}
	return won, nil
}

func (q *memQueue) commit(marks bool) error {
	time.Sleep(q.cost)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.down || marks && q.marksDown {
		return errDown
	}
	q.commits++
	return nil
}

func (q *memQueue) promise(now time.Time, token string, dots []digest.Dot) (won []digest.EditionID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, d := range dots {
		if r := q.rows[d.ID]; r.State == digest.EditionLeased && r.Token == token {
			r.State, r.MessageID, r.Date, r.dotAt = digest.EditionDotting, d.MessageID, d.Date, now
			won = append(won, d.ID)
		}
	}
	return won
}

func (q *memQueue) mark(now time.Time, token string, marks []digest.Mark) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, m := range marks {
		r := q.rows[m.ID]
		if r.Token != token || r.State != digest.EditionLeased && r.State != digest.EditionDotting {
			continue
		}
		r.State, r.Reply, r.Error, r.NextAt = m.State, m.Reply, m.Error, m.NextAt
		r.doubted = r.doubted || m.State == digest.EditionInDoubt
		if m.Uncounted {
			r.Attempt--
		}
		if m.Bounce != nil {
			q.bounces = append(q.bounces, *m.Bounce)
		}
		if m.State == digest.EditionSent {
			r.SentAt = now
		}
	}
}

func (q *memQueue) GiveBackEditions(_ context.Context, token string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range q.rows {
		if r.State == digest.EditionLeased && r.Token == token {
			r.Attempt--
			r.State = digest.EditionReady
		}
	}
	return nil
}

type renderFunc func([]digest.Delivery) ([]Letter, error)

func (f renderFunc) Render(_ context.Context, ds []digest.Delivery) ([]Letter, error) { return f(ds) }

func renderAll(ds []digest.Delivery) ([]Letter, error) {
	mails := make([]Letter, len(ds))
	for i, d := range ds {
		mails[i] = Letter{
			Subject: "Friday 20 November: 2 posts from 1 site", HTML: "<p>Hello</p>",
			Text:           fmt.Sprintf("Hello %s\n.dot\n", d.Email),
			UnsubscribeURL: fmt.Sprintf("https://digest.example.org/u/%d", d.ID),
		}
	}
	return mails, nil
}

// quickQueue claims without sorting, for large queues.
type quickQueue struct {
	*memQueue
	next digest.EditionID
}

func (q *quickQueue) ClaimEditions(_ context.Context, now time.Time, c digest.Claim) ([]digest.Delivery, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var claimed []digest.Delivery
	for len(claimed) < c.Most && int(q.next) < len(q.rows) {
		q.next++
		r := q.rows[q.next]
		r.State, r.Token, r.leaseUntil = digest.EditionLeased, c.Token, now.Add(c.Lease)
		r.Attempt++
		claimed = append(claimed, r.Delivery)
	}
	return claimed, nil
}
