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

	// Pace keeps to the pace of domains that have limited us. Without it, for
	// a clock that stands still, they are asked like any other.
	Pace bool

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
	firstReader = `COALESCE((SELECT s.digest_id FROM subscriptions s WHERE s.feed_id = f.id AND s.rests = 0 ORDER BY s.digest_id LIMIT 1), 0)`
	lastReader  = `COALESCE((SELECT s.digest_id FROM subscriptions s WHERE s.feed_id = f.id AND s.rests = 0 ORDER BY s.digest_id DESC LIMIT 1), 0)`
)

// toldSubscribers is subscribers, for the User-Agent of a poll. Of a feed with more than a
// thousand, those whose digests rest are counted too: to look at the digests of
// each takes longer than to poll it.
const toldSubscribers = `COALESCE(NULLIF((SELECT count(*) FROM (SELECT 1 FROM subscriptions s WHERE s.feed_id = f.id AND s.rests = 0
		AND (SELECT ` + gathers + ` FROM digests d WHERE d.id = s.digest_id) LIMIT 1001) x), 1001),
	(SELECT count(*) FROM subscriptions s WHERE s.feed_id = f.id AND s.rests = 0))`

// ClaimFeeds leases at most N feeds whose poll is due at now, in the order of
// the queue. A feed that may not be asked now, as the Policy says, is left where
// it is, and so is a feed whose host is leased: at most one poll of a host is in
// flight, across all workers. Of a domain that is paced one feed is leased, and
// then none until the pace lets the next come. The attempt is part of the record
// before the first request is made (I5).
//
// Of any number of callers at once each gets feeds that no other gets. left says
// that feeds are due that were not claimed: there were more than N, others were met
// at them, or their host, domain or share is in use.
func (s *Store) ClaimFeeds(ctx context.Context, now time.Time, o ClaimOptions) (claimed []ClaimedFeed, left bool, err error) {
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
}

// start is when a feed that is claimed is asked.
func (q claiming) start(f askRow) instant { return max(q.now, at(f.PollAt), f.AskableAt) }

// left reports whether a feed is due that was not claimed.
func (q claiming) left(ctx context.Context) (left bool, err error) {
	err = q.c.get(ctx, &left, `SELECT EXISTS (SELECT 1 FROM feed_times t CROSS JOIN feeds f WHERE f.id = t.feed_id AND `+askable+`)`, q.until, q.until)
	return left, err
}

func (q claiming) claim(ctx context.Context) ([]ClaimedFeed, error) {
	wanted, paced, err := q.candidates(ctx)
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	won, err := q.leaseHosts(ctx, wanted)
	if err != nil || len(won) == 0 {
		return nil, err
	}
	if err := q.delayDomains(ctx, won, paced); err != nil {
		return nil, err
	}
	return q.leaseFeeds(ctx, won)
}

// candidates gives feeds in the queue that may be asked, one of each host and of
// each paced domain, with the paces: the first, or those whose turn it is where
// there are more. It looks further down the queue only where the first bring less than
// half of what is wanted: to lock a row costs as much as to lease it.
func (q claiming) candidates(ctx context.Context) ([]askRow, paces, error) {
	if err := q.c.untilCommit(ctx, q.c.d.inOrder); err != nil {
		return nil, nil, err
	}
	paced, err := q.paces(ctx)
	if err != nil {
		return nil, nil, err
	}
	first, err := q.queued(ctx, paced, q.N*turnsPer)
	if err != nil {
		return nil, nil, err
	}
	found := oneOfEach(slices.Clone(first), paced)
	if len(first) == q.N*turnsPer && len(found) < q.N/2 {
		more, err := q.queued(ctx, paced, q.N*candidatesPer)
		if err != nil {
			return nil, nil, err
		}
		found = oneOfEach(more, paced)
	}
	found, err = q.lockDomains(ctx, q.choose(found), paced)
	return found, paced, err
}

// choose leaves the N feeds whose turn it is.
func (q claiming) choose(found []askRow) []askRow {
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

// queued gives the first feeds in the queue that may be asked, limit at most.
// Of each the policy is asked once more: a feed that became askable some time
// ago may want this hour skipped, and the poll gap may have been changed. Their
// rows are locked until the transaction ends; those that another holds are left out.
func (q claiming) queued(ctx context.Context, paced paces, limit int) ([]askRow, error) {
	where, args := askable, []any{q.until, q.until}
	if delayed := paced.notYetFree(q.now); len(delayed.rows) > 0 {
		where += ` AND f.domain NOT IN (VALUES ` + delayed.String() + `)`
		args = append(args, delayed.args...)
	}
	where, args = q.withinShares(where, args)
	for {
		var found []askRow
		err := q.c.all(ctx, &found, `SELECT f.host, f.domain, f.standing, t.poll_at, `+firstReader+` AS "first", `+lastReader+` AS "last", `+askColumns+` FROM feed_times t CROSS JOIN feeds f
			WHERE f.id = t.feed_id AND `+where+`
			AND NOT EXISTS (SELECT 1 FROM hosts h WHERE h.host = f.host AND h.lease_until > ?)
			ORDER BY t.poll_at, t.feed_id LIMIT ?`+q.c.d.skipRows("t"),
			append(slices.Clip(args), q.now, limit)...)
		if err != nil {
			return nil, err
		}
		var later values
		for _, f := range found {
			if start := q.start(f); q.c.askable(f.Feed, start) > start {
				later.row(f.ID, q.c.askable(f.Feed, start))
			}
		}
		if len(later.rows) == 0 {
			return slices.DeleteFunc(found, func(f askRow) bool { return paced.has(f.Domain) && q.start(f) > q.now }), nil
		}
		if err := saveAskable(ctx, q.c, &later); err != nil {
			return nil, err
		}
	}
}

// withinShares adds to a condition that no share is used up that a feed f would
// have a part of.
func (q claiming) withinShares(where string, args []any) (string, []any) {
	for _, standing := range q.Full.Standings {
		where += ` AND f.standing <> ?`
		args = append(slices.Clip(args), string(standing))
	}
	if len(q.Full.Domains) > 0 {
		var v values
		for _, domain := range q.Full.Domains {
			v.row(domain)
		}
		where += ` AND f.domain NOT IN (VALUES ` + v.String() + `)`
		args = append(slices.Clip(args), v.args...)
	}
	if len(q.Full.Digests) > 0 {
		full := list(q.Full.Digests)
		where += ` AND NOT (` + firstReader + ` IN (` + full + `) AND ` + lastReader + ` IN (` + full + `))`
	}
	return where, args
}

// oneOfEach leaves the first feed of each host, and of each paced domain.
func oneOfEach(found []askRow, paced paces) []askRow {
	hosts, domains := make(map[string]bool, len(found)), make(map[string]bool)
	return slices.DeleteFunc(found, func(f askRow) bool {
		if hosts[f.Host] || domains[f.Domain] {
			return true
		}
		hosts[f.Host] = true
		domains[f.Domain] = paced.has(f.Domain)
		return false
	})
}

// leaseHosts leases the candidates' hosts and gives the candidates whose host
// was free. Hosts are locked in their order, so that two claimers never wait
// for each other.
func (q claiming) leaseHosts(ctx context.Context, wanted []askRow) ([]askRow, error) {
	slices.SortFunc(wanted, func(a, b askRow) int { return cmp.Compare(a.Host, b.Host) })
	var v values
	for _, f := range wanted {
		v.row(f.Host, q.now.plus(q.Lease), q.Token)
	}
	var hosts []string
	err := q.c.all(ctx, &hosts, `INSERT INTO hosts (host, lease_until, token) VALUES `+v.String()+`
		ON CONFLICT (host) DO UPDATE SET lease_until = excluded.lease_until, token = excluded.token
		WHERE hosts.lease_until <= ? RETURNING host`, append(v.args, q.now)...)
	if err != nil {
		return nil, err
	}
	free := make(map[string]bool, len(hosts))
	for _, h := range hosts {
		free[h] = true
	}
	return slices.DeleteFunc(wanted, func(f askRow) bool { return !free[f.Host] }), nil
}

// leaseFeeds leases feeds and commits the attempt to their times. The policy's
// word of them is that of queued, and still holds: nobody changes a candidate
// before the transaction ends. On SQLite it is the only one that writes, as it
// began IMMEDIATE; on PostgreSQL queued has locked the times of each FOR UPDATE and read
// them as they were then; a rule that is made for its host meanwhile holds from the next poll on. What the columns themselves say is looked at again.
func (q claiming) leaseFeeds(ctx context.Context, won []askRow) ([]ClaimedFeed, error) {
	until := q.now.plus(q.Lease)
	var v values
	was := make(map[digest.FeedID]askRow, len(won))
	for _, f := range won {
		was[f.ID] = f
		attempt := max(q.attempt, q.start(f))
		f.LeaseUntil, f.LastAttemptAt = until.time(), attempt.time()
		v.row(f.ID, q.c.askable(f.Feed, 0), attempt)
	}
	var ids []digest.FeedID
	err := q.c.all(ctx, &ids, `WITH v (id, askable_at, attempt_at) AS (VALUES `+v.String()+`)
		UPDATE feed_times AS t SET lease_until = ?, lease_token = ?, last_attempt_at = v.attempt_at, askable_at = v.askable_at
		FROM v WHERE t.feed_id = v.id AND t.poll_at <= ? AND t.askable_at <= ? RETURNING feed_id`,
		until, q.Token, q.until, q.until)
	if err != nil {
		return nil, err
	}
	var claimed []ClaimedFeed
	err = q.c.all(ctx, &claimed, `SELECT `+feedColumns+`, `+toldSubscribers+` AS subscribers, t.lease_token AS token
		FROM `+timedFeeds+` WHERE f.id IN (`+list(ids)+`)`)
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
	Subscribers int    // digests that gather what it brings, for the User-Agent
	Token       string // of the lease: what is recorded without it changes nothing

	First, Last digest.DigestID `db:"-"` // see digest.QueuedFeed

	AttemptBefore time.Time `db:"-"` // the attempt before the one that the claim has noted
	StartAt       time.Time `db:"-"` // nothing may be asked before
}

// Queued is the feed as it stood in the queue.
func (f ClaimedFeed) Queued() digest.QueuedFeed {
	return digest.QueuedFeed{ID: f.ID, First: f.First, Last: f.Last, Domain: f.Domain, Standing: f.Standing}
}
