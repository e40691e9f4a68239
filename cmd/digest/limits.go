package main

import (
	"fmt"
	"strings"

	"digest"
	"digest/mailer"
	"digest/store"
)

type limitsCmd struct {
	List   limitsListCmd   `cmd:"" default:"1" help:"List the limits of the route and of recipient domains."`
	Set    limitsSetCmd    `cmd:"" help:"Limit what a recipient domain, or the route, gets."`
	Remove limitsRemoveCmd `cmd:"" help:"End a limit: the settings hold again."`
}

// routeName is what the empty lane is called.
const routeName = "route"

// parseLane reads the name of a lane.
func parseLane(s string) (string, error) {
	if s == routeName {
		return "", nil
	}
	address, err := mailer.Recipient("a@" + strings.TrimPrefix(s, "@"))
	if err != nil {
		return "", &digest.Error{Kind: digest.Invalid,
			Message: fmt.Sprintf("%q is not a recipient domain; an example: gmail.com, or %s for all mail", s, routeName)}
	}
	return strings.TrimPrefix(address, "a@"), nil
}

func laneName(name string) string {
	if name == "" {
		return routeName
	}
	return name
}

// reportedLimits is a limit as JSON.
type reportedLimits struct {
	Lane        string `json:"lane"`
	Connections int    `json:"connections"` // 0: no limit
	Rate        string `json:"rate"`        // "0": no limit
}

func reportLimits(name string, l digest.Limits) reportedLimits {
	return reportedLimits{laneName(name), l.Connections, l.Rate.String()}
}

// words writes limits for people.
func (r reportedLimits) words() string {
	var parts []string
	if r.Connections > 0 {
		parts = append(parts, fmt.Sprintf("%d at once", r.Connections))
	}
	if r.Rate != "0" {
		parts = append(parts, r.Rate)
	}
	if len(parts) == 0 {
		return "no limit"
	}
	return strings.Join(parts, ", ")
}

type limitsListCmd struct{}

// Run lists the limits that hold: for the route, for every domain, and for the
// domains that have their own.
func (limitsListCmd) Run(a *app) error {
	return a.withStore(func(st *store.Store) error {
		lanes, err := st.Lanes(a.soft)
		if err != nil {
			return err
		}
		every := reportLimits("", a.domainLimits())
		every.Lane = "every domain"
		list := []reportedLimits{reportLimits("", a.routeLimits()), every}
		for _, l := range lanes {
			switch {
			case l.Limits == digest.Limits{}:
			case l.Name == "":
				list[0] = reportLimits("", effective(l.Limits, a.routeLimits()))
			default:
				list = append(list, reportLimits(l.Name, effective(l.Limits, a.domainLimits())))
			}
		}
		return printList(a, list, "", func(l reportedLimits) string { return l.Lane + "\t" + l.words() })
	})
}

// effective gives the limits that hold for a lane: its own, and those of the
// settings where it has none.
func effective(own, settings digest.Limits) digest.Limits {
	if own.Connections == 0 {
		own.Connections = settings.Connections
	}
	if own.Rate == (digest.Rate{}) {
		own.Rate = settings.Rate
	}
	return own
}

type limitsSetCmd struct {
	Lane        string      `arg:"" name:"domain|route" help:"A recipient domain such as gmail.com, or route for all mail."`
	Connections int         `default:"0" from:"0" to:"1000" example:"4" placeholder:"N" help:"Messages on their way at once."`
	Rate        digest.Rate `default:"0" example:"100/m" placeholder:"RATE" help:"Messages in a time, such as 100/m."`
}

// Run sets a limit.
func (c limitsSetCmd) Run(a *app) error {
	name, err := parseLane(c.Lane)
	if err != nil {
		return err
	}
	l := digest.Limits{Connections: c.Connections, Rate: c.Rate}
	if l == (digest.Limits{}) {
		return wrongLine("nothing to set; give --connections or --rate (a lane that should have no limit gets a large one), "+
			"or digest limits remove %s", c.Lane)
	}
	return a.withStore(func(st *store.Store) error {
		if err := st.SetLimits(a.soft, a.now(), name, l); err != nil {
			return err
		}
		settings := a.domainLimits()
		if name == "" {
			settings = a.routeLimits()
		}
		r := reportLimits(name, effective(l, settings))
		return a.say(r, "%s: %s", r.Lane, r.words())
	})
}

type limitsRemoveCmd struct {
	Lane string `arg:"" name:"domain|route"`
}

// Run ends a limit.
func (c limitsRemoveCmd) Run(a *app) error {
	name, err := parseLane(c.Lane)
	if err != nil {
		return err
	}
	return a.withStore(func(st *store.Store) error {
		if err := st.SetLimits(a.soft, a.now(), name, digest.Limits{}); err != nil {
			return err
		}
		return a.say(map[string]any{"lane": laneName(name), "removed": true}, "%s has no limit of its own any more", laneName(name))
	})
}
