package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"digest"
	"digest/store"
)

// A database tells what the database knows, each time it is asked.
type database struct {
	Options
	descs map[string]*prometheus.Desc // by name
}

func newDatabase(o Options) *database {
	d := &database{Options: o, descs: map[string]*prometheus.Desc{}}
	desc := func(name, help string, labels ...string) {
		d.descs[name] = prometheus.NewDesc("digest_"+name, help, labels, nil)
	}
	desc("database_up", "1 if the database answered all questions of this scrape, else 0.")
	desc("job_last_beat_timestamp_seconds", "When the hourly job last said that it is at work, on whatever machine; every five minutes.")
	desc("edition_lag_seconds", "How long the oldest midnight that is past waits for its edition; 0 if none does.")
	desc("poll_lag_seconds", "How long the feed waits that should have been asked first; 0 if none does.")
	desc("mail_lag_seconds", "How long the mail waits that should have been sent first; 0 if none is due.")
	desc("readers", "Accounts.")
	desc("subscriptions", "Feeds taken by digests, each counted for each digest.")
	desc("database_size_bytes", "Size of the database.")
	desc("digests", "Digests by state: active, paused, left.", "state")
	desc("feeds", "Feeds by state: active, trial, dead, gone.", "state")
	desc("feeds_failing", "Active feeds whose last poll failed.")
	desc("suppressed_addresses", "Addresses that are not mailed, by reason: hard_bounce, soft_bounces, complaint, manual.", "reason")
	desc("editions_open", "Editions that are not over, by state: ready, leased, dotting, and expired, which the next edition carries.", "state")
	desc("mail_waiting", "Mail still to be sent, by reason: sending, due, retried, resting, scheduled.", "reason")
	desc("mail_lanes", "Ways of mail with trouble, by state: alarm (somebody has to put something right), resting, recovering.", "state")
	desc("polls_total", "Polls by what came of them: unchanged, changed, limited, refused, broken, silent.", "outcome")
	desc("poll_requests_total", "HTTP requests that the polls took.")
	desc("poll_received_bytes_total", "Bytes of bodies that the polls brought, as they travelled.")
	desc("posts_total", "New posts stored.")
	desc("editions_total", "Editions made.")
	desc("mails_total", "Mails by what became of them: sent, retried, failed, expired, sent_unconfirmed.", "result")
	return d
}

// Describe implements prometheus.Collector.
func (d *database) Describe(out chan<- *prometheus.Desc) {
	for _, desc := range d.descs {
		out <- desc
	}
}

// A scrape is one reading of the database.
type scrape struct {
	*database
	out chan<- prometheus.Metric
	now time.Time
}

// Collect implements prometheus.Collector. A part that cannot be read is left
// out, and database_up is 0.
func (d *database) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), d.Timeout)
	defer cancel()
	s := scrape{d, out, d.Now()}
	var errs error
	for _, part := range []func(context.Context) error{s.totals, s.numbers, s.states, s.mail, s.trouble, s.lags} {
		errs = errors.Join(errs, part(ctx))
	}
	up := 1.0
	if errs != nil {
		up = 0
		d.Log.Error("metrics are not complete", "err", errs)
	}
	s.gauge("database_up", up)
}

func (s scrape) gauge(name string, v float64, labels ...string) {
	s.out <- prometheus.MustNewConstMetric(s.descs[name], prometheus.GaugeValue, v, labels...)
}

func (s scrape) counter(name string, v int64, labels ...string) {
	s.out <- prometheus.MustNewConstMetric(s.descs[name], prometheus.CounterValue, float64(v), labels...)
}

// totals tells what was ever done. Each word is told even while it is 0.
func (s scrape) totals(ctx context.Context) error {
	all, err := s.Store.CounterTotals(ctx)
	if err != nil {
		return err
	}
	var polls store.Counter
	for _, outcome := range []string{"unchanged", "changed", "limited", "refused", "broken", "silent"} {
		t := all[store.CounterPoll+outcome]
		polls.Requests, polls.Bytes = polls.Requests+t.Requests, polls.Bytes+t.Bytes
		s.counter("polls_total", t.N, outcome)
	}
	s.counter("poll_requests_total", polls.Requests)
	s.counter("poll_received_bytes_total", polls.Bytes)
	s.counter("posts_total", all[store.CounterPost].N)
	s.counter("editions_total", all[store.CounterEdition].N)
	for _, result := range []string{"sent", "retried", "failed", "expired", "sent_unconfirmed"} {
		s.counter("mails_total", all[store.CounterMail+result].N, result)
	}
	return nil
}

// numbers tells what there is.
func (s scrape) numbers(ctx context.Context) error {
	n, err := s.Store.Numbers(ctx)
	if err != nil {
		return err
	}
	s.gauge("readers", float64(n.Readers))
	s.gauge("subscriptions", float64(n.Subscriptions))
	s.gauge("database_size_bytes", float64(n.Bytes))
	s.gauge("feeds_failing", float64(n.Failing))
	for _, state := range []digest.DigestState{digest.DigestActive, digest.DigestPaused, digest.DigestLeft} {
		s.gauge("digests", float64(n.Digests[state]), string(state))
	}
	for _, state := range []digest.FeedState{digest.FeedActive, digest.FeedTrial, digest.FeedDead, digest.FeedGone} {
		s.gauge("feeds", float64(n.Feeds[state]), string(state))
	}
	for _, reason := range []digest.Reason{digest.ForHardBounce, digest.ForSoftBounces, digest.ForComplaint, digest.ForOperator} {
		s.gauge("suppressed_addresses", float64(n.Suppressed[reason]), string(reason))
	}
	return nil
}

func (s scrape) states(ctx context.Context) error {
	counts, err := s.Store.EditionCounts(ctx)
	for state, n := range counts {
		s.gauge("editions_open", float64(n), string(state))
	}
	return err
}

// mail tells what mail waits, and for how long.
func (s scrape) mail(ctx context.Context) error {
	w, err := s.Store.MailWaiting(ctx, s.now, 0)
	if err != nil {
		return err
	}
	for _, reason := range store.MailReasons() {
		s.gauge("mail_waiting", float64(w.Counts[reason]), string(reason))
	}
	s.since("mail_lag_seconds", w.Oldest, !w.Oldest.IsZero())
	return nil
}

// trouble counts the ways of mail that do not carry all they could.
func (s scrape) trouble(ctx context.Context) error {
	lanes, err := s.Store.Lanes(ctx)
	if err != nil {
		return err
	}
	var alarm, resting, recovering int
	for _, l := range lanes {
		switch {
		case l.Alarm:
			alarm++
		case l.IsPaused(s.now):
			resting++
		case l.Width > 0:
			recovering++
		}
	}
	s.gauge("mail_lanes", float64(alarm), "alarm")
	s.gauge("mail_lanes", float64(resting), "resting")
	s.gauge("mail_lanes", float64(recovering), "recovering")
	return nil
}

// lags tells whether the hourly job keeps up.
func (s scrape) lags(ctx context.Context) error {
	beat, known, err := s.Store.Heartbeat(ctx)
	if err != nil {
		return err
	}
	if known {
		s.gauge("job_last_beat_timestamp_seconds", float64(beat.Unix()))
	}
	late, waits, err := s.Store.Waits(ctx, s.now)
	if err != nil {
		return err
	}
	s.since("edition_lag_seconds", late, waits)
	poll, waits, err := s.Store.PollsLate(ctx, s.now)
	if err != nil {
		return err
	}
	s.since("poll_lag_seconds", poll, waits)
	return nil
}

// since tells how long ago something was, 0 unless it holds.
func (s scrape) since(name string, t time.Time, holds bool) {
	lag := 0.0
	if holds {
		lag = max(0, s.now.Sub(t).Seconds())
	}
	s.gauge(name, lag)
}
