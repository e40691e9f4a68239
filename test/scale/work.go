package main

import (
	"context"
	"encoding/json"
	"net/netip"
	"os"
	"runtime/debug"
	"time"

	"digest"
	"digest/edition"
	"digest/hourly"
	"digest/mailer"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
)

// A done is what one worker did at one midnight.
type done struct {
	hourly.Summary
	LastEdition float64 // seconds from the midnight to the last edition that left; 0: none did
}

// work is one worker: one Tick, with the memory settings of the program. It tells
// what it did on its standard output.
func work(ctx context.Context, database string, now time.Time) error {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(200 << 20)
	began := time.Now()
	st, err := store.Open(ctx, database)
	if err != nil {
		return err
	}
	defer st.Close()
	secret, err := st.Secret(ctx)
	if err != nil {
		return err
	}
	st.Policy = storetest.Policy(time.Hour)
	clock := func() time.Time { return now }
	polls := poller.New(poller.Options{
		UserAgentVersion: "scale", BaseURL: "https://digest.example", NoWait: true, Now: clock, Hosts: st,
		AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	defer polls.Close()
	var d done
	job := hourly.New(hourly.Options{
		Store: st, Poller: polls, Mail: deliverer(st, digest.NewSigner(secret)), Now: clock, Frozen: true, Keep: 400 * 24 * time.Hour,
		Spread: poller.Spread{Gap: time.Hour, Deadline: 30 * time.Minute, NoWait: true},
		Report: func(e hourly.Event) {
			if e.Kind == hourly.EventDelivered && e.Mail.Sent > 0 {
				d.LastEdition = time.Since(began).Seconds()
			}
		},
	})
	if d.Summary, err = job.Tick(ctx); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(d)
}

func deliverer(st *store.Store, signer *digest.Signer) *mailer.Deliverer {
	return &mailer.Deliverer{
		Queue: st, Signer: signer, Route: digest.Limits{Connections: 4},
		Renderer: edition.New(edition.Options{Store: st, Signer: signer, BaseURL: "https://digest.example"}),
		Sender:   &mailer.Sender{Transport: nowhere{}, From: "Digest <digest@example.org>"},
	}
}

// nowhere is a transport that accepts everything.
type nowhere struct{}

// Send implements mailer.Transport.
func (nowhere) Send(ctx context.Context, _ mailer.Envelope, _ []byte, beforeDot func(context.Context) error) (mailer.Reply, error) {
	return mailer.Reply{}, beforeDot(ctx)
}

// Idempotent implements mailer.Transport.
func (nowhere) Idempotent() bool { return false }

// Close implements mailer.Transport.
func (nowhere) Close() error { return nil }
