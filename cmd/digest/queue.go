package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"digest"
	"digest/store"
)

type queueCmd struct {
	List   queueListCmd   `cmd:"" default:"1" help:"What mail waits, why, and what became of the rest."`
	Resume queueResumeCmd `cmd:"" help:"Try a paused route, or recipient domain, again now."`
}

// queueShown is how many editions of each kind are listed.
const queueShown = 50

// reportedQueue is the queue as JSON.
type reportedQueue struct {
	Counts      map[string]int   `json:"counts"` // by state
	Lanes       []reportedLane   `json:"lanes"`  // that are in trouble or recovering
	Waiting     []reportedQueued `json:"waiting"`
	Unconfirmed []reportedQueued `json:"unconfirmed"` // in doubt twice: perhaps delivered, not sent again
	Failed      []reportedQueued `json:"failed"`
	Expired     []reportedQueued `json:"expired"`
	Returned    []reportedReturn `json:"returned"` // what came back
}

type reportedReturn struct {
	Edition  int64      `json:"edition"`
	Email    string     `json:"email"`
	Kind     string     `json:"kind"`
	Status   string     `json:"status"` // RFC 3463
	Evidence string     `json:"evidence"`
	At       *time.Time `json:"at"`
}

type reportedLane struct {
	Lane   string     `json:"lane"`
	Until  *time.Time `json:"until"` // nothing is sent before; null: it is not paused
	Width  int        `json:"width"` // messages at once while it recovers; 0: all
	Alarm  bool       `json:"alarm"` // the operator has to put something right
	Reason string     `json:"reason"`
}

type reportedQueued struct {
	Edition int64      `json:"edition"`
	Email   string     `json:"email"`
	Date    string     `json:"date"`
	State   string     `json:"state"`
	Attempt int        `json:"attempt"`
	NextAt  *time.Time `json:"next_at"`
	Reason  string     `json:"reason"`
}

func reportQueue(q store.MailQueue, lanes []digest.Lane, now time.Time) reportedQueue {
	r := reportedQueue{
		Counts: map[string]int{}, Lanes: []reportedLane{},
		Waiting: each(q.Waiting, reportQueued), Unconfirmed: each(q.Unconfirmed, reportQueued),
		Failed: each(q.Failed, reportQueued), Expired: each(q.Expired, reportQueued),
		Returned: each(q.Returned, func(b store.Return) reportedReturn {
			return reportedReturn{int64(b.Edition), b.Email, string(b.Kind), b.Status, b.Evidence, instant(b.At)}
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
		r.Lanes = append(r.Lanes, reportedLane{laneName(l.Name), instant(l.Until), l.Width, l.Alarm, l.Reason})
	}
	return r
}

func reportQueued(e store.QueuedEdition) reportedQueued {
	return reportedQueued{int64(e.ID), e.Email, e.LocalDate.String(), string(e.State), e.Attempt, instant(e.NextAt), cmp.Or(e.Error, e.Reply)}
}

type queueListCmd struct{}

// Run shows the queue.
func (queueListCmd) Run(a *app) error {
	return a.withStore(func(st *store.Store) error {
		q, err := st.MailQueue(a.soft, a.now(), queueShown)
		if err != nil {
			return err
		}
		lanes, err := st.Lanes(a.soft)
		if err != nil {
			return err
		}
		r := reportQueue(q, lanes, a.now())
		if a.json {
			return a.printJSON(r)
		}
		a.showQueue(r)
		return nil
	})
}

func (a *app) showQueue(r reportedQueue) {
	var counts []string
	for _, state := range []digest.EditionState{digest.EditionReady, digest.EditionLeased, digest.EditionDotting, digest.EditionSent,
		digest.EditionUnconfirmed, digest.EditionFailed, digest.EditionExpired, digest.EditionUnmailed} {
		if n := r.Counts[string(state)]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, wordFor(state)))
		}
	}
	if len(counts) == 0 {
		counts = []string{"no edition has been made yet"}
	}
	fmt.Fprintln(a.stdout, strings.Join(counts, ", "))
	for _, l := range r.Lanes {
		a.showLane(l)
	}
	a.showWaiting(r.Waiting)
	a.showQueued("sent, never confirmed: the server took them twice without an answer", r.Unconfirmed)
	a.showQueued("failed", r.Failed)
	a.showQueued("expired: the next edition carries their posts", r.Expired)
	if len(r.Returned) > 0 {
		a.table("came back", func(w io.Writer) {
			for _, b := range r.Returned {
				fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", plain(b.Email), b.At.Format("2006-01-02 15:04 MST"), b.Kind, plain(b.Evidence))
			}
		})
	}
}

func (a *app) showLane(l reportedLane) {
	what := "recovers"
	if l.Until != nil {
		what = "paused until " + l.Until.Format("2006-01-02 15:04:05 MST")
	}
	if l.Alarm {
		what += " and needs you; once it is put right: digest queue resume"
	}
	fmt.Fprintf(a.stdout, "%s %s: %s\n", l.Lane, what, plain(l.Reason))
}

// showWaiting lists the editions that are still to be sent.
func (a *app) showWaiting(list []reportedQueued) {
	if len(list) == 0 {
		return
	}
	a.table("waiting", func(w io.Writer) {
		for _, q := range list {
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", plain(q.Email), q.Date, a.whenNext(q), plain(q.Reason))
		}
	})
}

// whenNext says when an edition is sent: what is due and is not on its way
// waits for its turn, because of a limit or because nobody works.
func (a *app) whenNext(q reportedQueued) string {
	switch {
	case q.State != string(digest.EditionReady):
		return "on the way"
	case q.NextAt == nil || !q.NextAt.After(a.now()):
		return "due, waits for its turn"
	case q.Attempt == 0:
		return "at " + q.NextAt.Format("2006-01-02 15:04 MST")
	}
	return fmt.Sprintf("again at %s, after %s", q.NextAt.Format("2006-01-02 15:04 MST"), count(q.Attempt, "attempt"))
}

// showQueued lists editions that are over.
func (a *app) showQueued(heading string, list []reportedQueued) {
	if len(list) == 0 {
		return
	}
	a.table(heading, func(w io.Writer) {
		for _, q := range list {
			fmt.Fprintf(w, "  %s\t%s\t%s\n", plain(q.Email), q.Date, plain(q.Reason))
		}
	})
}

// wordFor names a state as people know it.
func wordFor(s digest.EditionState) string {
	switch s {
	case digest.EditionReady:
		return "waiting"
	case digest.EditionLeased, digest.EditionDotting:
		return "on the way"
	case digest.EditionUnconfirmed:
		return "sent but never confirmed"
	case digest.EditionUnmailed:
		return "in the web view only"
	}
	return string(s)
}

type queueResumeCmd struct {
	Lane string `arg:"" default:"route" help:"A recipient domain, or route."`
}

// Run forgets the trouble of a lane; its limits stay.
func (c queueResumeCmd) Run(a *app) error {
	name, err := parseLane(c.Lane)
	if err != nil {
		return err
	}
	return a.withStore(func(st *store.Store) error {
		well := func(l digest.Lane) digest.Lane { return digest.Lane{Name: l.Name, Limits: l.Limits} }
		if _, err := st.ChangeLane(a.soft, a.now(), name, well); err != nil {
			return err
		}
		return a.say(map[string]any{"lane": laneName(name), "resumed": true}, "the %s is tried again by whoever delivers next", laneWord(name))
	})
}

func laneWord(name string) string {
	if name == "" {
		return routeName
	}
	return "mail to " + name
}
