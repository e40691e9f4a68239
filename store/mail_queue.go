package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
)

// A MailQueue lists email that is waiting or in flight, and the results of other email, for the operator.
type MailQueue struct {
	Counts map[digest.EditionState]int // all editions

	// Lists of at most QueueQuery.Most editions, newest first.
	Waiting     []QueuedEdition // waiting or in flight; editions with trouble come first
	Unconfirmed []QueuedEdition // in doubt twice
	Failed      []QueuedEdition
	Expired     []QueuedEdition
	Sent        []QueuedEdition // only on request
	Unmailed    []QueuedEdition // only on request

	Returned []Return // bounces and rejections, latest first
}

// A Return is a bounce of one edition.
type Return struct {
	digest.Bounce
	Email string
	At    time.Time
}

// A QueuedEdition is an edition with its recipient.
type QueuedEdition struct {
	digest.Edition
	Email string
}

// A QueueQuery selects email of the queue. Zero values of State, Domain, Part and Before select everything.
type QueueQuery struct {
	Now    time.Time
	Most   int       // of each kind
	State  MailState // only this state
	Domain string    // of the recipient; the name of its lane
	Part   string    // of the address, ignoring case
	Before time.Time // queued or returned by then
}

// A MailState is a state of editions in the queue, as displayed.
type MailState string

// The states. Sent and unmailed editions are listed only on request.
const (
	MailWaits       MailState = "waiting"
	MailSent        MailState = "sent"
	MailUnconfirmed MailState = "unconfirmed"
	MailFailed      MailState = "failed"
	MailExpired     MailState = "expired"
	MailUnmailed    MailState = "unmailed"
)

// MailQueue returns the email that q selects. An edition whose time has passed counts as expired, even if no worker
// has marked it yet.
func (s Editions) MailQueue(ctx context.Context, q QueueQuery) (MailQueue, error) {
	found := MailQueue{Counts: make(map[digest.EditionState]int)}
	late := `(e.state = 'ready' AND e.expires_at <= ` + fmt.Sprint(at(q.Now)) + `)`
	where, args := q.where()
	from := `editions e`
	if where != "" {
		from += ` JOIN digests d ON d.id = e.digest_id JOIN users u ON u.id = d.user_id`
	}
	err := countBy(ctx, s.read(), found.Counts, `SELECT x.state AS kind, count(*) AS n
		FROM (SELECT CASE WHEN `+late+` THEN 'expired' ELSE `+editionState+` END AS state FROM `+from+` WHERE 1 = 1`+
		where+`) x GROUP BY x.state`, args...)
	if err != nil {
		return found, fmt.Errorf("counting editions: %w", err)
	}
	for _, kind := range []struct {
		state MailState
		to    *[]QueuedEdition
		where string
	}{
		{MailWaits, &found.Waiting, `e.state IN ('ready', 'leased') AND NOT ` + late},
		{MailSent, &found.Sent, `e.state = 'sent'`},
		{MailUnconfirmed, &found.Unconfirmed, `e.state = 'sent_unconfirmed'`},
		{MailFailed, &found.Failed, `e.state = 'failed'`},
		{MailExpired, &found.Expired, `(e.state = 'expired' OR ` + late + `)`},
		{MailUnmailed, &found.Unmailed, `e.state = 'unmailed'`},
	} {
		if q.State != kind.state && (q.State != "" || kind.state == MailSent || kind.state == MailUnmailed) {
			continue
		}
		if *kind.to, err = s.queuedBy(ctx, kind.where+where,
			`CASE WHEN e.error = '' AND e.was_in_doubt = 0 THEN 1 ELSE 0 END, e.id DESC`, q.Most, args...); err != nil {
			return found, fmt.Errorf("listing editions: %w", err)
		}
	}
	if q.State == "" {
		found.Returned, err = s.returned(ctx, q)
	}
	return found, err
}

// where returns the conditions of the query for editions e and users u, beginning with AND.
func (q QueueQuery) where() (where string, args []any) {
	if q.Domain != "" {
		where, args = where+` AND e.domain = ?`, append(args, q.Domain)
	}
	if q.Part != "" {
		where, args = where+` AND u.email_key LIKE ? ESCAPE '!'`, append(args, within(q.Part))
	}
	if !q.Before.IsZero() {
		where, args = where+` AND e.date <= ?`, append(args, q.Before)
	}
	return where, args
}

func (s *database) returned(ctx context.Context, q QueueQuery) ([]Return, error) {
	where, args := `1 = 1`, []any{}
	if q.Domain != "" {
		where, args = where+` AND b.email_key LIKE ? ESCAPE '!'`, append(args, "%@"+literally(q.Domain))
	}
	if q.Part != "" {
		where, args = where+` AND b.email_key LIKE ? ESCAPE '!'`, append(args, within(q.Part))
	}
	if !q.Before.IsZero() {
		where, args = where+` AND b.at <= ?`, append(args, q.Before)
	}
	return readRows[Return](ctx, s.read(), "listing what came back",
		`SELECT b.edition_id AS edition, b.kind, b.status, b.evidence, b.email_key AS email, b.at
		FROM bounces b WHERE `+where+` ORDER BY b.at DESC, b.edition_id DESC, b.kind LIMIT ?`, append(args, q.Most)...)
}

func (s *database) queuedBy(ctx context.Context, where, order string, limit int, args ...any) ([]QueuedEdition, error) {
	return readRows[QueuedEdition](ctx, s.read(), "",
		`SELECT `+editionColumns+`, CASE WHEN e.recipient = '' THEN u.email ELSE e.recipient END AS email
		FROM editions e JOIN digests d ON d.id = e.digest_id JOIN users u ON u.id = d.user_id
		WHERE `+where+` ORDER BY `+order+` LIMIT ?`, append(slices.Clip(args), limit)...)
}

// A MailReason explains why an email is not sent yet.
type MailReason string

// The reasons.
const (
	MailScheduled  MailReason = "scheduled" // for a later hour
	MailDue        MailReason = "due"       // waits in the queue
	MailRetried    MailReason = "retried"   // rejected temporarily, with a time for the next attempt
	MailLanePaused MailReason = "resting"   // the lane of its domain, or the route, is paused
	MailSending    MailReason = "sending"   // claimed by a mailer
)

// MailReasons returns all reasons in the order for display.
func MailReasons() []MailReason {
	return []MailReason{MailSending, MailDue, MailRetried, MailLanePaused, MailScheduled}
}

// A MailWaiting describes the unsent email.
type MailWaiting struct {
	Counts map[MailReason]int
	Oldest time.Time // due time of the oldest email that is due; zero: no email is due

	// Editions with trouble, the longest waiting first, and the latest failed ones, up to a limit.
	Troubled []QueuedEdition
	GivenUp  []QueuedEdition
}

// MailWaiting returns the email that is unsent at now, with reasons. It does not read sent email.
func (s Editions) MailWaiting(ctx context.Context, now time.Time, limit int) (MailWaiting, error) {
	w := MailWaiting{Counts: make(map[MailReason]int)}
	err := s.countReady(ctx, now, &w)
	if err == nil {
		w.Counts[MailSending], err = s.read().Number(ctx, `SELECT count(*) FROM mail_claims WHERE state <> 'sent'`)
	}
	if err != nil || limit == 0 {
		return w, failed("counting the mail that waits", err)
	}
	if w.Troubled, err = s.queuedBy(ctx,
		`e.state = 'ready' AND (e.error <> '' OR e.was_in_doubt = 1) AND e.expires_at > `+fmt.Sprint(at(now)),
		`e.next_at, e.id`, limit); err != nil {
		return w, fmt.Errorf("listing the mail that had trouble: %w", err)
	}
	w.GivenUp, err = s.queuedBy(ctx, `e.state IN ('failed', 'sent_unconfirmed')`, `e.id DESC`, limit)
	return w, failed("listing the mail that was given up", err)
}

// countReady counts ready editions by domain, because a paused lane is the reason for all its editions.
func (s *database) countReady(ctx context.Context, now time.Time, w *MailWaiting) error {
	lanes, err := Editions{s}.Lanes(ctx)
	if err != nil {
		return err
	}
	paused := make(map[string]bool)
	for _, l := range lanes {
		paused[l.Name] = l.IsPaused(now)
	}
	var rows []struct {
		Domain string
		Why    MailReason
		N      int
		Oldest instant
	}
	if err := s.read().All(ctx, &rows, `SELECT x.domain, x.why, count(*) AS n, MIN(x.next_at) AS oldest FROM (
		SELECT e.domain, e.next_at, CASE WHEN e.next_at <= ? THEN 'due' WHEN e.attempt > 0 THEN 'retried'
		ELSE 'scheduled' END AS why
		FROM editions e WHERE e.state = 'ready' AND e.expires_at > ?) x GROUP BY x.domain, x.why`, now,
		now); err != nil {
		return err
	}
	for _, r := range rows {
		if r.Why == MailDue && (w.Oldest.IsZero() || r.Oldest.Time().Before(w.Oldest)) {
			w.Oldest = r.Oldest.Time()
		}
		if r.Why == MailDue && (paused[""] || paused[r.Domain]) {
			r.Why = MailLanePaused
		}
		w.Counts[r.Why] += r.N
	}
	return nil
}

// EditionCounts counts the editions in each state that is not final. CounterTotals has the final states.
func (s Editions) EditionCounts(ctx context.Context) (map[digest.EditionState]int, error) {
	counts := make(map[digest.EditionState]int)
	for state, from := range map[digest.EditionState]string{
		digest.EditionReady: "editions", digest.EditionLeased: "mail_claims", digest.EditionDotting: "mail_claims",
		digest.EditionExpired: "editions",
	} {
		n, err := s.read().Number(ctx, `SELECT count(*) FROM `+from+` WHERE state = '`+string(state)+`'`)
		if err != nil {
			return nil, fmt.Errorf("counting editions: %w", err)
		}
		counts[state] = n
	}
	return counts, nil
}
