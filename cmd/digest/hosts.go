package main

import (
	"slices"
	"time"

	"digest"
	"digest/feed"
	"digest/store"
)

type hostsCmd struct {
	List   hostsListCmd   `cmd:"" default:"1" help:"List the rules."`
	Set    hostsSetCmd    `cmd:"" help:"Poll each feed of a host and its subdomains less often."`
	Stop   hostsStopCmd   `cmd:"" name:"block" help:"Block a host and its subdomains: send them no requests."`
	Remove hostsRemoveCmd `cmd:"" aliases:"unblock" help:"Remove the rule for a host."`
}

type reportedRule struct {
	Host     string     `json:"host"`
	Interval string     `json:"interval"` // "": a block
	Seconds  int64      `json:"seconds"`
	Blocked  bool       `json:"blocked"`
	By       string     `json:"by"` // operator or owner
	Since    *time.Time `json:"since"`
}

func reportRule(r digest.HostRule) reportedRule {
	rule := reportedRule{Host: r.Host, By: "operator", Blocked: r.Blocked, Since: instant(r.CreatedAt)}
	if r.ByOwner {
		rule.By = "owner"
	}
	if !r.Blocked {
		rule.Interval, rule.Seconds = span(r.Interval), seconds(r.Interval)
	}
	return rule
}

func (r reportedRule) line() string {
	what := "at most once every " + r.Interval
	if r.Blocked {
		what = "blocked"
	}
	if r.By == "owner" {
		what += ", at the request of its owner"
	}
	return plain(r.Host) + "\t" + what
}

type hostsListCmd struct{ reads }

func (hostsListCmd) Run(a *app, st *store.Store) error {
	rules, err := st.Operator.HostRules(a.soft)
	if err != nil {
		return err
	}
	return printList(a, each(rules, reportRule),
		"no host has a rule; an example: digest hosts set example.org --interval 48h", reportedRule.line)
}

// A hostArg is a host, or any address of the site.
type hostArg struct {
	Host string `arg:"" help:"A host such as example.org; the rule includes its subdomains."`
}

func (h *hostArg) check() (err error) {
	h.Host, err = feed.ParseHost(h.Host)
	return err
}

type reportedSetRule struct {
	reportedRule
	Feeds int `json:"feeds"`
}

type hostsSetCmd struct {
	hostArg
	Interval time.Duration `required:"" positive:"" example:"48h" placeholder:"DURATION" help:"Minimum time between two polls of one feed, such as 48h or 7d."`
}

func (c hostsSetCmd) Run(a *app, st *store.Store) error {
	if err := feed.CheckRuleHost(c.Host); err != nil {
		return err
	}
	if rules, err := a.rulesOf(st, c.Host); err != nil {
		return err
	} else if slices.ContainsFunc(rules, func(r digest.HostRule) bool { return r.Blocked && !r.ByOwner }) {
		return digest.Errorf(digest.Conflict,
			"%s is blocked; to poll it again: digest hosts unblock %s", c.Host, c.Host)
	}
	return a.setRule(st, digest.HostRule{Host: c.Host, Interval: c.Interval},
		"each feed of "+c.Host+" is polled at most once every "+span(c.Interval))
}

func (a *app) setRule(st *store.Store, rule digest.HostRule, words string) error {
	rule.CreatedAt = a.now().Truncate(time.Second)
	feeds, err := st.Operator.SetHostRule(a.soft, rule, a.now())
	if err != nil {
		return err
	}
	return a.say(reportedSetRule{reportRule(rule), feeds}, "%s; this affects %s", words, digest.Counted(feeds, "feed"))
}

type hostsStopCmd struct{ hostArg }

func (c hostsStopCmd) Run(a *app, st *store.Store) error {
	if err := feed.CheckRuleHost(c.Host); err != nil {
		return err
	}
	return a.setRule(st, digest.HostRule{Host: c.Host, Blocked: true},
		"digest no longer sends requests to "+c.Host+" and its subdomains")
}

type hostsRemoveCmd struct {
	hostArg
	Owner bool `env:"-" help:"Remove the site owner's rule instead of your own."`
}

func (c hostsRemoveCmd) Run(a *app, st *store.Store) error {
	err := st.Operator.DropHostRule(a.soft, c.Host, c.Owner)
	if digest.KindOf(err) == digest.NotFound && !c.Owner {
		err = c.orOwners(a, st, err)
	}
	if err != nil {
		return err
	}
	left, err := a.rulesOf(st, c.Host)
	if err != nil {
		return err
	}
	words := "the rule for " + c.Host + " is removed"
	if len(left) > 0 && !c.Owner {
		words += "; its owner's rule still applies (digest hosts)"
	} else if len(left) > 0 {
		words += "; your rule still applies (digest hosts)"
	}
	return a.say(map[string]any{"host": c.Host, "removed": true}, "%s", words)
}

func (a *app) rulesOf(st *store.Store, host string) ([]digest.HostRule, error) {
	rules, err := st.Operator.HostRules(a.soft)
	return slices.DeleteFunc(rules, func(r digest.HostRule) bool { return r.Host != host }), err
}

// orOwners returns a better error if the rule is not the operator's but the owner's.
func (c hostsRemoveCmd) orOwners(a *app, st *store.Store, none error) error {
	rules, err := a.rulesOf(st, c.Host)
	if err != nil {
		return err
	}
	if len(rules) > 0 {
		return digest.Errorf(digest.NotFound,
			"the rule for %s is its owner's; to remove it anyway: digest hosts remove %s --owner", c.Host, c.Host)
	}
	return none
}
