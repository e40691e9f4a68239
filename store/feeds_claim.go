package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"digest"
)

// ClaimOptions limits and configures ClaimFeeds.
type ClaimOptions struct {
	N     int // maximum number of feeds
	Lease time.Duration
	Token string // of the lease

	// Until, if after now, also claims feeds that become due by then. The claimer must wait for the StartAt of each.
	// Feeds of paced domains are not claimed ahead.
	Until time.Time

	// Full lists shares of the polls in flight that are used up. Their feeds remain in the queue.
	Full digest.FullShares

	// Next chooses at most n feeds of a longer queue, which ClaimFeeds returns in the order of the queue. Nil chooses
	// the first n.
	Next func(queue []digest.QueuedFeed, n int) []digest.FeedID
}

const (
	// turnsPer is how many queued feeds ClaimFeeds reads for each wanted feed.
	turnsPer = 2
	// candidatesPer replaces turnsPer if the queue has many consecutive feeds of the same hosts.
	candidatesPer = 4
)

// firstReader and lastReader are the first and last digest subscribed to a feed f, by key.
const (
	firstReader = `COALESCE((SELECT s.digest_id FROM subscriptions s WHERE s.feed_id = f.id AND s.paused = 0
		ORDER BY s.digest_id LIMIT 1), 0)`
	lastReader = `COALESCE((SELECT s.digest_id FROM subscriptions s WHERE s.feed_id = f.id AND s.paused = 0
		ORDER BY s.digest_id DESC LIMIT 1), 0)`
)

// ClaimFeeds leases at most N feeds whose poll is due at now, in the order of the queue. It skips a feed whose poll the
// Policy forbids now, and a feed whose host is leased: at most one poll of a host is in flight, across all workers.
// Of a paced domain or address it leases one feed, and no other until the pace allows the next. The record has the
// attempt before the first request (I5).
//
// Concurrent callers get different feeds. left reports that due feeds remain: there were more than N, other callers had
// locked them, or their host, domain or share is in use.
func (s Feeds) ClaimFeeds(ctx context.Context, now time.Time, o ClaimOptions) (claimed []ClaimedFeed, left bool,
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

type claiming struct {
	ClaimOptions
	c       conn
	now     instant
	until   instant // latest due time of claimed feeds
	attempt instant // the recorded time of an attempt that can start now

	met  []digest.FeedID // feeds that other workers have locked or changed
	more bool            // some due feeds were not claimed
}

// start returns when the poll of a claimed feed may begin.
func (q *claiming) start(f askRow) instant { return max(q.now, at(f.PollAt), f.AskableAt) }

func (q *claiming) left(ctx context.Context) (left bool, err error) {
	if q.more {
		return true, nil
	}
	err = q.c.Get(ctx, &left, `SELECT EXISTS (SELECT 1 FROM feed_times t WHERE t.poll_at <= ? AND t.askable_at <= ?
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
	if err := q.c.UntilCommit(ctx, q.c.d.InOrder); err != nil {
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

// look returns candidates without locking them. It reads more of the queue only if the first part contains less than
// half of the wanted number.
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

// choose returns the N feeds whose turn it is.
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

// askable holds for feeds f with the times t whose poll is due and allowed (I5). Both arguments are now.
const askable = `t.poll_at <= ? AND t.askable_at <= ? AND ` + alive

// alive holds for feeds f that are polled at all.
const alive = `f.state IN ('active', 'trial')`

// queued returns the first feeds in the queue that may be polled, at most limit. The subquery makes the planner look
// up each host by its name instead of reading all hosts.
func (q *claiming) queued(ctx context.Context, paced paces, limit int) (found []askRow, err error) {
	where, args := askable, []any{q.until, q.until}
	if delayed := paced.notYetFree(q.now); len(delayed) > 0 {
		where += ` AND f.domain NOT IN (` + q.c.d.Names + `) AND f.address NOT IN (` + q.c.d.Names + `)`
		args = append(args, delayed, delayed)
	}
	if len(q.met) > 0 {
		where += ` AND NOT t.feed_id` + q.c.d.OneOf
		args = append(args, q.met)
	}
	where, args = q.withinShares(where, args)
	err = q.c.All(ctx, &found, `SELECT f.id, f.host, f.domain, f.address, f.reliability, t.poll_at, t.askable_at, `+
		firstReader+` AS "first", `+lastReader+` AS "last"
		FROM feed_times t CROSS JOIN feeds f WHERE f.id = t.feed_id AND `+where+`
		AND COALESCE((SELECT h.lease_until FROM hosts h WHERE h.host = f.host), 0) NOT BETWEEN ? AND ?
		ORDER BY t.poll_at, t.feed_id LIMIT ?`, append(slices.Clip(args), q.now+1,
		q.now.Plus(longestHostLease), limit)...)
	return slices.DeleteFunc(found, func(f askRow) bool { return paced.has(f) && q.start(f) > q.now }), err
}

// lockCandidates locks the times of feeds and drops feeds that another worker has locked or changed. It calls the
// Policy again, because a feed may skip this hour or the poll gap may have changed. later reports that some feeds must
// wait, and that their askable_at was updated.
func (q *claiming) lockCandidates(ctx context.Context, seen []askRow) (locked []askRow, later bool, err error) {
	if len(seen) == 0 {
		return nil, false, nil
	}
	was := make(map[digest.FeedID]askRow, len(seen))
	for _, f := range seen {
		was[f.ID] = f
	}
	err = q.c.All(ctx, &locked, lockQuery(q.c.d), each(seen, func(f askRow) digest.FeedID { return f.ID }),
		q.until, q.until)
	if err != nil {
		return nil, false, err
	}
	var askedLater values
	locked = slices.DeleteFunc(locked, func(f askRow) bool {
		start := q.start(f)
		when := q.c.askable(f.Feed, start)
		if when > start {
			askedLater.Row(f.ID, when)
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
	return locked, askedLater.Len() > 0, saveAskable(ctx, q.c, &askedLater)
}

// lockQuery locks candidates by their keys. COALESCE prevents use of the index of the queue. The planner's statistics
// are from an hour with an empty queue, so it would read the whole queue of a midnight for each claim.
func lockQuery(d *dialect) string {
	return `SELECT f.host, f.domain, f.address, f.reliability, t.poll_at, t.subscribers, t.counted_at, ` + askColumns +
		` FROM feed_times t CROSS JOIN feeds f
		WHERE f.id = t.feed_id AND t.feed_id` +
		d.OneOf + ` AND COALESCE(t.poll_at <= ?, FALSE) AND t.askable_at <= ? AND ` + alive + d.SkipRows("t")
}

// withinShares excludes feeds f whose share is used up.
func (q *claiming) withinShares(where string, args []any) (string, []any) {
	for _, standing := range q.Full.Reliabilities {
		where += ` AND f.reliability <> ?`
		args = append(slices.Clip(args), string(standing))
	}
	if len(q.Full.Domains) > 0 {
		where += ` AND f.domain NOT IN (` + q.c.d.Names + `) AND f.address NOT IN (` + q.c.d.Names + `)`
		args = append(slices.Clip(args), q.Full.Domains, q.Full.Domains)
	}
	if len(q.Full.Digests) > 0 {
		full := q.Full.Digests
		where += ` AND NOT (` + firstReader + q.c.d.OneOf + ` AND ` + lastReader + q.c.d.OneOf + `)`
		args = append(slices.Clip(args), full, full)
	}
	return where, args
}

// oneOfEach keeps the first feed of each host, and of each paced domain and address.
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

// leaseHosts leases the candidates' hosts and returns the candidates whose host was free. It does not wait for other
// claims: a host that another worker has locked is not free. It adds new hosts in their order, so that two claimers
// cannot deadlock.
func (q *claiming) leaseHosts(ctx context.Context, wanted []askRow) ([]askRow, error) {
	slices.SortFunc(wanted, func(a, b askRow) int { return cmp.Compare(a.Host, b.Host) })
	wanted, err := q.lockHosts(ctx, wanted)
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	var v values
	for _, f := range wanted {
		v.Row(f.Host, q.now.Plus(q.Lease), q.Token)
	}
	var hosts []string
	err = q.c.AllRows(ctx, &hosts, &v, `INSERT INTO hosts (host, lease_until, token) VALUES {rows}
		ON CONFLICT (host) DO UPDATE SET lease_until = excluded.lease_until, token = excluded.token
		WHERE hosts.lease_until NOT BETWEEN ? AND ? RETURNING host`, q.now+1, q.now.Plus(longestHostLease))
	if err != nil {
		return nil, err
	}
	free := make(map[string]bool, len(hosts))
	for _, h := range hosts {
		free[h] = true
	}
	return slices.DeleteFunc(wanted, func(f askRow) bool { return !free[f.Host] }), nil
}

// lockHosts locks the candidates' hosts and drops candidates whose host another worker has locked. SQLite needs no
// locks.
func (q *claiming) lockHosts(ctx context.Context, wanted []askRow) ([]askRow, error) {
	if q.c.d.ForUpdate == "" {
		return wanted, nil
	}
	hosts := each(wanted, func(f askRow) string { return f.Host })
	var known, locked []string
	err := q.c.All(ctx, &known, `SELECT h.host FROM hosts h WHERE h.host IN (`+q.c.d.Names+`)`, hosts)
	if err == nil {
		err = q.c.All(ctx, &locked, `SELECT h.host FROM hosts h WHERE h.host IN (`+q.c.d.Names+`)`+q.c.d.SkipRows("h"),
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

// leaseFeeds leases feeds and stores the attempt in their times. The decision of the Policy in lockCandidates is still
// valid, because no other transaction can change the candidates. On SQLite this transaction began IMMEDIATE and is the
// only writer. On PostgreSQL the times were read with FOR UPDATE. A rule for the host that is added at the same time
// applies to the next poll.
func (q *claiming) leaseFeeds(ctx context.Context, won []askRow) ([]ClaimedFeed, error) {
	if err := q.countSubscribers(ctx, won); err != nil {
		return nil, err
	}
	until := q.now.Plus(q.Lease)
	var v values
	was := make(map[digest.FeedID]askRow, len(won))
	for _, f := range won {
		was[f.ID] = f
		attempt := max(q.attempt, q.start(f))
		f.LeaseUntil, f.LastAttemptAt = until.Time(), attempt.Time()
		v.Row(f.ID, q.c.askable(f.Feed, 0), attempt, f.Subscribers, f.CountedAt)
	}
	var ids []digest.FeedID
	err := q.c.AllRows(ctx, &ids, &v, `WITH v (id, askable_at, attempt_at, subscribers, counted_at) AS (VALUES {rows})
		UPDATE feed_times AS t SET lease_until = ?, lease_token = ?, last_attempt_at = v.attempt_at,
		askable_at = v.askable_at,
			subscribers = v.subscribers, counted_at = v.counted_at
		FROM v WHERE t.feed_id = v.id RETURNING feed_id`, until, q.Token)
	if err != nil {
		return nil, err
	}
	var claimed []ClaimedFeed
	err = q.c.All(ctx, &claimed, `SELECT `+feedColumns+`, t.subscribers, t.lease_token AS token
		FROM `+timedFeeds+` WHERE f.id`+q.c.d.OneOf, ids)
	if err != nil {
		return nil, err
	}
	for i := range claimed {
		f := was[claimed[i].ID]
		claimed[i].AttemptBefore, claimed[i].StartAt = f.LastAttemptAt, q.start(f).Time()
		claimed[i].First, claimed[i].Last = f.First, f.Last
	}
	slices.SortFunc(claimed, func(a, b ClaimedFeed) int {
		return cmp.Or(a.PollAt.Compare(b.PollAt), cmp.Compare(a.ID, b.ID))
	})
	return claimed, nil
}

// A ClaimedFeed is a feed that only its claimer may poll now.
type ClaimedFeed struct {
	digest.Feed
	Subscribers int    // for the User-Agent; at most one day old
	Token       string // of the lease; Record ignores polls without it

	First, Last digest.DigestID `db:"-"` // see digest.QueuedFeed

	AttemptBefore time.Time `db:"-"` // the attempt before this claim
	StartAt       time.Time `db:"-"` // start of the first request
}

// Queued returns the feed as it was in the queue.
func (f ClaimedFeed) Queued() digest.QueuedFeed {
	return digest.QueuedFeed{ID: f.ID, First: f.First, Last: f.Last, Domain: f.Domain, Address: f.Address,
		Reliability: f.Reliability}
}
