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
func (tickCmd) Run(e *env) error {
	if err := e.logAt(slog.LevelError); err != nil {
		return err
	}
	return e.withWork(func(st *store.Store) error {
		job, transport, err := e.job(st)
		if err != nil {
			return err
		}
		defer transport.Close()
		if err := e.sweepReturns(st); err != nil {
			return err
		}
		bar := e.watchPolls(job)
		sum, err := job.Tick(e.soft)
		bar.finish()
		if err != nil {
			return err
		}
		if err := e.printSummary(sum); err != nil {
			return err
		}
		if sum.MailWaits != "" {
			return fmt.Errorf("editions that are due could not be sent: %s; they wait, and the next tick tries again", sum.MailWaits)
		}
		return nil
	})
}

func (e *env) printSummary(sum hourly.Summary) error {
	if e.json {
		return e.printJSON(sum)
	}
	_, err := fmt.Fprintf(e.stdout, "polled %s (%d changed, %d unchanged, %d failed), %s; %s, %d sent, %d failed\n",
		count(sum.Polled, "feed"), sum.Changed, sum.Unchanged, sum.Failed, count(sum.Posts, "new post"),
		count(sum.Editions, "edition"), sum.Sent, sum.FailedMail)
	return err
}

type migrateCmd struct{}

// Run brings the schema up to date.
func (migrateCmd) Run(e *env) error {
	return e.withStore(func(st *store.Store) error {
		if e.json {
			return e.printJSON(map[string]bool{"migrated": true})
		}
		fmt.Fprintln(e.stdout, "the database has this version's schema")
		return nil
	})
}

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(e *env) error {
	if e.json {
		return e.printJSON(map[string]string{"version": version()})
	}
	fmt.Fprintln(e.stdout, "digest", version())
	return nil
}
