package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
)

// An announcer writes the lines of the program that are not results, as text or as log lines if the log of a service is
// JSON. It is safe for concurrent use if its writer is.
type announcer struct {
	io.Writer
	log atomic.Pointer[slog.Logger] // nil: it writes text
}

func (c *announcer) say(level slog.Level, text string) {
	if log := c.log.Load(); log != nil {
		log.Log(context.Background(), level, text)
		return
	}
	fmt.Fprintln(c, text)
}

func announcerOf(w io.Writer) *announcer {
	if c, ok := w.(*announcer); ok {
		return c
	}
	return &announcer{Writer: w}
}

// A service runs for a long time or from cron, so other programs read its output.
type service interface{ isService() }

// serves marks the commands that are services.
type serves struct{}

func (serves) isService() {}

// announce prints a line about this process on stdout while it runs.
func (a *app) announce(format string, args ...any) {
	a.announcer.say(slog.LevelInfo, fmt.Sprintf(format, args...))
}

// logAll makes the announcers of a service with a JSON log write lines of that log, at any level of the log.
func logAll(command any, format string, handler func(io.Writer) slog.Handler, announcers ...*announcer) {
	if _, ok := command.(service); !ok || format != "json" {
		return
	}
	for _, c := range announcers {
		c.log.Store(slog.New(handler(c.Writer)))
	}
}
