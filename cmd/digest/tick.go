package main

import (
	"fmt"

	"digest"
	"digest/store"
	"digest/worker"
)

type tickCmd struct {
	migrates
	serves
}

func (tickCmd) Run(a *app) error {
	return a.withWork(func(st *store.Store) error {
		return a.withJob(st, func(job *worker.Job) error { return a.tick(st, job) })
	})
}

func (a *app) tick(st *store.Store, job *worker.Job) error {
	if err := a.readBouncesOnce(st); err != nil {
		return err
	}
	// The number of feeds is known once they are planned.
	progress := a.watchPolls(job, 0, "polling")
	sum, err := job.Tick(a.soft)
	progress.bar.Finish()
	if err != nil {
		return err
	}
	unconfirmed := ""
	if sum.UnconfirmedMail > 0 {
		unconfirmed = fmt.Sprintf(" (%d never confirmed: see digest queue)", sum.UnconfirmedMail)
	}
	if err := a.say(sum, "polled %s (%d changed, %d unchanged, %d failed), %s; %s, %d sent, %d failed%s",
		digest.Counted(sum.Polled, "feed"), sum.Changed, sum.Unchanged, sum.Failed,
		digest.Counted(sum.Posts, "new post"),
		digest.Counted(sum.Editions, "edition"), sum.Sent, sum.FailedMail, unconfirmed); err != nil {
		return err
	}
	if sum.MailWaits != "" {
		return fmt.Errorf("could not send due editions: %s; they wait, and the next tick tries again", sum.MailWaits)
	}
	return nil
}
