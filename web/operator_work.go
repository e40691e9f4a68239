package web

import (
	"context"
	"html/template"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/internal/chart"
	"digest/poller"
	"digest/store"
)

// workHours is how far back the page shows what was done.
const workHours = 48

// drawWork draws what the last hours did.
func (s *site) drawWork(ctx context.Context, p *operatorPage, now time.Time) error {
	work := chart.NewWork(now, workHours)
	done, err := s.Store.HourCounters(ctx, work.Hours[0].At)
	if err != nil {
		return err
	}
	for _, t := range done {
		if h := work.Hour(t.At); h != nil {
			addTally(h, t)
		}
	}
	p.WorkTotal = work.Total()
	for _, k := range chart.Kinds() {
		if n := p.WorkTotal.Count[k]; n > 0 {
			p.WorkKinds = append(p.WorkKinds, legendEntry{k, n})
		}
	}
	for _, h := range slices.Backward(work.Hours) {
		if !h.Quiet() {
			p.Hours = append(p.Hours, h)
		}
	}
	if len(p.Hours) > 0 {
		// The picture holds numbers and dates only.
		p.Work = template.HTML(work.SVG("Polls, bytes, editions and mail of the last 48 hours, by hour; the table below has the numbers"))
	}
	return nil
}

// addTally adds what was done of one kind to its hour.
func addTally(h *chart.Hour, t store.HourCounter) {
	switch n := int(t.N); t.Kind {
	case store.CounterEdition:
		h.Editions += n
	case store.CounterMail + string(digest.EditionSent):
		h.Sent += n
	case store.CounterMail + string(digest.EditionFailed), store.CounterMail + string(digest.EditionExpired),
		store.CounterMail + string(digest.EditionUnconfirmed):
		h.Failed += n
	default:
		if kind, ok := strings.CutPrefix(t.Kind, store.CounterPoll); ok {
			h.Count[kindNamed(kind)] += n
			h.Bytes += t.Bytes
		}
	}
}

// kindNamed gives the kind of answer of that name.
func kindNamed(name string) chart.Kind {
	for _, k := range chart.Kinds() {
		if k.Class() == name {
			return k
		}
	}
	return chart.Silent
}

// A troubledRow is a feed that does not answer well.
type troubledRow struct {
	Title   string
	URL     string // as the status page finds it
	Shown   string // without what may be secret
	State   string
	Reason  string
	Since   time.Time
	Readers int
	Next    time.Time
	Late    bool
}

// listTroubled lists the feeds in trouble, those that most readers wait for first.
func (s *site) listTroubled(ctx context.Context, p *operatorPage, now time.Time) error {
	feeds, all, err := s.Store.TroubledFeeds(ctx, operatorShown)
	if err != nil {
		return err
	}
	for _, f := range feeds {
		p.Troubled = append(p.Troubled, s.troubledRow(f, now))
	}
	p.TroubledMore = all - len(feeds)
	return nil
}

func (s *site) troubledRow(f store.FeedInfo, now time.Time) troubledRow {
	state, reason := poller.Status(f.Feed, now)
	next := poller.NextPoll(f.Feed, f.NextDueAt, now, s.Spread)
	shown, _ := shownURL(f.URL, false)
	since := f.FailingSince
	if since.IsZero() {
		since = f.FirstErrorAt
	}
	if f.State == digest.FeedGone {
		since = f.GoneAt
	}
	return troubledRow{
		Title: shortened(f.Title), URL: f.URL, Shown: shortened(shown), State: state, Reason: shortened(reason), Since: since,
		Readers: f.Subscribers, Next: next, Late: !next.IsZero() && !next.After(now),
	}
}
