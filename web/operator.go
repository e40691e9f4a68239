package web

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"time"

	"digest"
	"digest/internal/chart"
	"digest/store"
)

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
	done := "mailed-again"
	switch err := s.Store.Unsuppress(r.Context(), r.PostForm.Get("address")); {
	case digest.KindOf(err) == digest.NotFound:
		done = "was-mailed"
	case err != nil:
		return err
	default:
		s.Log.InfoContext(r.Context(), "a suppressed address is mailed again", "operator", int64(me.ID))
	}
	return seeOther(w, r, "/operator?done="+url.QueryEscape(done))
}

// Digests counts those of a state.
func (p operatorPage) Digests(state string) int { return p.Numbers.Digests[digest.DigestState(state)] }

// Feeds counts those of a state.
func (p operatorPage) Feeds(state string) int { return p.Numbers.Feeds[digest.FeedState(state)] }
