package main

import (
	"fmt"
	"strings"
	"time"

	"digest"
	"digest/store"
)

type suppressionsCmd struct {
	List   suppressionsListCmd   `cmd:"" default:"1" help:"List them, with reason and evidence."`
	Add    suppressionsAddCmd    `cmd:"" help:"Mail nothing to an address."`
	Remove suppressionsRemoveCmd `cmd:"" help:"Mail it again."`
}

// reportedSuppression is a suppressed address as JSON.
type reportedSuppression struct {
	Email     string     `json:"email"`
	Reason    string     `json:"reason"`
	Evidence  string     `json:"evidence"`
	Edition   int64      `json:"edition"` // 0: of none
	CreatedAt *time.Time `json:"created_at"`
}

func reportSuppression(s digest.Suppression) reportedSuppression {
	return reportedSuppression{s.Email, string(s.Reason), s.Evidence, int64(s.EditionID), instant(s.CreatedAt)}
}

type suppressionsListCmd struct{}

// Run lists the addresses that are not mailed.
func (suppressionsListCmd) Run(a *app) error {
	return a.withStore(func(st *store.Store) error {
		all, err := st.Suppressions(a.soft)
		if err != nil {
			return err
		}
		return printList(a, each(all, reportSuppression), "no address is suppressed", func(s reportedSuppression) string {
			return fmt.Sprintf("%s\t%s\t%s\t%s", plain(s.Email), s.Reason, strings.TrimSuffix(when(s.CreatedAt), " UTC"), plain(s.Evidence))
		})
	})
}

type suppressionsAddCmd struct {
	Email string `arg:""`
	Note  string `placeholder:"TEXT" help:"Why, for those who look at the list."`
}

// Run suppresses an address, whether or not there is such a reader.
func (c suppressionsAddCmd) Run(a *app) error {
	address, err := parseEmail(c.Email)
	if err != nil {
		return err
	}
	return a.withStore(func(st *store.Store) error {
		s := digest.Suppression{Email: address, Reason: digest.ForOperator, Evidence: plain(c.Note), CreatedAt: a.now()}
		if err := st.Suppress(a.soft, s); err != nil {
			return err
		}
		return a.say(reportSuppression(s), "%s is not mailed any more; editions stand in the web view", address)
	})
}

type suppressionsRemoveCmd struct {
	Email string `arg:""`
}

// Run ends a suppression.
func (c suppressionsRemoveCmd) Run(a *app) error {
	address, err := parseEmail(c.Email)
	if err != nil {
		return err
	}
	return a.withStore(func(st *store.Store) error {
		if err := st.Unsuppress(a.soft, address); err != nil {
			return err
		}
		next := "is mailed again, from the next edition on"
		err := a.forReader(st, address, func(_ *store.Store, _ digest.User, d digest.Digest) error {
			if d.State != digest.DigestActive {
				next = fmt.Sprintf("may be mailed again, but its digest is %s: digest user set %s --state active", d.State, address)
			}
			return nil
		})
		if err != nil && digest.KindOf(err) != digest.NotFound { // an address may be suppressed that is no reader's
			return err
		}
		return a.say(map[string]any{"email": address, "removed": true}, "%s %s", address, next)
	})
}
