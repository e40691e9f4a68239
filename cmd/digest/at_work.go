package main

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"syscall"
	"time"

	"digest"
	"digest/store"
)

const (
	// workEvery is the interval between a process's reports of its presence.
	workEvery = 2 * time.Minute
	// workFor is the age at which a report expires, because its process must have been killed.
	workFor = 5 * time.Minute
	// farewell limits the time to report the end of the process.
	farewell = 5 * time.Second
)

type presence struct {
	worker store.Worker
	said   time.Time // time of the last report by the machine's clock; zero: never
}

// attend reports that this process is at work, unless it has done so within workEvery.
func (a *app) attend(st *store.Store) error {
	p := &a.presence
	if !p.said.IsZero() && time.Since(p.said) < workEvery {
		return nil
	}
	now, err := st.Clock(a.hard)
	if err != nil {
		return err
	}
	if p.worker.ID == "" {
		p.worker = a.worker()
	}
	p.worker.At, p.said = now.Round(0).UTC(), time.Now()
	return st.AtWork(a.hard, p.worker)
}

func (a *app) worker() store.Worker {
	host, _ := os.Hostname()
	return store.Worker{ID: rand.Text(), Host: host, PID: os.Getpid(), At: time.Now(), AsOf: a.asOf}
}

// leave reports that this process ends, if it reported its presence.
func (a *app) leave(st *store.Store) {
	if a.presence.said.IsZero() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(a.hard), farewell)
	defer cancel()
	if err := st.LeaveWork(ctx, a.presence.worker.ID); err != nil {
		a.log.Warn("cannot store that this process ends", "err", err)
	}
}

// reads is part of the commands that change nothing with a time.
type reads struct{}

func (reads) onlyReads() {}

// refuseOtherTime returns an error if --now would change a database that another process uses by the real clock. The
// leases, plans and midnights would get wrong times.
func (a *app) refuseOtherTime(st *store.Store) error {
	if !a.asOf || a.readsOnly || a.force {
		return nil
	}
	w, works, err := a.whoWorks(st, false)
	if err == nil && works {
		err = digest.Errorf(digest.Conflict,
			"process %d on %s uses this database by the real clock, which --now would confuse; stop it first, or add --force",
			w.PID, w.Host)
	}
	return err
}

// whoWorks returns a process that uses the database by the real clock, or by any clock.
func (a *app) whoWorks(st *store.Store, byAnyClock bool) (who store.Worker, works bool, err error) {
	workers, err := st.Workers(a.soft)
	if err != nil {
		return who, false, err
	}
	now, err := st.Clock(a.soft)
	if err != nil {
		return who, false, err
	}
	for _, w := range workers {
		if now.Sub(w.At).Abs() < workFor && (byAnyClock || !w.AsOf) && !ended(w) {
			return w, true, nil
		}
	}
	return who, false, nil
}

// ended reports whether a worker ran on this machine and its process has ended.
func ended(w store.Worker) bool {
	host, err := os.Hostname()
	if err != nil || host != w.Host {
		return false
	}
	p, err := os.FindProcess(w.PID)
	return err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
