package main

import (
	"fmt"
	"log/slog"

	"digest/hourly"
	"digest/store"
)

type tickCmd struct{}

// Run does the hourly job once. What goes wrong on the way and is tried again
// is in the summary, not in the log, unless the log is asked for.
func (tickCmd) Run(a *app) error {
	if err := a.logAt(slog.LevelError); err != nil {
		return err
	}
	return a.withWork(func(st *store.Store) error {
		job, transport, err := a.job(st)
		if err != nil {
			return err
		}
		defer transport.Close()
		if err := a.sweepReturns(st); err != nil {
			return err
		}
		bar := a.watchPolls(job)
		sum, err := job.Tick(a.soft)
		bar.finish()
		if err != nil {
			return err
		}
		if err := a.printSummary(sum); err != nil {
			return err
		}
		if sum.MailWaits != "" {
			return fmt.Errorf("editions that are due could not be sent: %s; they wait, and the next tick tries again", sum.MailWaits)
		}
		return nil
	})
}

func (a *app) printSummary(sum hourly.Summary) error {
	if a.json {
		return a.printJSON(sum)
	}
	_, err := fmt.Fprintf(a.stdout, "polled %s (%d changed, %d unchanged, %d failed), %s; %s, %d sent, %d failed\n",
		count(sum.Polled, "feed"), sum.Changed, sum.Unchanged, sum.Failed, count(sum.Posts, "new post"),
		count(sum.Editions, "edition"), sum.Sent, sum.FailedMail)
	return err
}

type migrateCmd struct{}

// Run brings the schema up to date.
func (migrateCmd) Run(a *app) error {
	return a.withStore(func(st *store.Store) error {
		if a.json {
			return a.printJSON(map[string]bool{"migrated": true})
		}
		fmt.Fprintln(a.stdout, "the database has this version's schema")
		return nil
	})
}

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(a *app) error {
	if a.json {
		return a.printJSON(map[string]string{"version": version()})
	}
	fmt.Fprintln(a.stdout, "digest", version())
	return nil
}
