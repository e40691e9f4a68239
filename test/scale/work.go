package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"
	"os"
	"runtime/debug"
	"time"

	"digest"
	"digest/edition"
	"digest/mailer"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
	"digest/worker"
)

// A done is the work of one worker at one midnight.
type done struct {
	worker.Summary
	LastEdition float64 // seconds from the midnight to the last sent edition; 0: none
}

func (d *done) note(e worker.Event, since time.Duration) {
	switch e.Kind {
	case worker.EventPolled:
		d.Polled++
		switch e.Result.Outcome {
		case poller.Changed:
			d.Changed++
		case poller.Unchanged:
			d.Unchanged++
		case poller.Failed:
			d.Failed++
		}
	case worker.EventStored:
		d.Posts += e.Posts
	case worker.EventReleased:
		d.Editions += e.Digests
	case worker.EventDelivered:
		d.Sent += e.Mail.Sent
		d.FailedMail += e.Mail.Failed
		if e.Mail.Sent > 0 {
			d.LastEdition = since.Seconds()
		}
	}
}

// A process does the work of one midnight, or a part of it, with the memory settings of the program.
type process struct {
	database string
	midnight time.Time
	began    time.Time     // real time of the midnight, if the clock runs; zero: it is fixed
	window   time.Duration // duration over which polls are spread, if the clock runs
}

// running reports whether the clock runs; otherwise it is fixed at the midnight.
func (w process) running() bool { return !w.began.IsZero() }

func (w process) clock() time.Time {
	if w.running() {
		return w.midnight.Add(time.Since(w.began))
	}
	return w.midnight
}

func (w process) run(ctx context.Context) error {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(200 << 20)
	start := time.Now()
	if w.running() {
		start = w.began
	}
	st, err := store.Open(ctx, w.database)
	if err != nil {
		return err
	}
	defer st.Close()
	secret, err := st.Secret(ctx)
	if err != nil {
		return err
	}
	st.Policy = storetest.Policy(time.Hour)
	polls := poller.New(poller.Options{
		UserAgentVersion: "scale", BaseURL: "https://digest.example", NoWait: !w.running(), Now: w.clock,
		Hosts:        st.Feeds,
		HostInterval: 2 * time.Second, AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	defer polls.Close()
	mail := deliverer(st, digest.NewSigner(secret))
	spread := poller.Spread{Gap: time.Hour, Deadline: 30 * time.Minute, NoWait: true}
	if w.running() {
		mail.Now = w.clock
		spread = poller.Spread{Gap: time.Hour, Deadline: 30 * time.Minute, Window: w.window,
			Jitter: poller.RandomJitter, NoWait: w.window == 0}
	}
	var d done
	job := worker.New(worker.Options{
		Store: st, Poller: polls, Mail: mail, Now: w.clock, Frozen: !w.running(), Keep: 400 * 24 * time.Hour,
		Spread: spread,
		Report: func(e worker.Event) { d.note(e, time.Since(start)) },
		Log:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if w.running() {
		err = w.runUntilDone(ctx, st, job)
	} else {
		_, err = job.Tick(ctx)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(d)
}

// runUntilDone works like "digest work" until the midnight's mail is sent, and then indexes the remaining posts, as
// at the end of a Tick.
func (w process) runUntilDone(ctx context.Context, st *store.Store, job *worker.Job) error {
	working, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, 1)
	go func() {
		defer stop()
		failed <- w.awaitDone(working, st)
	}()
	if err := job.Run(working); err != nil {
		return err
	}
	if err := <-failed; err != nil {
		return err
	}
	for {
		if n, err := st.Posts.IndexPosts(ctx, 100); n == 0 || err != nil {
			return err
		}
	}
}

// awaitDone checks each second whether digests of the midnight, or mail, remain.
func (w process) awaitDone(ctx context.Context, st *store.Store) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second):
		}
		if left, err := w.left(ctx, st); err != nil || !left {
			return err
		}
	}
}

// left makes the cheap checks first: NextMidnight reads all planned digests.
func (w process) left(ctx context.Context, st *store.Store) (bool, error) {
	if _, waits, err := st.Feeds.OldestPlan(ctx, w.clock()); err != nil || waits {
		return waits, err
	}
	if _, mail, err := st.Editions.NextMail(ctx, w.clock(), digest.Limits{}, digest.Limits{}); err != nil || mail {
		return mail, err
	}
	next, more, err := st.Feeds.NextMidnight(ctx, time.Time{})
	return more && !next.After(w.midnight), err
}

func deliverer(st *store.Store, signer *digest.Signer) *mailer.Deliverer {
	return &mailer.Deliverer{
		Queue: st.Editions, Signer: signer, Route: digest.Limits{Connections: 4},
		Renderer: edition.New(edition.Options{Store: st.Editions, Signer: signer, BaseURL: "https://digest.example"}),
		Sender:   &mailer.Sender{Transport: nowhere{}, From: "Digest <digest@example.org>", Keys: st.Editions.DKIMKeys},
	}
}

// nowhere is a transport that discards all mail.
type nowhere struct{}

// Send implements mailer.Transport.
func (nowhere) Send(ctx context.Context, _ mailer.Envelope, _ []byte, beforeDot func(context.Context) error) (
	mailer.Reply, error) {
	return mailer.Reply{}, beforeDot(ctx)
}

// Idempotent implements mailer.Transport.
func (nowhere) Idempotent() bool { return false }

// Close implements mailer.Transport.
func (nowhere) Close() error { return nil }
