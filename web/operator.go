package web

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"time"

	"digest"
	"digest/internal/chart"
	"digest/store"
)

// OperatorDesk is what whoever runs this instance is shown. Nothing of it says
// who reads what.
type OperatorDesk interface {
	// Midnights gives when in the UTC day readers have their midnights.
	Midnights(ctx context.Context) ([]store.Midnight, error)
	// MidnightFeeds gives how many feeds are asked then; it may take seconds.
	MidnightFeeds(ctx context.Context) ([]store.Midnight, error)
	// HourCounters gives what was done in the hours since an instant.
	HourCounters(ctx context.Context, since time.Time) ([]store.HourCounter, error)
	// TroubledFeeds gives the feeds that do not answer well and are waited for,
	// and how many there are.
	TroubledFeeds(ctx context.Context, limit int) ([]store.FeedInfo, int, error)
	// MailWaiting gives the mail that is still to be sent.
	MailWaiting(ctx context.Context, now time.Time, limit int) (store.MailWaiting, error)
	// Lanes gives the ways of mail that have limits of their own, or trouble.
	Lanes(ctx context.Context) ([]digest.Lane, error)
	// Suppressions lists the addresses that are not mailed, the latest first.
	Suppressions(ctx context.Context) ([]digest.Suppression, error)
	// Unsuppress lets an address be mailed again; digest.NotFound if it is.
	Unsuppress(ctx context.Context, email string) error
	// Numbers counts what there is.
	Numbers(ctx context.Context) (store.Numbers, error)
	// Heartbeat gives when the hourly job last was at work; false: never.
	Heartbeat(ctx context.Context) (time.Time, bool, error)
	// Waits gives the earliest midnight that is past and has no edition yet.
	Waits(ctx context.Context, now time.Time) (time.Time, bool, error)
}

// operatorShown is how many feeds, mails and addresses are listed of each kind.
const operatorShown = 25

// An operatorPage is how this instance stands.
type operatorPage struct {
	Said  string   // what the last form did
	Needs []string // what somebody has to see to

	Dial      template.HTML
	DialWords string
	Midnights []midnightRow
	CountedAt time.Time // when the feeds of each midnight were counted; zero: they are being counted

	Work      template.HTML
	WorkTotal chart.Hour
	WorkKinds []legendEntry
	Hours     []chart.Hour // in which something was done, the latest first

	Troubled     []troubledRow
	TroubledMore int

	Mail mailPart

	Suppressed     []digest.Suppression
	SuppressedMore int

	Numbers store.Numbers
	Beat    time.Time // of the hourly job; zero: never
}

// operatorSays is what a form has done, by its code in the address.
func operatorSays(code string) string {
	return map[string]string{
		"mailed-again": "That address is mailed again, from its next edition on.",
		"was-mailed":   "That address was not suppressed any more. Nothing was changed.",
	}[code]
}

// operatorPage shows how this instance stands.
func (s *site) operatorPage(w http.ResponseWriter, r *http.Request, _ reader) error {
	ctx, now := r.Context(), s.Now()
	p := operatorPage{Said: operatorSays(r.URL.Query().Get("done"))}
	var err error
	if p.Numbers, err = s.Store.Numbers(ctx); err != nil {
		return err
	}
	for _, part := range []func(context.Context, *operatorPage, time.Time) error{
		s.drawMidnights, s.drawWork, s.listTroubled, s.listMail, s.listSuppressed, s.listNeeds,
	} {
		if err := part(ctx, &p, now); err != nil {
			return err
		}
	}
	return s.show(w, r, http.StatusOK, "operator", "Operator", p)
}

func (s *site) listSuppressed(ctx context.Context, p *operatorPage, _ time.Time) error {
	all, err := s.Store.Suppressions(ctx)
	p.Suppressed = all[:min(len(all), operatorShown)]
	p.SuppressedMore = len(all) - len(p.Suppressed)
	return err
}

// listNeeds says what somebody has to see to, in the order of its weight. What
// the other parts have found is there already.
func (s *site) listNeeds(ctx context.Context, p *operatorPage, now time.Time) error {
	beat, _, err := s.Store.Heartbeat(ctx)
	if err != nil {
		return err
	}
	p.Beat = beat
	late, waits, err := s.Store.Waits(ctx, now)
	if err != nil {
		return err
	}
	if beat.IsZero() && p.Numbers.Readers > 0 && s.Beats {
		p.need("The hourly job was never at work here. See that “digest serve” or “digest work” runs.")
	} else if !beat.IsZero() && now.Sub(beat) > beatPatience {
		p.need("The hourly job was last at work %s. See that “digest serve” or “digest work” runs; “digest fence” says whether it waits for your word.", minute(beat))
	}
	if waits && now.Sub(late) > s.latePatience() {
		p.need("An edition that was due %s has not been made yet.", minute(late))
	}
	p.needMail()
	return nil
}

func (p *operatorPage) need(format string, args ...any) {
	p.Needs = append(p.Needs, fmt.Sprintf(format, args...))
}

// mailAgain lets a suppressed address be mailed again.
func (s *site) mailAgain(w http.ResponseWriter, r *http.Request, me reader) error {
	if err := r.ParseForm(); err != nil {
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			return err
		}
		return errBadForm
	}
	done := "mailed-again"
	switch err := s.Store.Unsuppress(r.Context(), r.PostForm.Get("address")); {
	case digest.KindOf(err) == digest.NotFound:
		done = "was-mailed"
	case err != nil:
		return err
	default:
		s.Log.InfoContext(r.Context(), "a suppressed address is mailed again", "operator", int64(me.ID))
	}
	http.Redirect(w, r, "/operator?done="+url.QueryEscape(done), http.StatusSeeOther)
	return nil
}

// Digests counts those of a state.
func (p operatorPage) Digests(state string) int { return p.Numbers.Digests[digest.DigestState(state)] }

// Feeds counts those of a state.
func (p operatorPage) Feeds(state string) int { return p.Numbers.Feeds[digest.FeedState(state)] }
