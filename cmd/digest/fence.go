package main

import (
	"fmt"
	"time"

	"digest"
	"digest/store"
)

type fenceCmd struct {
	Show    fenceShowCmd    `cmd:"" default:"1" help:"Whether the database is left alone, why, and what would happen next."`
	Release fenceReleaseCmd `cmd:"" help:"Let this instance poll and mail."`
}

// reportedFence is the fence as JSON.
type reportedFence struct {
	Fenced       bool             `json:"fenced"`
	Reason       string           `json:"reason"`
	BaseURL      string           `json:"base_url"`
	LastBaseURL  string           `json:"last_base_url"`
	LastWorkedAt *time.Time       `json:"last_worked_at"`
	Editions     int              `json:"editions"` // that wait
	Feeds        []string         `json:"feeds"`    // that would be asked at once
	Readers      []reportedWaiter `json:"readers"`  // whom something would go out to
}

type reportedWaiter struct {
	Email  string     `json:"email"`
	Sealed int        `json:"sealed"`
	DueAt  *time.Time `json:"due_at"`
	Posts  int        `json:"posts"`
}

func reportFence(base string, f store.Fence, v store.FenceView) reportedFence {
	r := reportedFence{
		Fenced: f.Reason != "", Reason: f.Reason, BaseURL: base, LastBaseURL: f.BaseURL, LastWorkedAt: instant(f.Beat),
		Feeds: each(v.Feeds, digest.WithoutCredentials), Readers: []reportedWaiter{},
	}
	for _, w := range v.Readers {
		r.Readers = append(r.Readers, reportedWaiter{w.Email, w.Sealed, instant(w.DueAt), w.Posts})
		r.Editions += w.Sealed
		if !w.DueAt.IsZero() {
			r.Editions++
		}
	}
	return r
}

type fenceShowCmd struct{}

// Run shows the fence and what waits behind it. It changes nothing.
func (fenceShowCmd) Run(a *app, st *store.Store) error {
	f, err := a.lookFence(a.soft, st)
	if err != nil {
		return err
	}
	v, err := st.Waiting(a.soft, a.now())
	if err != nil {
		return err
	}
	r := reportFence(a.BaseURL, f, v)
	return a.show(r, func() { a.showFence(r) })
}

// fenceLines is how many feeds and readers a person is shown; all are in the JSON.
const fenceLines = 20

func (a *app) showFence(r reportedFence) {
	switch {
	case r.Fenced:
		fmt.Fprintf(a.stdout, "fenced: %s\n", plain(r.Reason))
	case r.LastWorkedAt == nil:
		fmt.Fprintln(a.stdout, "no fence: nobody has worked on this database yet")
	default:
		fmt.Fprintf(a.stdout, "no fence: last at work as %s at %s\n", plain(r.LastBaseURL), when(r.LastWorkedAt))
	}
	fmt.Fprintf(a.stdout, "%s would be asked at once\n", count(len(r.Feeds), "feed"))
	for _, url := range r.Feeds[:min(len(r.Feeds), fenceLines)] {
		fmt.Fprintf(a.stdout, "  %s\n", plain(url))
	}
	a.tellMore(len(r.Feeds))
	fmt.Fprintf(a.stdout, "%s would go out, to %s\n", count(r.Editions, "edition"), count(len(r.Readers), "reader"))
	for _, w := range r.Readers[:min(len(r.Readers), fenceLines)] {
		fmt.Fprintf(a.stdout, "  %s: %s\n", plain(w.Email), w.describe())
	}
	a.tellMore(len(r.Readers))
	switch {
	case r.Fenced && r.LastBaseURL != r.BaseURL:
		fmt.Fprintf(a.stdout, "if this is a copy, leave it so; if it is the one at work as %s, set DIGEST_BASE_URL to that; "+
			"if %s takes its place, run: digest fence release\n",
			plain(r.LastBaseURL), plain(r.BaseURL))
	case r.Fenced:
		fmt.Fprintf(a.stdout, "if this is a copy, leave it so; if %s is to do all this, run: digest fence release\n", plain(r.BaseURL))
	}
}

// tellMore tells how much is not shown.
func (a *app) tellMore(n int) {
	if n > fenceLines {
		fmt.Fprintf(a.stdout, "  and %d more (all with --json)\n", n-fenceLines)
	}
}

func (w reportedWaiter) describe() string {
	text := ""
	if w.Sealed > 0 {
		text = count(w.Sealed, "edition") + " made and not sent"
	}
	if w.DueAt == nil {
		return text
	}
	if text != "" {
		text += ", and "
	}
	return text + fmt.Sprintf("the one due at %s, %s so far", when(w.DueAt), count(w.Posts, "post"))
}

type fenceReleaseCmd struct{}

// Run releases the fence.
func (fenceReleaseCmd) Run(a *app, st *store.Store) error {
	f, err := a.lookFence(a.soft, st)
	if err != nil {
		return err
	}
	if err := st.Unfence(a.soft, a.BaseURL, a.now()); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"released": f.Reason != "", "reason": f.Reason, "base_url": a.BaseURL})
	}
	if f.Reason == "" {
		fmt.Fprintln(a.stdout, "there was no fence")
		return nil
	}
	fmt.Fprintf(a.stdout, "released: from now on %s polls and mails\n", a.BaseURL)
	if f.BaseURL != a.BaseURL {
		fmt.Fprintf(a.stdout, "whatever works on this database as %s stops\n", plain(f.BaseURL))
	}
	return nil
}
