package main

import (
	"fmt"
	"strings"
	"time"

	"digest"
	"digest/store"
)

type fenceCmd struct {
	Show    fenceShowCmd    `cmd:"" default:"1" help:"Show whether the database is fenced, why, and what releasing it would do."`
	Release fenceReleaseCmd `cmd:"" help:"Release the fence: let this instance poll feeds and send email."`
}

type reportedFence struct {
	Fenced       bool             `json:"fenced"`
	Reason       string           `json:"reason"`
	BaseURL      string           `json:"base_url"`
	LastBaseURL  string           `json:"last_base_url"`
	LastWorkedAt *time.Time       `json:"last_worked_at"`
	Editions     int              `json:"editions"` // waiting
	Feeds        []string         `json:"feeds"`    // that would be polled immediately
	Readers      []reportedWaiter `json:"readers"`  // who would get editions
	IfNews       int              `json:"if_news"`  // further readers who get editions if their feeds have news
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
		Feeds: each(v.Feeds, digest.WithoutCredentials), Readers: []reportedWaiter{}, IfNews: v.IfNews,
	}
	for _, w := range v.Readers {
		r.Readers = append(r.Readers, reportedWaiter{w.Email, w.Sealed, instant(w.DueAt), w.Posts})
		r.Editions += w.Editions()
	}
	return r
}

// itself is part of the commands that use DIGEST_BASE_URL and not the stored address.
type itself struct{}

func (itself) goesByItself() {}

type fenceShowCmd struct {
	reads
	itself
}

// Run shows the fence and the waiting work. It changes nothing.
func (fenceShowCmd) Run(a *app, st *store.Store) error {
	f, err := a.lookFence(a.soft, st)
	if err != nil {
		return err
	}
	v, err := st.Operator.Waiting(a.soft, a.now())
	if err != nil {
		return err
	}
	r := reportFence(a.BaseURL, f, v)
	return a.show(r, func() error { return a.showFence(r) })
}

// fenceLines is the number of feeds and readers that the text output shows; the JSON has all.
const fenceLines = 20

func (a *app) showFence(r reportedFence) error {
	switch {
	case r.Fenced:
		a.printf("fenced: %s\n", plain(r.Reason))
	case r.LastWorkedAt == nil:
		a.println("no fence: no process has used this database yet")
	default:
		a.printf("no fence: last used as %s at %s\n", plain(r.LastBaseURL), when(r.LastWorkedAt))
	}
	a.printf("%s would be polled immediately\n", digest.Counted(len(r.Feeds), "feed"))
	printSome(a, r.Feeds, plain)
	a.printf("%s would be sent, to %s\n", digest.Counted(r.Editions, "edition"),
		digest.Counted(len(r.Readers), "reader"))
	printSome(a, r.Readers, func(w reportedWaiter) string { return plain(w.Email) + ": " + w.describe() })
	if r.IfNews > 0 {
		a.printf("%s would get an edition if their feeds have new posts\n",
			digest.Counted(r.IfNews, "more reader"))
	}
	switch {
	case a.wrongClock(a.now()) != "": // the reason says what to do
	case r.Fenced && r.LastWorkedAt != nil && r.LastWorkedAt.After(a.now()):
		a.println("to continue without a backup, run: digest fence release; " +
			"polls and editions then wait for the times that the fast clock has set")
	case r.Fenced && r.LastBaseURL != "" && r.LastBaseURL != r.BaseURL:
		fmt.Fprintf(a.stdout,
			"if this is a copy, keep the fence; if it is the instance at %s, set DIGEST_BASE_URL to that; "+
				"if %s replaces it, run: digest fence release\n",
			plain(r.LastBaseURL), plain(r.BaseURL))
	case r.Fenced:
		fmt.Fprintf(a.stdout,
			"if this is a copy, keep the fence; if %s should poll and send, run: digest fence release\n",
			plain(r.BaseURL))
	}
	if r.Fenced && r.Editions+r.IfNews > 0 {
		fmt.Fprintln(a.stdout,
			"to send no editions that were due before an instant: digest fence release --discard-before INSTANT")
	}
	return nil
}

// printSome prints a line for each of the first records, and the number of the others.
func printSome[T any](a *app, records []T, line func(T) string) {
	for _, r := range records[:min(len(records), fenceLines)] {
		a.printf("  %s\n", line(r))
	}
	if n := len(records) - fenceLines; n > 0 {
		a.printf("  and %d more (all with --json)\n", n)
	}
}

func (w reportedWaiter) describe() string {
	text := ""
	if w.Sealed > 0 {
		text = digest.Counted(w.Sealed, "edition") + " finished and not sent"
	}
	if w.DueAt == nil {
		return text
	}
	if text != "" {
		text += ", and "
	}
	return text + fmt.Sprintf("the one due at %s, %s so far", when(w.DueAt), digest.Counted(w.Posts, "post"))
}

type fenceReleaseCmd struct {
	itself
	DiscardBefore time.Time `example:"2026-11-20T00:00:00Z" placeholder:"INSTANT" env:"-" help:"Do not email editions that were due before this instant; they stay on the web."`
}

func (c fenceReleaseCmd) Run(a *app, st *store.Store) error {
	if why := a.wrongClock(a.now()); why != "" {
		return digest.Errorf(digest.Conflict, "%s", why)
	}
	f, err := a.lookFence(a.soft, st)
	if err != nil {
		return err
	}
	if f.BaseURL != "" && f.BaseURL != a.BaseURL && !a.command.sets("base-url") {
		return digest.Errorf(digest.Conflict,
			"this database was last used as %s; say which address it has now: digest fence release --base-url %s",
			f.BaseURL, f.BaseURL)
	}
	r := reportedRelease{
		BaseURL: a.BaseURL, Reason: f.Reason, Released: f.Reason != "", DiscardedBefore: instant(c.DiscardBefore),
	}
	if r.DiscardedBefore == nil {
		err = st.Operator.Unfence(a.soft, a.BaseURL, a.now())
	} else {
		err = c.discard(a, st, &r)
	}
	if err != nil {
		return err
	}
	return a.say(r, "%s", strings.Join(r.lines(f.BaseURL), "\n"))
}

// discard releases the fence. Editions that were due before --discard-before stay on the web and are not sent.
func (c fenceReleaseCmd) discard(a *app, st *store.Store, r *reportedRelease) error {
	switch {
	case !r.Released:
		return digest.Errorf(digest.Conflict,
			"there is no fence, so --discard-before has no effect; nothing was changed")
	case c.DiscardBefore.After(a.now()):
		return digest.Errorf(digest.Invalid,
			"--discard-before %s is in the future; name an instant in the past, such as %s",
			c.DiscardBefore.Format(time.RFC3339), a.now().UTC().Format(time.RFC3339))
	}
	sealed, err := st.Operator.UnfenceAfter(a.soft, a.BaseURL, a.now(), c.DiscardBefore)
	r.Discarded = sealed
	return err
}

type reportedRelease struct {
	BaseURL         string     `json:"base_url"`
	Reason          string     `json:"reason"`
	Released        bool       `json:"released"`
	Discarded       int        `json:"discarded,omitempty"` // finished editions that are not sent
	DiscardedBefore *time.Time `json:"discarded_before,omitempty"`
}

// lines describes a release for people. last is the former address of the database.
func (r reportedRelease) lines(last string) []string {
	if !r.Released {
		return []string{"there was no fence"}
	}
	said := []string{fmt.Sprintf("released: from now on %s polls and sends", r.BaseURL)}
	if last != "" && last != r.BaseURL {
		said = append(said, fmt.Sprintf("processes that use this database as %s stop", plain(last)))
	}
	if r.DiscardedBefore != nil {
		said = append(said, fmt.Sprintf(
			"editions due before %s stay on the web and are not sent: %s finished, and the ones that the next hour makes",
			when(r.DiscardedBefore), digest.Counted(r.Discarded, "edition")))
	}
	return said
}
