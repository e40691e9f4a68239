package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
)

// An announcer is where the program writes lines that are not results: as text, or as lines of the log where a service
// writes its log as JSON. It is safe for concurrent use if its writer is.
type announcer struct {
	io.Writer
	log atomic.Pointer[slog.Logger] // nil: as text
}

func (c *announcer) say(level slog.Level, text string) {
	if log := c.log.Load(); log != nil {
		log.Log(context.Background(), level, text)
		return
	}
	fmt.Fprintln(c, text)
}

// announcerOf returns the announcer that a writer is, or a new one.
func announcerOf(w io.Writer) *announcer {
	if c, ok := w.(*announcer); ok {
		return c
	}
	return &announcer{Writer: w}
}

// A service runs for long, or from cron, so that programs read what it writes while it runs.
type service interface{ isService() }

// serves is part of the commands that are services.
type serves struct{}

func (serves) isService() {}

// announce prints a line about this process on stdout while it runs.
func (a *app) announce(format string, args ...any) {
	a.announcer.say(slog.LevelInfo, fmt.Sprintf(format, args...))
}

// logAll makes the announcers of a service whose log is JSON write lines of that log, whatever the level of the log is.
func logAll(command any, format string, handler func(io.Writer) slog.Handler, announcers ...*announcer) {
	if _, ok := command.(service); !ok || format != "json" {
		return
	}
	for _, c := range announcers {
		c.log.Store(slog.New(handler(c.Writer)))
	}
}
