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

	up, beat, late, lag, mailLag                   *prometheus.Desc
	readers, subscriptions, size                   *prometheus.Desc
	digests, feeds, failing, suppressions          *prometheus.Desc
	editions, waiting, lanes                       *prometheus.Desc
	polls, requests, bytes, posts, released, mails *prometheus.Desc
}

func newDatabase(o Options) *database {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("digest_"+name, help, labels, nil)
	}
	return &database{
		Options: o,
		up:      desc("database_up", "1 if the database answered all questions of this scrape, else 0."),
		beat:    desc("job_last_beat_timestamp_seconds", "When the hourly job last said that it is at work, on whatever machine; every five minutes."),
		late:    desc("edition_lag_seconds", "How long the oldest midnight that is past waits for its edition; 0 if none does."),
		lag:     desc("poll_lag_seconds", "How long the feed waits that should have been asked first; 0 if none does."),
		mailLag: desc("mail_lag_seconds", "How long the mail waits that should have been sent first; 0 if none is due."),

		readers:       desc("readers", "Accounts."),
		subscriptions: desc("subscriptions", "Feeds taken by digests, each counted for each digest."),
		size:          desc("database_size_bytes", "Size of the database."),
		digests:       desc("digests", "Digests by state: active, paused, left.", "state"),
		feeds:         desc("feeds", "Feeds by state: active, trial, dead, gone.", "state"),
		failing:       desc("feeds_failing", "Active feeds whose last poll failed."),
		suppressions:  desc("suppressed_addresses", "Addresses that are not mailed, by reason: hard_bounce, soft_bounces, complaint, manual.", "reason"),
		editions:      desc("editions_open", "Editions that are not over, by state: ready, leased, dotting, and expired, which the next edition carries.", "state"),
		waiting:       desc("mail_waiting", "Mail still to be sent, by reason: sending, due, retried, resting, scheduled.", "reason"),
		lanes:         desc("mail_lanes", "Ways of mail with trouble, by state: alarm (somebody has to put something right), resting, recovering.", "state"),

		polls:    desc("polls_total", "Polls by what came of them: unchanged, changed, limited, refused, broken, silent.", "outcome"),
		requests: desc("poll_requests_total", "HTTP requests that the polls took."),
		bytes:    desc("poll_received_bytes_total", "Bytes of bodies that the polls brought, as they travelled."),
		posts:    desc("posts_total", "New posts stored."),
		released: desc("editions_total", "Editions made."),
		mails:    desc("mails_total", "Mails by what became of them: sent, retried, failed, expired, sent_unconfirmed.", "result"),
	}
}

// Describe implements prometheus.Collector.
func (d *database) Describe(out chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{
		d.up, d.beat, d.late, d.lag, d.mailLag, d.readers, d.subscriptions, d.size, d.digests, d.feeds, d.failing, d.suppressions,
		d.editions, d.waiting, d.lanes, d.polls, d.requests, d.bytes, d.posts, d.released, d.mails,
	} {
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
	s.gauge(d.up, up)
}

func (s scrape) gauge(desc *prometheus.Desc, v float64, labels ...string) {
	s.out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, v, labels...)
}

func (s scrape) counter(desc *prometheus.Desc, v int64, labels ...string) {
	s.out <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(v), labels...)
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
		s.counter(s.polls, t.N, outcome)
	}
	s.counter(s.requests, polls.Requests)
	s.counter(s.bytes, polls.Bytes)
	s.counter(s.posts, all[store.CounterPost].N)
	s.counter(s.released, all[store.CounterEdition].N)
	for _, result := range []string{"sent", "retried", "failed", "expired", "sent_unconfirmed"} {
		s.counter(s.mails, all[store.CounterMail+result].N, result)
	}
	return nil
}

// numbers tells what there is.
func (s scrape) numbers(ctx context.Context) error {
	n, err := s.Store.Numbers(ctx)
	if err != nil {
		return err
	}
	s.gauge(s.readers, float64(n.Readers))
	s.gauge(s.subscriptions, float64(n.Subscriptions))
	s.gauge(s.size, float64(n.Bytes))
	s.gauge(s.failing, float64(n.Failing))
	for _, state := range []digest.DigestState{digest.DigestActive, digest.DigestPaused, digest.DigestLeft} {
		s.gauge(s.digests, float64(n.Digests[state]), string(state))
	}
	for _, state := range []digest.FeedState{digest.FeedActive, digest.FeedTrial, digest.FeedDead, digest.FeedGone} {
		s.gauge(s.feeds, float64(n.Feeds[state]), string(state))
	}
	for _, reason := range []digest.Reason{digest.ForHardBounce, digest.ForSoftBounces, digest.ForComplaint, digest.ForOperator} {
		s.gauge(s.suppressions, float64(n.Suppressed[reason]), string(reason))
	}
	return nil
}

func (s scrape) states(ctx context.Context) error {
	counts, err := s.Store.EditionCounts(ctx)
	for state, n := range counts {
		s.gauge(s.editions, float64(n), string(state))
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
		s.gauge(s.waiting, float64(w.Counts[reason]), string(reason))
	}
	s.since(s.mailLag, w.Oldest, !w.Oldest.IsZero())
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
	s.gauge(s.lanes, float64(alarm), "alarm")
	s.gauge(s.lanes, float64(resting), "resting")
	s.gauge(s.lanes, float64(recovering), "recovering")
	return nil
}

// lags tells whether the hourly job keeps up.
func (s scrape) lags(ctx context.Context) error {
	beat, known, err := s.Store.Heartbeat(ctx)
	if err != nil {
		return err
	}
	if known {
		s.gauge(s.beat, float64(beat.Unix()))
	}
	late, waits, err := s.Store.Waits(ctx, s.now)
	if err != nil {
		return err
	}
	s.since(s.late, late, waits)
	poll, waits, err := s.Store.PollsLate(ctx, s.now)
	if err != nil {
		return err
	}
	s.since(s.lag, poll, waits)
	return nil
}

// since tells how long ago something was, 0 unless it holds.
func (s scrape) since(desc *prometheus.Desc, t time.Time, holds bool) {
	lag := 0.0
	if holds {
		lag = max(0, s.now.Sub(t).Seconds())
	}
	s.gauge(desc, lag)
}
