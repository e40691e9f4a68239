package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"digest"
)

// ClaimOptions says what ClaimFeeds may claim, and how.
type ClaimOptions struct {
	N     int // feeds at most
	Lease time.Duration
	Token string // of the lease

	// Until, where it lies ahead of now, also claims feeds whose time comes by
	// then, each to be asked at its StartAt: who claims them waits for that. Feeds of
	// domains that are paced are not claimed ahead.
	Until time.Time

	// Full says whose feeds are left in the queue, since they have their share
	// of what is in flight.
	Full digest.FullShares

	// Next chooses n at most where more feeds are queued than are wanted; they
	// are given in the order of the queue. Nil: the first.
	Next func(queue []digest.QueuedFeed, n int) []digest.FeedID
}

const (
	// turnsPer is how many queued feeds are looked at for each that is wanted,
	// where there are more than are wanted.
	turnsPer = 2
	// candidatesPer is the same where those of one host stand together in the queue.
	candidatesPer = 4
)

// firstReader and lastReader are the digests that are subscribed to a feed f.
const (
	firstReader = `COALESCE((SELECT s.digest_id FROM subscriptions s WHERE s.feed_id = f.id AND s.paused = 0 ORDER BY s.digest_id LIMIT 1), 0)`
	lastReader  = `COALESCE((SELECT s.digest_id FROM subscriptions s WHERE s.feed_id = f.id AND s.paused = 0 ORDER BY s.digest_id DESC LIMIT 1), 0)`
)

// ClaimFeeds leases at most N feeds whose poll is due at now, in the order of the queue. It skips a feed whose poll the
// Policy forbids now, and a feed whose host is leased: at most one poll of a host is in flight, across all workers.
// Of a paced domain or address it leases one feed, and no other until the pace allows the next. The record has the
// attempt before the first request (I5).
//
// Concurrent callers get different feeds. left reports that due feeds remain: there were more than N, other callers had
// locked them, or their host, domain or share is in use.
func (s *Store) ClaimFeeds(ctx context.Context, now time.Time, o ClaimOptions) (claimed []ClaimedFeed, left bool,
	err error) {
	if err := s.Policy.check(); err != nil {
		return nil, false, failed("claiming feeds", err)
	}
	err = s.change(ctx, "claiming feeds", func(c conn) (err error) {
		q := claiming{ClaimOptions: o, c: c, now: at(now), until: max(at(now), at(o.Until)), attempt: from(now)}
		if claimed, err = q.claim(ctx); err == nil {
			left, err = q.left(ctx)
		}
		return err
	})
	if err != nil {
		return nil, false, err
	}
	return claimed, left, nil
}

// A claiming is one transaction of ClaimFeeds.
type claiming struct {
	ClaimOptions
	c       conn
	now     instant
	until   instant // by when the time of what is claimed comes
	attempt instant // what is noted as the time of an attempt that can be made now

	met  []digest.FeedID // others were met at their times
	more bool            // feeds were seen that are due and were not claimed
}

// start is when a feed that is claimed is asked.
func (q *claiming) start(f askRow) instant { return max(q.now, at(f.PollAt), f.AskableAt) }

// left reports whether a feed is due that was not claimed.
func (q *claiming) left(ctx context.Context) (left bool, err error) {
	if q.more {
		return true, nil
	}
	err = q.c.get(ctx, &left, `SELECT EXISTS (SELECT 1 FROM feed_times t WHERE t.poll_at <= ? AND t.askable_at <= ?
		AND (SELECT 1 FROM feeds f WHERE f.id = t.feed_id AND `+alive+`) = 1)`, q.until, q.until)
	return left, err
}

func (q *claiming) claim(ctx context.Context) ([]ClaimedFeed, error) {
	wanted, paced, err := q.candidates(ctx)
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	won, err := q.leaseHosts(ctx, wanted)
	q.more = q.more || len(won) < len(wanted)
	if err != nil || len(won) == 0 {
		return nil, err
	}
	if err := q.delayDomains(ctx, won, paced); err != nil {
		return nil, err
	}
	return q.leaseFeeds(ctx, won)
}

// candidates returns feeds in the queue that may be polled, and the paces of their domains and addresses. It returns
// one feed of each host, paced domain and paced address: the first, or the feed whose turn it is. It locks their
// times until the transaction ends. If other callers hold most of them, it looks again for the rest.
func (q *claiming) candidates(ctx context.Context) ([]askRow, paces, error) {
	if err := q.c.untilCommit(ctx, q.c.d.inOrder); err != nil {
		return nil, nil, err
	}
	paced, err := pacedDomains(ctx, q.c)
	if err != nil {
		return nil, nil, err
	}
	for {
		seen, err := q.look(ctx, paced)
		if err != nil {
			return nil, nil, err
		}
		chosen := q.choose(seen)
		found, later, err := q.lockCandidates(ctx, chosen)
		if err != nil {
			return nil, nil, err
		}
		q.more = q.more || len(found) < len(seen)
		if !later && (len(found) > len(chosen)/2 || len(chosen) == 0) {
			found, err = q.lockDomains(ctx, found, paced)
			return found, paced, err
		}
	}
}

// look gives candidates, of which nothing is locked yet. It looks further down the
// queue only where the first bring less than half of what is wanted.
func (q *claiming) look(ctx context.Context, paced paces) ([]askRow, error) {
	for _, per := range []int{turnsPer, candidatesPer} {
		first, err := q.queued(ctx, paced, q.N*per)
		if err != nil {
			return nil, err
		}
		n := len(first)
		found := oneOfEach(first, paced)
		if n < q.N*per || len(found) >= q.N/2 || per == candidatesPer {
			q.more = len(found) < n
			return found, nil
		}
	}
	return nil, nil
}

// choose leaves the N feeds whose turn it is.
func (q *claiming) choose(found []askRow) []askRow {
	if q.Next == nil || len(found) <= q.N {
		return found[:min(q.N, len(found))]
	}
	queue := make([]digest.QueuedFeed, len(found))
	for i, f := range found {
		queue[i] = f.queued()
	}
	chosen := make(map[digest.FeedID]bool, q.N)
	for _, id := range q.Next(queue, q.N) {
		chosen[id] = true
	}
	return slices.DeleteFunc(found, func(f askRow) bool { return !chosen[f.ID] })
}

// askable holds for feeds f with the times t whose poll is due, and may be made (I5). Both
// arguments are the time now.
const askable = `t.poll_at <= ? AND t.askable_at <= ? AND ` + alive

// alive holds for feeds f that are asked at all.
const alive = `f.state IN ('active', 'trial')`

// queued gives the first feeds in the queue that may be asked, limit at most. Each
// host is looked up by its name, in a way that no planner can turn into reading all hosts.
func (q *claiming) queued(ctx context.Context, paced paces, limit int) (found []askRow, err error) {
	where, args := askable, []any{q.until, q.until}
	if delayed := paced.notYetFree(q.now); len(delayed) > 0 {
		where += ` AND f.domain NOT IN (` + q.c.d.names + `) AND f.address NOT IN (` + q.c.d.names + `)`
		args = append(args, array(delayed), array(delayed))
	}
	if len(q.met) > 0 {
		where += ` AND NOT t.feed_id` + q.c.d.oneOf
		args = append(args, keys(q.c.d, q.met))
	}
	where, args = q.withinShares(where, args)
	err = q.c.all(ctx, &found, `SELECT f.id, f.host, f.domain, f.address, f.reliability, t.poll_at, t.askable_at, `+
		firstReader+` AS "first", `+lastReader+` AS "last"
		FROM feed_times t CROSS JOIN feeds f WHERE f.id = t.feed_id AND `+where+`
		AND COALESCE((SELECT h.lease_until FROM hosts h WHERE h.host = f.host), 0) <= ?
		ORDER BY t.poll_at, t.feed_id LIMIT ?`, append(slices.Clip(args), q.now, limit)...)
	return slices.DeleteFunc(found, func(f askRow) bool { return paced.has(f) && q.start(f) > q.now }), err
}

// lockCandidates locks the times of feeds, and leaves out those that another holds or has
// changed. Of each the policy is asked once more: a feed that became askable some time
// ago may want this hour skipped, and the poll gap may have been changed. later says that
// some are to be asked later, which is noted.
func (q *claiming) lockCandidates(ctx context.Context, seen []askRow) (locked []askRow, later bool, err error) {
	if len(seen) == 0 {
		return nil, false, nil
	}
	was := make(map[digest.FeedID]askRow, len(seen))
	for _, f := range seen {
		was[f.ID] = f
	}
	err = q.c.all(ctx, &locked, lockQuery(q.c.d), keys(q.c.d, each(seen, func(f askRow) digest.FeedID { return f.ID })),
		q.until, q.until)
	if err != nil {
		return nil, false, err
	}
	var askedLater values
	locked = slices.DeleteFunc(locked, func(f askRow) bool {
		start := q.start(f)
		when := q.c.askable(f.Feed, start)
		if when > start {
			askedLater.row(f.ID, when)
		}
		return when > start
	})
	for i, f := range locked {
		locked[i].First, locked[i].Last = was[f.ID].First, was[f.ID].Last
		delete(was, f.ID)
	}
	for id := range was {
		q.met = append(q.met, id)
	}
	return locked, askedLater.len() > 0, saveAskable(ctx, q.c, &askedLater)
}

// lockQuery locks candidates by their keys. COALESCE keeps the planner from the index of the
// queue: in its statistics, which are of a quiet hour, nothing is queued, so that
// it would read the whole queue of a midnight with each claim.
func lockQuery(d *dialect) string {
	return `SELECT f.host, f.domain, f.address, f.reliability, t.poll_at, t.subscribers, t.counted_at, ` + askColumns +
		` FROM feed_times t CROSS JOIN feeds f
		WHERE f.id = t.feed_id AND t.feed_id` +
		d.oneOf + ` AND COALESCE(t.poll_at <= ?, FALSE) AND t.askable_at <= ? AND ` + alive + d.skipRows("t")
}

// withinShares adds to a condition that no share is used up that a feed f would
// have a part of.
func (q *claiming) withinShares(where string, args []any) (string, []any) {
	for _, standing := range q.Full.Reliabilities {
		where += ` AND f.reliability <> ?`
		args = append(slices.Clip(args), string(standing))
	}
	if len(q.Full.Domains) > 0 {
		where += ` AND f.domain NOT IN (` + q.c.d.names + `) AND f.address NOT IN (` + q.c.d.names + `)`
		args = append(slices.Clip(args), array(q.Full.Domains), array(q.Full.Domains))
	}
	if len(q.Full.Digests) > 0 {
		full := keys(q.c.d, q.Full.Digests)
		where += ` AND NOT (` + firstReader + q.c.d.oneOf + ` AND ` + lastReader + q.c.d.oneOf + `)`
		args = append(slices.Clip(args), full, full)
	}
	return where, args
}

// oneOfEach leaves the first feed of each host, and of each domain and address that is paced.
func oneOfEach(found []askRow, paced paces) []askRow {
	hosts, pacing := make(map[string]bool, len(found)), make(map[string]bool)
	return slices.DeleteFunc(found, func(f askRow) bool {
		by := paced.of(f.Domain, f.Address)
		if hosts[f.Host] || slices.ContainsFunc(by, func(name string) bool { return pacing[name] }) {
			return true
		}
		hosts[f.Host] = true
		for _, name := range by {
			pacing[name] = true
		}
		return false
	})
}

// leaseHosts leases the candidates' hosts and gives the candidates whose host
// was free. It waits for no other claim: a host that another is about to lease is not free.
// Hosts that are new are added in their order, so that two claimers of the
// same do not wait for each other.
func (q *claiming) leaseHosts(ctx context.Context, wanted []askRow) ([]askRow, error) {
	slices.SortFunc(wanted, func(a, b askRow) int { return cmp.Compare(a.Host, b.Host) })
	wanted, err := q.lockHosts(ctx, wanted)
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	var v values
	for _, f := range wanted {
		v.row(f.Host, q.now.plus(q.Lease), q.Token)
	}
	var hosts []string
	err = q.c.allRows(ctx, &hosts, &v, `INSERT INTO hosts (host, lease_until, token) VALUES {rows}
		ON CONFLICT (host) DO UPDATE SET lease_until = excluded.lease_until, token = excluded.token
		WHERE hosts.lease_until <= ? RETURNING host`, q.now)
	if err != nil {
		return nil, err
	}
	free := make(map[string]bool, len(hosts))
	for _, h := range hosts {
		free[h] = true
	}
	return slices.DeleteFunc(wanted, func(f askRow) bool { return !free[f.Host] }), nil
}

// lockHosts locks the candidates' hosts, and leaves out the candidates whose host another
// holds. On SQLite nobody does.
func (q *claiming) lockHosts(ctx context.Context, wanted []askRow) ([]askRow, error) {
	if q.c.d.forUpdate == "" {
		return wanted, nil
	}
	hosts := array(each(wanted, func(f askRow) string { return f.Host }))
	var known, locked []string
	err := q.c.all(ctx, &known, `SELECT h.host FROM hosts h WHERE h.host IN (`+q.c.d.names+`)`, hosts)
	if err == nil {
		err = q.c.all(ctx, &locked, `SELECT h.host FROM hosts h WHERE h.host IN (`+q.c.d.names+`)`+q.c.d.skipRows("h"),
			hosts)
	}
	if err != nil {
		return nil, err
	}
	held := make(map[string]bool, len(known))
	for _, host := range known {
		held[host] = true
	}
	for _, host := range locked {
		held[host] = false
	}
	return slices.DeleteFunc(wanted, func(f askRow) bool { return held[f.Host] }), nil
}

// leaseFeeds leases feeds and commits the attempt to their times. The policy's
// word of them is that of lockCandidates, and still holds: nobody changes a candidate
// before the transaction ends. On SQLite it is the only one that writes, as it
// began IMMEDIATE; on PostgreSQL its times are locked FOR UPDATE and were read as
// they were then. A rule that is made for its host meanwhile holds from the next poll on.
func (q *claiming) leaseFeeds(ctx context.Context, won []askRow) ([]ClaimedFeed, error) {
	if err := q.countSubscribers(ctx, won); err != nil {
		return nil, err
	}
	until := q.now.plus(q.Lease)
	var v values
	was := make(map[digest.FeedID]askRow, len(won))
	for _, f := range won {
		was[f.ID] = f
		attempt := max(q.attempt, q.start(f))
		f.LeaseUntil, f.LastAttemptAt = until.time(), attempt.time()
		v.row(f.ID, q.c.askable(f.Feed, 0), attempt, f.Subscribers, f.CountedAt)
	}
	var ids []digest.FeedID
	err := q.c.allRows(ctx, &ids, &v, `WITH v (id, askable_at, attempt_at, subscribers, counted_at) AS (VALUES {rows})
		UPDATE feed_times AS t SET lease_until = ?, lease_token = ?, last_attempt_at = v.attempt_at, askable_at = v.askable_at,
			subscribers = v.subscribers, counted_at = v.counted_at
		FROM v WHERE t.feed_id = v.id RETURNING feed_id`, until, q.Token)
	if err != nil {
		return nil, err
	}
	var claimed []ClaimedFeed
	err = q.c.all(ctx, &claimed, `SELECT `+feedColumns+`, t.subscribers, t.lease_token AS token
		FROM `+timedFeeds+` WHERE f.id`+q.c.d.oneOf, keys(q.c.d, ids))
	if err != nil {
		return nil, err
	}
	for i := range claimed {
		f := was[claimed[i].ID]
		claimed[i].AttemptBefore, claimed[i].StartAt = f.LastAttemptAt, q.start(f).time()
		claimed[i].First, claimed[i].Last = f.First, f.Last
	}
	slices.SortFunc(claimed, func(a, b ClaimedFeed) int {
		return cmp.Or(a.PollAt.Compare(b.PollAt), cmp.Compare(a.ID, b.ID))
	})
	return claimed, nil
}

// A ClaimedFeed is a feed that its claimer, and nobody else, may poll now.
type ClaimedFeed struct {
	digest.Feed
	Subscribers int    // digests that gather what it brings, for the User-Agent: as of a day ago at most
	Token       string // of the lease: what is recorded without it changes nothing

	First, Last digest.DigestID `db:"-"` // see digest.QueuedFeed

	AttemptBefore time.Time `db:"-"` // the attempt before the one that the claim has noted
	StartAt       time.Time `db:"-"` // nothing may be asked before
}

// Queued is the feed as it stood in the queue.
func (f ClaimedFeed) Queued() digest.QueuedFeed {
	return digest.QueuedFeed{ID: f.ID, First: f.First, Last: f.Last, Domain: f.Domain, Address: f.Address,
		Reliability: f.Reliability}
}
