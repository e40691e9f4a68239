package main

import (
	"fmt"

	"digest/store"
)

type tickCmd struct{}

// Run does the hourly job once.
func (tickCmd) Run(e *env) error {
	return e.withStore(func(st *store.Store) error {
		job, transport, err := e.job(st)
		if err != nil {
			return err
		}
		defer transport.Close()
		bar := e.watchPolls(job)
		sum, err := job.Tick(e.soft)
		bar.finish()
		if err != nil {
			return err
		}
		if e.json {
			return e.printJSON(sum)
		}
		fmt.Fprintf(e.stdout, "polled %d feeds (%d changed, %d unchanged, %d failed), %d new posts; %d editions, %d sent, %d failed\n",
			sum.Polled, sum.Changed, sum.Unchanged, sum.Failed, sum.Posts, sum.Editions, sum.Sent, sum.FailedMail)
		return nil
	})
}

type migrateCmd struct{}

// Run brings the schema up to date.
func (migrateCmd) Run(e *env) error {
	return e.withStore(func(st *store.Store) error {
		fmt.Fprintln(e.stdout, "the database has this version's schema")
		return nil
	})
}

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(e *env) error {
	fmt.Fprintln(e.stdout, "digest", version())
	return nil
}
