package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"digest/internal/bounce"
	"digest/store"
)

type bounceCmd struct {
	To string `placeholder:"ADDRESS" help:"The address the message came to, where its headers do not say."`
}

// mostBounce is how much of a message is read: a bounce says what it has to
// say early, and some return the whole edition.
const mostBounce = 4 << 20

// tryLater is the exit status by which a mail server keeps a message and pipes
// it again (EX_TEMPFAIL of sysexits.h).
const tryLater = 75

// whenBroken is the exit status where a setting cannot be understood: the
// message is not to be lost for it.
func (bounceCmd) whenBroken() int { return tryLater }

// Run takes one message from standard input. What cannot be stored now is to be
// tried again; a message that means nothing to us is done with.
func (c bounceCmd) Run(a *app) error {
	if a.returnPath == "" {
		return &statusError{tryLater, errors.New("no mail comes back without a return path; set DIGEST_RETURN_PATH=bounces@example.org to the address that is piped here")}
	}
	message, err := io.ReadAll(io.LimitReader(os.Stdin, mostBounce))
	if err != nil {
		return &statusError{tryLater, fmt.Errorf("reading the message: %w", err)}
	}
	m := bounce.Message{Bytes: message}
	if c.To != "" {
		m.To = []string{c.To}
	}
	var outcome bounce.Outcome
	err = a.withStore(func(st *store.Store) error {
		desk, err := a.bounces(st)
		if err == nil {
			outcome, err = desk.Handle(a.soft, m)
		}
		return err
	})
	if err != nil {
		return &statusError{tryLater, err}
	}
	return a.say(outcome, "%s", plain(outcome.String()))
}

// A statusError ends the program with a status of its own.
type statusError struct {
	status int
	err    error
}

func (s *statusError) Error() string { return s.err.Error() }

func (s *statusError) Unwrap() error { return s.err }

// wrongLine is an error of the command line that shows only when it is looked at whole.
func wrongLine(format string, args ...any) error {
	return &statusError{exitUsage, fmt.Errorf(format, args...)}
}

func statusIn(err error) (int, bool) {
	if s, ok := errors.AsType[*statusError](err); ok {
		return s.status, true
	}
	return 0, false
}
