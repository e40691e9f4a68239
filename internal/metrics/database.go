package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"digest"
	"digest/store"
)

type database struct{ Options }

// Describe implements prometheus.Collector. It sends nothing, because the metrics are known only when they are
// collected.
func (d database) Describe(chan<- *prometheus.Desc) {}

type scrape struct {
	database
	out chan<- prometheus.Metric
	now time.Time
}

// Collect implements prometheus.Collector. It omits metrics that it cannot read, and sets database_up to 0.
func (d database) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), d.Timeout)
	defer cancel()
	s := scrape{d, out, d.Now()}
	var errs error
	for _, part := range []func(context.Context) error{s.totals, s.numbers, s.news, s.states, s.mail, s.trouble,
		s.lags} {
		errs = errors.Join(errs, part(ctx))
	}
	up := 1.0
	if errs != nil {
		up = 0
		d.Log.Error("cannot collect all metrics", "err", errs)
	}
	s.gauge("database_up", "1 if the database answered all questions of this scrape, else 0.", up)
}

// gauge sends the current value of a metric. label is the name and value of its label, if it has one.
func (s scrape) gauge(name, help string, v float64, label ...string) {
	s.tell(prometheus.GaugeValue, name, help, v, label)
}

// counter sends a sum that only grows.
func (s scrape) counter(name, help string, v int64, label ...string) {
	s.tell(prometheus.CounterValue, name, help, float64(v), label)
}

func (s scrape) tell(kind prometheus.ValueType, name, help string, v float64, label []string) {
	var names, values []string
	if len(label) > 0 {
		names, values = label[:1], label[1:]
	}
	s.out <- prometheus.MustNewConstMetric(prometheus.NewDesc("digest_"+name, help, names, nil), kind, v, values...)
}

// totals sends the counters of all work. It sends each label even if the count is 0.
func (s scrape) totals(ctx context.Context) error {
	all, err := s.Store.Operator.CounterTotals(ctx)
	if err != nil {
		return err
	}
	var polls store.Counter
	for _, outcome := range []string{"unchanged", "changed", "limited", "refused", "broken", "silent"} {
		t := all[store.CounterPoll+outcome]
		polls.Requests, polls.Bytes = polls.Requests+t.Requests, polls.Bytes+t.Bytes
		s.counter("polls_total", "Polls by outcome: unchanged, changed, limited, refused, broken, silent.",
			t.N, "outcome", outcome)
	}
	s.counter("poll_requests_total", "HTTP requests sent by polls.", polls.Requests)
	s.counter("poll_received_bytes_total", "Bytes of response bodies received by polls, as transferred.", polls.Bytes)
	s.counter("pushes_total", "Hub pushes whose posts were stored.", all[store.CounterPush].N)
	s.counter("posts_total", "New posts stored.", all[store.CounterPost].N)
	s.counter("editions_total", "Editions created.", all[store.CounterEdition].N)
	for _, result := range []string{"sent", "retried", "failed", "expired", "sent_unconfirmed"} {
		s.counter("mails_total", "Emails by outcome: sent, retried, failed, expired, sent_unconfirmed.",
			all[store.CounterMail+result].N, "result", result)
	}
	return nil
}

func (s scrape) numbers(ctx context.Context) error {
	n, err := s.Store.Operator.Numbers(ctx)
	if err != nil {
		return err
	}
	s.gauge("readers", "Accounts.", float64(n.Readers))
	s.gauge("subscriptions", "Feeds followed in digests; a feed counts once for each digest.", float64(n.Subscriptions))
	s.gauge("database_size_bytes", "Size of the database.", float64(n.Bytes))
	if s.Storage != nil {
		s.storage(s.Storage(n.Bytes))
	}
	s.gauge("feeds_over_quota", "Feeds over their daily quota, whose other posts wait.",
		float64(n.OverQuota))
	s.gauge("feeds_pushed", "Feeds with a confirmed hub subscription.", float64(n.Pushed))
	s.gauge("feeds_left_to_hubs", "Feeds polled only once a week, because their hubs are trusted.",
		float64(n.LeftToHubs))
	s.counter("polls_saved_total", "Polls saved, because hubs are trusted.", n.SavedPolls)
	s.gauge("feeds_failing", "Active feeds whose last poll failed.", float64(n.Failing))
	for _, state := range []digest.DigestState{digest.DigestActive, digest.DigestPaused, digest.DigestLeft} {
		s.gauge("digests", "Digests by state: active, paused, left.", float64(n.Digests[state]), "state", string(state))
	}
	for _, state := range []digest.FeedState{digest.FeedActive, digest.FeedTrial, digest.FeedDead, digest.FeedGone,
		digest.FeedBlocked, digest.FeedDeclined} {
		s.gauge("feeds", "Feeds by state: active, trial, dead, gone, blocked, declined.", float64(n.Feeds[state]),
			"state", string(state))
	}
	for _, reason := range []digest.Reason{digest.ForHardBounce, digest.ForSoftBounces, digest.ForComplaint,
		digest.ForOperator} {
		s.gauge("suppressed_addresses",
			"Suppressed addresses by reason: hard_bounce, soft_bounces, complaint, manual.",
			float64(n.Suppressed[reason]), "reason", string(reason))
	}
	return nil
}

func (s scrape) news(ctx context.Context) error {
	counts, err := s.Store.Feeds.WaysOfNews(ctx, s.now)
	if err != nil {
		return err
	}
	for _, way := range digest.Ways() {
		s.gauge("feeds_by_news", "Active feeds by how new posts arrive: push, ping, poll.",
			float64(counts[way]), "way", string(way))
	}
	return nil
}

func (s scrape) storage(size digest.Storage) {
	const help = "1 if the database needs attention: size (the database is larger than DIGEST_DATABASE_ALARM), disk (less than 1 GiB is free); else 0."
	s.gauge("database_alarm", help, one(size.Large()), "what", "size")
	s.gauge("database_alarm", help, one(size.Tight()), "what", "disk")
	if size.Free >= 0 {
		s.gauge("database_free_bytes", "Free bytes on the disk of the database, if it is a file.",
			float64(size.Free))
	}
}

func (s scrape) states(ctx context.Context) error {
	counts, err := s.Store.Editions.EditionCounts(ctx)
	for state, n := range counts {
		s.gauge("editions_open",
			"Unfinished editions by state: ready, leased, dotting, and expired (their posts go into the next edition).",
			float64(n), "state", string(state))
	}
	return err
}

func (s scrape) mail(ctx context.Context) error {
	w, err := s.Store.Editions.MailWaiting(ctx, s.now, 0)
	if err != nil {
		return err
	}
	for _, reason := range store.MailReasons() {
		s.gauge("mail_waiting", "Emails waiting to be sent, by reason: sending, due, retried, resting, scheduled.",
			float64(w.Counts[reason]), "reason", string(reason))
	}
	s.since("mail_lag_seconds", "How long the oldest due email has been waiting; 0 if none is due.", w.Oldest,
		!w.Oldest.IsZero())
	return nil
}

// trouble counts the lanes that are not fully working.
func (s scrape) trouble(ctx context.Context) error {
	lanes, err := s.Store.Editions.Lanes(ctx)
	if err != nil {
		return err
	}
	count := map[string]int{}
	for _, l := range lanes {
		switch {
		case l.Alarm:
			count["alarm"]++
		case l.IsPaused(s.now):
			count["resting"]++
		case l.Width > 0:
			count["recovering"]++
		}
	}
	for _, state := range []string{"alarm", "resting", "recovering"} {
		s.gauge("mail_lanes",
			"Mail lanes with problems, by state: alarm (the operator must fix something), resting, recovering.",
			float64(count[state]), "state", state)
	}
	return nil
}

func (s scrape) lags(ctx context.Context) error {
	beat, known, err := s.Store.Operator.Heartbeat(ctx)
	if err != nil {
		return err
	}
	if known {
		s.gauge("job_last_beat_timestamp_seconds",
			"When the hourly job last reported that it is running, on any machine; it reports every five minutes.",
			float64(beat.Unix()))
	}
	if s.Fence != nil {
		f, err := s.Fence(ctx)
		if err != nil {
			return err
		}
		s.gauge("fenced", "1 while the database is fenced, so nothing is polled or emailed (digest fence); else 0.",
			one(f.Reason != ""))
	}
	late, waits, err := s.Store.Operator.Waits(ctx, s.now)
	if err != nil {
		return err
	}
	s.since("edition_lag_seconds", "How long ago the oldest midnight was that has no edition yet; 0 if there is none.",
		late, waits)
	lags, err := s.Store.Operator.Lags(ctx, s.now, s.Deadline)
	if err != nil {
		return err
	}
	s.since("release_lag_seconds",
		"How long the oldest edition past its release deadline has been waiting; 0 if there is none.", lags.Editions,
		!lags.Editions.IsZero())
	s.since("poll_lag_seconds", "How long the oldest due poll has been waiting; 0 if none is due.",
		lags.Polls, !lags.Polls.IsZero())
	beyond := lags.Late(digest.LimitsOfLags(s.Deadline), s.now)
	for what, since := range map[string]time.Time{"editions": beyond.Editions, "polls": beyond.Polls,
		"mail": beyond.Mail} {
		s.gauge("late", "1 for what /healthz reports as late: editions, polls, mail; else 0.",
			one(!since.IsZero()), "what", what)
	}
	return nil
}

func one(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// since sends the seconds since t, or 0 if holds is false.
func (s scrape) since(name, help string, t time.Time, holds bool) {
	lag := 0.0
	if holds {
		lag = max(0, s.now.Sub(t).Seconds())
	}
	s.gauge(name, help, lag)
}
