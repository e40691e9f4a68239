package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/diagnosis"
	"digest/store"
)

type userShowCmd struct {
	readerArg
	reads
}

type reportedReader struct {
	reportedUser
	Advice      []reportedAdvice       `json:"advice"`
	Newsletters []reportedMembership   `json:"newsletters"`
	Troubled    []reportedTroubledFeed `json:"troubled"`
	Mail        []reportedMail         `json:"mail"` // of the latest editions, newest first
}

type reportedAdvice struct {
	Says string `json:"says"`
	Do   string `json:"do"` // a command; empty: none
}

type reportedMembership struct {
	Slug      string             `json:"slug"`
	State     digest.DigestState `json:"state"` // of the membership
	NextDueAt *time.Time         `json:"next_due_at"`
}

type reportedTroubledFeed struct {
	Title  string `json:"title"`
	URL    string `json:"url"`
	State  string `json:"state"`
	Reason string `json:"reason"`
}

type reportedMail struct {
	Edition   int64               `json:"edition"`
	Digest    string              `json:"digest"` // name of the digest or the newsletter
	Date      string              `json:"date"`
	State     digest.EditionState `json:"state"`
	Email     string              `json:"email"`
	SentAt    *time.Time          `json:"sent_at"`
	Attempt   int                 `json:"attempt"`
	Reply     string              `json:"reply"` // of the server
	Error     string              `json:"error"`
	MessageID string              `json:"message_id"`
	Resent    int                 `json:"resent"`
	Returned  []string            `json:"returned"` // bounces and complaints
}

func (userShowCmd) Run(a *app, st *store.Store, u digest.User, _ digest.Digest) error {
	v, err := st.Operator.ReaderView(a.soft, u.ID, diagnosis.Shown)
	if err != nil {
		return err
	}
	fence, err := a.lookFence(a.soft, st)
	if err != nil {
		return err
	}
	info, err := a.userInfo(st, u.Email)
	if err != nil {
		return err
	}
	advice := diagnosis.Advise(v, diagnosis.Facts{Now: a.now(), Fence: fence.Reason, Beat: fence.Beat,
		Deadline: a.ReleaseDeadline})
	r := reportReader(v, info, advice, a.now())
	return a.show(r, func() error { return a.showReader(r, v, info) })
}

func reportReader(v store.ReaderView, info store.UserInfo, advice []diagnosis.Advice, now time.Time) reportedReader {
	r := reportedReader{
		reportedUser: reportUser(info), Newsletters: []reportedMembership{},
		Advice: each(advice, func(a diagnosis.Advice) reportedAdvice {
			return reportedAdvice{a.Says.In(catalogue.English()), a.Do}
		}),
		Troubled: each(diagnosis.TroubledFeeds(v, now), func(f diagnosis.Feed) reportedTroubledFeed {
			return reportedTroubledFeed{f.Title, f.URL, f.State, f.Reason.In(catalogue.English())}
		}),
		Mail: each(v.Editions, func(e store.MailedEdition) reportedMail { return reportMail(v, e) }),
	}
	for _, p := range v.Digests {
		if p.Newsletter == nil {
			continue
		}
		m := reportedMembership{Slug: p.Newsletter.Slug, State: p.State}
		if p.State == digest.DigestActive {
			m.NextDueAt = instant(p.NextDueAt)
		}
		r.Newsletters = append(r.Newsletters, m)
	}
	return r
}

func reportMail(v store.ReaderView, e store.MailedEdition) reportedMail {
	r := reportedMail{
		Edition: int64(e.ID), Date: e.LocalDate.String(), State: e.State, Email: e.Email,
		SentAt: instant(e.SentAt), Attempt: e.Attempt,
		Reply: e.Reply, Error: e.Error, MessageID: e.MessageID, Resent: e.Resent,
		Returned: each(e.Returned, func(b digest.Bounce) string {
			return string(b.Kind) + ": " +
				cmp.Or(b.Evidence, b.Status)
		}),
	}
	if i := slices.IndexFunc(v.Digests, func(p store.DigestView) bool { return p.ID == e.DigestID }); i >= 0 {
		r.Digest = v.Digests[i].Name
	}
	return r
}

func (a *app) showReader(r reportedReader, v store.ReaderView, info store.UserInfo) error {
	a.printf("%s: %s, %s, %s, %s, %s%s\n", plain(r.Email), r.TimeZone, r.State,
		digest.Counted(r.Subscriptions, "feed"),
		digest.Counted(r.Editions, "edition"), nextEdition(info.User, info.Digest, "next "), habits(info))
	for _, p := range v.Digests {
		if p.Newsletter != nil {
			a.printf("newsletter %s: %s, %s\n", p.Newsletter.Slug, p.State,
				nextEdition(v.User, p.Digest, "next "))
		}
	}
	a.println()
	for _, advice := range r.Advice {
		a.println(plain(advice.Says))
		if advice.Do != "" {
			a.println("  > " + plain(advice.Do))
		}
	}
	if err := printTable(a, "feeds with problems", r.Troubled, func(f reportedTroubledFeed) string {
		return fmt.Sprintf("%s\t%s\t%s", plain(cmp.Or(f.Title, f.URL)), f.State, plain(f.Reason))
	}); err != nil {
		return err
	}
	return printTable(a, "the last editions", r.Mail, func(m reportedMail) string {
		state := wordFor(digest.EditionState(m.State))
		if m.SentAt != nil {
			state += " " + inZone(*m.SentAt, r.TimeZone)
		}
		if m.Resent > 0 {
			state += ", sent again"
		}
		return fmt.Sprintf("%s\t%s\t%s\t%s", m.Date, plain(m.Digest), state,
			plain(strings.Join(append(m.Returned, cmp.Or(m.Error, m.Reply)), "; ")))
	})
}

type userResendCmd struct {
	readerArg
	Date       digest.Date `arg:"" optional:"" example:"2026-11-20" help:"The edition of this date, such as 2026-11-20 (the latest)."`
	Newsletter string      `placeholder:"SLUG" env:"-" help:"Send an issue of this newsletter instead of the reader's digest."`
}

func (c userResendCmd) Run(a *app, st *store.Store, u digest.User, d digest.Digest) error {
	if c.Newsletter != "" {
		n, err := st.Newsletters.NewsletterBySlug(a.soft, c.Newsletter)
		if err != nil {
			return err
		}
		m, err := st.Members.Member(a.soft, n.ID, u.Email)
		if err != nil {
			return err
		}
		d.ID = m.DigestID
	}
	e, err := c.edition(a, st, d.ID)
	if err != nil {
		return err
	}
	if err := st.Editions.ResendEdition(a.soft, e.ID, a.now()); err != nil {
		return err
	}
	if err := a.noteFence(st); err != nil {
		return err
	}
	return a.say(map[string]any{"email": u.Email, "date": e.LocalDate.String(), "edition": int64(e.ID)},
		"the edition of %s is queued again for %s; the next delivery sends it", e.LocalDate, u.Email)
}

func (c userResendCmd) edition(a *app, st *store.Store, id digest.DigestID) (digest.Edition, error) {
	if !c.Date.IsZero() {
		return st.Editions.EditionOn(a.soft, id, c.Date, a.now())
	}
	latest, err := st.Editions.LatestEditions(a.soft, id, a.now(), 1)
	if err == nil && len(latest) == 0 {
		err = digest.Errorf(digest.NotFound, "there is no edition yet")
	}
	if err != nil {
		return digest.Edition{}, err
	}
	return latest[0], nil
}
