package main

import (
	"fmt"
	"strings"
	"time"

	"digest"
	"digest/store"
)

type suppressionsCmd struct {
	List   suppressionsListCmd   `cmd:"" default:"1" help:"List suppressed addresses, with reason and evidence."`
	Add    suppressionsAddCmd    `cmd:"" help:"Suppress an address: send it no email."`
	Remove suppressionsRemoveCmd `cmd:"" help:"Remove a suppression: send email to the address again."`
}

type reportedSuppression struct {
	Email     string        `json:"email"`
	Reason    digest.Reason `json:"reason"`
	Evidence  string        `json:"evidence"`
	Edition   int64         `json:"edition"` // 0: none
	CreatedAt *time.Time    `json:"created_at"`
}

func reportSuppression(s digest.Suppression) reportedSuppression {
	return reportedSuppression{s.Email, s.Reason, s.Evidence, int64(s.EditionID), instant(s.CreatedAt)}
}

type suppressionsListCmd struct{ reads }

func (suppressionsListCmd) Run(a *app, st *store.Store) error {
	return printPages(a, reported(st.Editions.Suppressions(a.soft), reportSuppression), "no address is suppressed",
		func(s reportedSuppression) string {
			return fmt.Sprintf("%s\t%s\t%s\t%s", plain(s.Email), s.Reason,
				strings.TrimSuffix(when(s.CreatedAt), " UTC"),
				plain(s.Evidence))
		})
}

type suppressionsAddCmd struct {
	emailArg
	Note string `placeholder:"TEXT" help:"The reason to show in the list."`
}

// Run suppresses an address, even one without a reader.
func (c suppressionsAddCmd) Run(a *app, st *store.Store) error {
	s := digest.Suppression{Email: c.Email, Reason: digest.ForOperator, Evidence: plain(c.Note),
		CreatedAt: a.now().Truncate(time.Second)}
	if err := st.Editions.Suppress(a.soft, s); err != nil {
		return err
	}
	return a.say(reportSuppression(s), "digest sends no more email to %s; editions stay on the web", c.Email)
}

type suppressionsRemoveCmd struct{ emailArg }

func (c suppressionsRemoveCmd) Run(a *app, st *store.Store) error {
	if err := st.Editions.Unsuppress(a.soft, c.Email); err != nil {
		return err
	}
	next := "gets email again from the next edition on"
	_, d, err := a.reader(st, c.Email)
	if err != nil && digest.KindOf(err) != digest.NotFound { // the address may have no reader
		return err
	}
	if err == nil && d.State != digest.DigestActive {
		next = fmt.Sprintf("can get email again, but its digest is %s: digest user set %s --state active", d.State,
			c.Email)
	}
	return a.say(map[string]any{"email": c.Email, "removed": true}, "%s %s", c.Email, next)
}
