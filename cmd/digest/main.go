// Command digest makes a daily newspaper of the feeds a person chose.
//
// This package is the command line. It reads the settings, connects the other packages and prints their results. Each
// command has a file. settings.go has the settings, and wiring.go connects the packages.
package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"digest"
)

func main() {
	stderr := &announcer{Writer: os.Stderr}
	soft, hard := signals(stderr)
	os.Exit(run(soft, hard, os.Args[1:], os.Stdout, stderr))
}

// The times after the first signal at which open requests are cancelled, and at which the program exits. Polls and
// deliveries end earlier unless they hang.
const (
	cutAfter   = 12 * time.Second
	leaveAfter = 14 * time.Second
)

// errCut is the cause of the cancellation.
var errCut = errors.New(
	"stopped before all requests and emails were finished; nothing is lost, and the next run continues")

// signals returns two contexts. The first SIGTERM or interrupt ends soft, and the program finishes what is in
// flight. The second one ends hard, which also ends cutAfter after the first.
func signals(stderr *announcer) (soft, hard context.Context) {
	soft, finish := context.WithCancel(context.Background())
	hard, leave := context.WithCancelCause(context.Background())
	c := make(chan os.Signal, 2)
	signal.Notify(c, syscall.SIGTERM, os.Interrupt)
	go func() {
		<-c
		stderr.say(slog.LevelInfo, "finishing open requests and emails; a second signal stops immediately")
		finish()
		time.AfterFunc(cutAfter, func() { leave(errCut) })
		select {
		case <-c:
		case <-time.After(leaveAfter):
			complain(stderr, errCut)
		}
		leave(errCut)
		os.Exit(exitFailed) // nothing is lost: every step is committed before the next
	}()
	return soft, hard
}

// The exit statuses. Scripts rely on them.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// run is the whole program; it returns the exit status. It prints one line on stderr when it fails.
func run(soft, hard context.Context, args []string, stdout, stderr io.Writer) int {
	var c cli
	out, errs := announcerOf(stdout), announcerOf(stderr)
	command, status, err := parseArgs(&c, args, stdout)
	if err != nil {
		complain(errs, err)
		return status
	}
	if command == nil {
		return status
	}
	logAll(command, c.LogFormat, func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) }, out, errs)
	a, err := newApp(&c, soft, hard, stdout, errs)
	if err == nil {
		handler := func(w io.Writer) slog.Handler { return a.logHandler(w, c.LogFormat, slog.LevelDebug) }
		logAll(command, c.LogFormat, handler, out, errs)
		a.announcer = out
		err = a.do(command)
	}
	if soft.Err() != nil && errors.Is(err, context.Canceled) {
		err = stopped(command, hard)
	}
	if err != nil {
		status, err = c.blame(err)
		if b, ok := command.(interface{ whenBroken() int }); ok {
			status = b.whenBroken()
		}
		complain(errs, err)
		return status
	}
	return exitDone
}

// stopped returns the error of a command that a signal ended early, or nil for a service.
func stopped(command any, hard context.Context) error {
	if _, ok := command.(service); ok && hard.Err() == nil {
		return nil
	}
	return errInterrupted
}

// complain prints the one line of a failure. An error of a setting already hides passwords, and its example may be an
// address with one.
func complain(stderr *announcer, err error) {
	text := oneLine(err.Error())
	if _, ok := errors.AsType[*settingError](err); !ok {
		text = digest.WithoutCredentials(text)
	}
	stderr.say(slog.LevelError, "digest: "+text)
}

type versionCmd struct{ withoutSettings }

func (versionCmd) Run(a *app) error {
	return a.say(map[string]string{"version": version()}, "digest %s", version())
}

// version returns the version for the User-Agent header: the module's, or "dev" in a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "dev"
	}
	return info.Main.Version
}
