package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"digest"
	"digest/store"
)

type queueCmd struct {
	List   queueListCmd   `cmd:"" default:"withargs" help:"List waiting and failed email; filter with --state, --domain, --reader and --older."`
	Resume queueResumeCmd `cmd:"" help:"Try a paused mail route or recipient domain again now."`
}

const queueShown = 50

type reportedQueue struct {
	Counts      map[string]int   `json:"counts"` // by state
	Lanes       []reportedLane   `json:"lanes"`  // with trouble or recovering
	Waiting     []reportedQueued `json:"waiting"`
	Unconfirmed []reportedQueued `json:"unconfirmed"` // in doubt twice: perhaps delivered, not sent again
	Failed      []reportedQueued `json:"failed"`
	Expired     []reportedQueued `json:"expired"`
	Sent        []reportedQueued `json:"sent,omitempty"`     // only with --state sent
	Unmailed    []reportedQueued `json:"unmailed,omitempty"` // only with --state unmailed
	Returned    []reportedReturn `json:"returned"`           // bounces and complaints
}

type reportedReturn struct {
	Edition  int64             `json:"edition"`
	Email    string            `json:"email"`
	Kind     digest.BounceKind `json:"kind"`
	Status   string            `json:"status"` // RFC 3463
	Evidence string            `json:"evidence"`
	At       *time.Time        `json:"at"`
}

type reportedLane struct {
	Lane   string     `json:"lane"`
	Until  *time.Time `json:"until"` // no messages before this time; null: not paused
	Width  int        `json:"width"` // messages in flight while it recovers; 0: no limit
	Alarm  bool       `json:"alarm"` // the operator has to fix something
	Reason string     `json:"reason"`
}

type reportedQueued struct {
	Edition int64               `json:"edition"`
	Email   string              `json:"email"`
	Date    string              `json:"date"`
	State   digest.EditionState `json:"state"`
	Attempt int                 `json:"attempt"`
	NextAt  *time.Time          `json:"next_at"`
	Reason  string              `json:"reason"`
}

func reportQueue(q store.MailQueue, lanes []digest.Lane, now time.Time) reportedQueue {
	r := reportedQueue{
		Counts: map[string]int{}, Lanes: []reportedLane{},
		Waiting: each(q.Waiting, reportQueued), Unconfirmed: each(q.Unconfirmed, reportQueued),
		Failed: each(q.Failed, reportQueued), Expired: each(q.Expired, reportQueued),
		Sent: each(q.Sent, reportQueued), Unmailed: each(q.Unmailed, reportQueued),
		Returned: each(q.Returned, func(b store.Return) reportedReturn {
			return reportedReturn{int64(b.Edition), b.Email, b.Kind, b.Status, b.Evidence, instant(b.At)}
		}),
	}
	for state, n := range q.Counts {
		r.Counts[string(state)] = n
	}
	for _, l := range lanes {
		if l.Reason == "" && l.Until.IsZero() && l.Width == 0 {
			continue
		}
		if !l.IsPaused(now) {
			l.Until = time.Time{}
		}
		r.Lanes = append(r.Lanes, reportedLane{cmp.Or(l.Name, routeName), instant(l.Until), l.Width, l.Alarm, l.Reason})
	}
	return r
}

func reportQueued(e store.QueuedEdition) reportedQueued {
	return reportedQueued{int64(e.ID), e.Email, e.LocalDate.String(), e.State, e.Attempt, instant(e.NextAt),
		cmp.Or(e.Error, e.Reply)}
}

type queueListCmd struct {
	reads
	State  store.MailState `type:"word" words:"waiting,sent,unconfirmed,failed,expired,unmailed" env:"-" help:"Only waiting, sent, unconfirmed, failed, expired or unmailed email; sent and unmailed email is listed only with this flag."`
	Domain string          `placeholder:"DOMAIN" env:"-" help:"Only email to addresses at a domain."`
	Reader string          `placeholder:"PART" env:"-" help:"Only email to addresses that contain this text."`
	Older  time.Duration   `example:"2h" placeholder:"LENGTH" env:"-" help:"Only email queued at least this long ago."`
}

func (c *queueListCmd) check() error {
	if c.Domain == "" {
		return nil
	}
	domain, err := parseLane(c.Domain)
	if err == nil && domain == "" {
		err = digest.Errorf(digest.Invalid, "--domain %s is not a domain; an example: --domain example.org", c.Domain)
	}
	c.Domain = domain
	return err
}

func (c *queueListCmd) Run(a *app, st *store.Store) error {
	query := store.QueueQuery{Now: a.now(), Most: queueShown, State: c.State, Domain: c.Domain, Part: c.Reader}
	if c.Older > 0 {
		query.Before = a.now().Add(-c.Older)
	}
	q, err := st.Editions.MailQueue(a.soft, query)
	if err != nil {
		return err
	}
	lanes, err := st.Editions.Lanes(a.soft)
	if err != nil {
		return err
	}
	if err := a.noteFence(st); err != nil {
		return err
	}
	r := reportQueue(q, lanes, a.now())
	none := "no edition has been made yet"
	if c.Domain != "" || c.Reader != "" || c.Older > 0 {
		none = "there is no such edition"
	}
	return a.show(r, func() error { return a.showQueue(r, none) })
}

func (a *app) showQueue(r reportedQueue, none string) error {
	var counts []string
	for _, state := range []digest.EditionState{digest.EditionReady, digest.EditionLeased, digest.EditionDotting,
		digest.EditionSent,
		digest.EditionUnconfirmed, digest.EditionFailed, digest.EditionExpired, digest.EditionUnmailed} {
		if n := r.Counts[string(state)]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, wordFor(state)))
		}
	}
	if len(counts) == 0 {
		counts = []string{none}
	}
	a.println(strings.Join(counts, ", "))
	for _, l := range r.Lanes {
		a.showLane(l)
	}
	waiting := printTable(a, "waiting", r.Waiting, func(q reportedQueued) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s", plain(q.Email), q.Date, a.whenNext(q), plain(q.Reason))
	})
	over := func(q reportedQueued) string {
		return fmt.Sprintf("%s\t%s\t%s", plain(q.Email), q.Date, plain(q.Reason))
	}
	return errors.Join(waiting,
		printTable(a, "sent, never confirmed: the server got them twice and did not reply", r.Unconfirmed, over),
		printTable(a, "failed", r.Failed, over),
		printTable(a, "expired: the next edition carries their posts", r.Expired, over),
		printTable(a, "sent", r.Sent, over),
		printTable(a, "web only", r.Unmailed, over),
		printTable(a, "bounced", r.Returned, func(b reportedReturn) string {
			return fmt.Sprintf("%s\t%s\t%s\t%s", plain(b.Email), when(b.At), b.Kind, plain(b.Evidence))
		}))
}

func (a *app) showLane(l reportedLane) {
	what := "recovers"
	if l.Until != nil {
		what = "paused until " + l.Until.Format("2006-01-02 15:04:05 MST")
	}
	if l.Alarm {
		what += " until you correct it; then run: digest queue resume"
	}
	a.printf("%s %s: %s\n", l.Lane, what, plain(l.Reason))
}

// whenNext says when an edition is sent. A due edition may wait for its turn because of a limit, or because no worker
// runs.
func (a *app) whenNext(q reportedQueued) string {
	switch {
	case q.State != digest.EditionReady:
		return wordFor(digest.EditionState(q.State))
	case q.NextAt == nil || !q.NextAt.After(a.now()):
		return "due, waits for its turn"
	case q.Attempt == 0:
		return "at " + when(q.NextAt)
	}
	return fmt.Sprintf("again at %s, after %s", when(q.NextAt), digest.Counted(q.Attempt, "attempt"))
}

func wordFor(s digest.EditionState) string {
	switch s {
	case digest.EditionReady:
		return "waiting"
	case digest.EditionLeased:
		return "assigned to a worker"
	case digest.EditionDotting:
		return "being sent"
	case digest.EditionUnconfirmed:
		return "sent but never confirmed"
	case digest.EditionUnmailed:
		return "web only"
	}
	return string(s)
}

type queueResumeCmd struct {
	Lane string `arg:"" default:"route" help:"A recipient domain, or route."`
	name string // in the store
}

func (c *queueResumeCmd) check() (err error) {
	c.name, err = parseLane(c.Lane)
	return err
}

// Run resets the trouble of a lane and keeps its limits.
func (c *queueResumeCmd) Run(a *app, st *store.Store) error {
	l, err := st.Editions.Lane(a.soft, c.name)
	if err == nil && c.name != "" && !l.IsTroubled() {
		err = digest.Errorf(digest.NotFound, "mail to %s is not paused; see: digest queue", c.name)
	}
	if err == nil {
		err = st.Editions.ResumeLane(a.soft, a.now(), c.name)
	}
	if err != nil {
		return err
	}
	if err := a.noteFence(st); err != nil {
		return err
	}
	lane, words := c.name, "mail to "+c.name
	if lane == "" {
		lane, words = routeName, routeName
	}
	return a.say(map[string]any{"lane": lane, "resumed": true}, "digest will try the %s again at the next delivery",
		words)
}
