package main

import (
	"fmt"
	"text/tabwriter"
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
		if a.json {
			list := make([]reportedSuppression, len(all))
			for i, s := range all {
				list[i] = reportSuppression(s)
			}
			return a.printJSON(list)
		}
		if len(all) == 0 {
			fmt.Fprintln(a.stdout, "no address is suppressed")
			return nil
		}
		w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		for _, s := range all {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", plain(s.Email), s.Reason, s.CreatedAt.UTC().Format("2006-01-02 15:04"), plain(s.Evidence))
		}
		return w.Flush()
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
		_, d, err := a.reader(st, address)
		switch {
		case digest.KindOf(err) == digest.NotFound: // an address may be suppressed that is no reader's
		case err != nil:
			return err
		case d.State != digest.DigestActive:
			next = fmt.Sprintf("may be mailed again, but its digest is %s: digest user set %s --state active", d.State, address)
		}
		return a.say(map[string]any{"email": address, "removed": true}, "%s %s", address, next)
	})
}
