package main

import (
	"fmt"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
	"digest/worker"
)

type pollCmd struct {
	URL string `arg:"" name:"url"`
}

type pollAnswer struct {
	URL string `json:"url"`
	// unchanged, changed or failed; waiting: not polled, because a limit forbids it
	Outcome    string     `json:"outcome"`
	Message    string     `json:"message"`
	Status     int        `json:"status"`
	Requests   int        `json:"requests"`
	Bytes      int64      `json:"bytes"`
	State      string     `json:"state"`
	NextPollAt *time.Time `json:"next_poll_at"`
}

// Run polls one feed if its limits allow it, and queues it for later otherwise.
func (c pollCmd) Run(a *app) error {
	return a.withPolls(func(st *store.Store) error {
		known, err := a.feedAt(st, c.URL)
		if err != nil {
			return err
		}
		id := known.ID
		if err := st.Feeds.Vouch(a.soft, id, a.now()); err != nil {
			return err
		}
		result, err := a.pollOne(st, id)
		if err != nil {
			return err
		}
		f, err := st.Feeds.Feed(a.soft, id)
		if err != nil {
			return err
		}
		return a.tellPoll(f, result)
	})
}

// pollOne polls all queued feeds that are due, and returns the result of one of them, or nil if it was not polled.
func (a *app) pollOne(st *store.Store, id digest.FeedID) (result *poller.Result, err error) {
	err = a.withJob(st, func(job *worker.Job) error {
		job.Report = func(ev worker.Event) {
			if ev.Kind == worker.EventPolled && ev.Result.Feed.ID == id {
				result = &ev.Result
			}
		}
		_, err := job.Poll(a.soft)
		return err
	})
	return result, err
}

const waiting = "waiting"

func (a *app) tellPoll(f store.FeedInfo, result *poller.Result) error {
	about := a.reportFeed(f)
	r := pollAnswer{URL: about.URL, Outcome: waiting, Message: about.Reason, State: about.State,
		NextPollAt: about.NextPollAt}
	if about.State == poller.StateActive {
		r.Message = fmt.Sprintf("it was polled recently, at %s", when(about.LastPolledAt))
	}
	if result != nil {
		r.Outcome, r.Message = string(result.Outcome), digest.WithoutCredentials(result.Message)
		r.Status, r.Requests, r.Bytes = result.Feed.LastStatus, result.Requests, result.Bytes
	}
	switch {
	case a.json:
		if err := a.printJSON(r); err != nil {
			return err
		}
	case r.Outcome == waiting:
		a.printf("not polled now: %s; next poll at %s\n", plain(r.Message), when(r.NextPollAt))
	case r.Outcome != string(poller.Failed):
		a.printf("%s (%s, %d bytes); next poll %s\n", plain(r.Message),
			digest.Counted(r.Requests, "request"), r.Bytes, when(r.NextPollAt))
	}
	if r.Outcome == string(poller.Failed) {
		again := "not polled any more"
		if r.NextPollAt != nil {
			again = "next poll at " + when(r.NextPollAt)
		}
		return digest.Errorf(digest.Unavailable, "%s: %s; %s", r.URL, r.Message, again)
	}
	return nil
}
