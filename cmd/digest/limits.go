package main

import (
	"cmp"
	"fmt"
	"strings"

	"digest"
	"digest/mailer"
	"digest/store"
)

type limitsCmd struct {
	List   limitsListCmd   `cmd:"" default:"1" help:"List the limits of the route and of recipient domains."`
	Set    limitsSetCmd    `cmd:"" help:"Limit the email to a recipient domain, or to all."`
	Remove limitsRemoveCmd `cmd:"" help:"Remove a limit and use the settings again."`
}

// routeName is the name of the empty lane.
const routeName = "route"

func parseLane(s string) (string, error) {
	if s == routeName {
		return "", nil
	}
	address, err := mailer.Recipient("a@" + strings.TrimPrefix(s, "@"))
	if err != nil {
		return "", digest.Errorf(digest.Invalid,
			"%q is not a recipient domain; an example: gmail.com, or %s for all mail", s, routeName)
	}
	return strings.TrimPrefix(address, "a@"), nil
}

type reportedLimits struct {
	Lane        string `json:"lane"`
	Connections int    `json:"connections"` // 0: no limit
	Rate        string `json:"rate"`        // "0": no limit
}

// reportLimits returns the limits of a lane: its own, or the settings.
func (a *app) reportLimits(lane string, own digest.Limits) reportedLimits {
	settings := a.domainLimits()
	if lane == "" {
		settings = a.routeLimits()
	}
	return reportedLimits{cmp.Or(lane, routeName), cmp.Or(own.Connections, settings.Connections),
		cmp.Or(own.Rate, settings.Rate).String()}
}

func (r reportedLimits) words() string {
	var parts []string
	if r.Connections > 0 {
		parts = append(parts, fmt.Sprintf("%d at the same time", r.Connections))
	}
	if r.Rate != "0" {
		parts = append(parts, r.Rate)
	}
	return cmp.Or(strings.Join(parts, ", "), "no limit")
}

type limitsListCmd struct{ reads }

// Run lists the limits in force: of the route, of every domain, and of the domains with their own.
func (limitsListCmd) Run(a *app, st *store.Store) error {
	lanes, err := st.Editions.Lanes(a.soft)
	if err != nil {
		return err
	}
	list := []reportedLimits{a.reportLimits("", digest.Limits{}), a.reportLimits("every domain", digest.Limits{})}
	for _, l := range lanes {
		switch {
		case l.Limits == digest.Limits{}:
		case l.Name == "":
			list[0] = a.reportLimits("", l.Limits)
		default:
			list = append(list, a.reportLimits(l.Name, l.Limits))
		}
	}
	return printList(a, list, "", func(l reportedLimits) string { return l.Lane + "\t" + l.words() })
}

// A laneArg is a lane as people write it.
type laneArg struct {
	Lane string `arg:"" name:"domain|route" help:"A recipient domain such as gmail.com, or route for all email."`
	name string // in the store
}

func (l *laneArg) check() (err error) {
	l.name, err = parseLane(l.Lane)
	return err
}

type limitsSetCmd struct {
	laneArg
	Connections int         `default:"0" from:"0" to:"1000" example:"4" placeholder:"N" help:"Maximum number of emails to send at the same time."`
	Rate        digest.Rate `default:"0" from:"1/h" to:"1000/s" zero:"no limit" example:"100/m" placeholder:"RATE" help:"Maximum sending rate, such as 100/m."`
}

func (c *limitsSetCmd) check() error {
	if err := c.laneArg.check(); err != nil {
		return err
	}
	if c.limits() == (digest.Limits{}) {
		return wrongLine("nothing to set; add --connections or --rate (a large number for no limit), " +
			"or digest limits remove " + c.Lane)
	}
	return nil
}

func (c *limitsSetCmd) limits() digest.Limits {
	return digest.Limits{Connections: c.Connections, Rate: c.Rate}
}

func (c *limitsSetCmd) Run(a *app, st *store.Store) error {
	if err := st.Editions.SetLimits(a.soft, a.now(), c.name, c.limits()); err != nil {
		return err
	}
	r := a.reportLimits(c.name, c.limits())
	return a.say(r, "%s: %s", r.Lane, r.words())
}

type limitsRemoveCmd struct{ laneArg }

func (c limitsRemoveCmd) Run(a *app, st *store.Store) error {
	name := cmp.Or(c.name, routeName)
	l, err := st.Editions.Lane(a.soft, c.name)
	if err == nil && l.Limits == (digest.Limits{}) {
		err = digest.Errorf(digest.NotFound, "%s has no limit set; see: digest limits", name)
	}
	if err == nil {
		err = st.Editions.SetLimits(a.soft, a.now(), c.name, digest.Limits{})
	}
	if err != nil {
		return err
	}
	return a.say(map[string]any{"lane": name, "removed": true}, "removed the limit of %s; the settings apply again",
		name)
}
