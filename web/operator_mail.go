package web

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"digest"
	"digest/store"
)

// A mailPart is the mail that waits, and what hinders it.
type mailPart struct {
	Waits   string // in words; empty: none does
	Lanes   []laneRow
	Waiting []mailRow // that had trouble
	GivenUp []mailRow
}

// A laneRow is a way of mail that rests or recovers.
type laneRow struct {
	Name   string
	Until  time.Time // it rests until then; zero: it does not
	Alarm  bool      // the operator has to put something right
	Reason string
	Resume string // the command that ends the rest
}

// A mailRow is one mail.
type mailRow struct {
	Email  string
	Date   digest.Date
	When   string
	Reason string
}

// listMail lists the mail that waits, and why.
func (s *site) listMail(ctx context.Context, p *operatorPage, now time.Time) error {
	waiting, err := s.Store.MailWaiting(ctx, now, operatorShown)
	if err != nil {
		return err
	}
	lanes, err := s.Store.Lanes(ctx)
	if err != nil {
		return err
	}
	p.Mail.Waits = mailWords(waiting)
	for _, l := range lanes {
		if l.Alarm || l.Rests(now) || l.Width > 0 || l.Reason != "" {
			p.Mail.Lanes = append(p.Mail.Lanes, laneRowOf(l, now))
		}
	}
	p.Mail.Waiting = mailRows(waiting.Troubled, func(e store.QueuedEdition) string {
		if !e.NextAt.After(now) {
			return "waits for its turn, after " + count(e.Attempt, "attempt")
		}
		return "again " + minute(e.NextAt) + ", after " + count(e.Attempt, "attempt")
	})
	p.Mail.GivenUp = mailRows(waiting.GivenUp, func(e store.QueuedEdition) string {
		if e.State == digest.EditionUnconfirmed {
			return "sent twice, never confirmed"
		}
		return "failed after " + count(e.Attempt, "attempt")
	})
	return nil
}

func mailRows(list []store.QueuedEdition, when func(store.QueuedEdition) string) []mailRow {
	rows := make([]mailRow, len(list))
	for i, e := range list {
		rows[i] = mailRow{shortened(e.Email), e.LocalDate, when(e), shortened(cmp.Or(e.Error, e.Reply))}
	}
	return rows
}

func laneRowOf(l digest.Lane, now time.Time) laneRow {
	row := laneRow{Name: "All mail", Alarm: l.Alarm, Reason: shortened(l.Reason), Resume: "digest queue resume"}
	if l.Name != "" {
		row.Name, row.Resume = "Mail to "+l.Name, "digest queue resume "+l.Name
	}
	if l.Rests(now) {
		row.Until = l.Until
	}
	return row
}

// mailWords says how much mail waits, and why.
func mailWords(w store.MailWaiting) string {
	words := map[store.MailReason]string{
		store.MailSending: "on the way", store.MailDue: "due, waiting for a turn", store.MailRetried: "refused for now, to be tried again",
		store.MailResting: "held up while its way rests", store.MailScheduled: "for a later hour of the reader’s",
	}
	var parts []string
	for _, reason := range store.MailReasons() {
		if n := w.Counts[reason]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words[reason]))
		}
	}
	return strings.Join(parts, "; ")
}

// needMail says what of the mail somebody has to see to.
func (p *operatorPage) needMail() {
	for _, l := range p.Mail.Lanes {
		if l.Alarm {
			p.need("%s waits for you: %s. Once it is put right: %s", l.Name, strings.TrimSuffix(l.Reason, "."), l.Resume)
		}
	}
	sent, failed := 0, 0
	for _, h := range p.Hours {
		sent, failed = sent+h.Sent, failed+h.Failed
	}
	if failed >= 3 && failed*10 >= sent {
		p.need("Of the %s of the last 48 hours %d were given up; the reasons are below.", count(sent+failed, "mail"), failed)
	}
}

// suppressedFor says why an address is not mailed.
func suppressedFor(r digest.Reason) string {
	switch r {
	case digest.ForHardBounce:
		return "It bounced"
	case digest.ForSoftBounces:
		return "It has bounced for a week"
	case digest.ForComplaint:
		return "Its reader called a mail spam"
	}
	return "By the operator’s word"
}
