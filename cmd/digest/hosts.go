package main

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"digest"
	"digest/feed"
	"digest/store"
)

type hostsCmd struct {
	List   hostsListCmd   `cmd:"" default:"1" help:"List the rules."`
	Set    hostsSetCmd    `cmd:"" help:"Ask each feed of a host, and of all below it, at most this often."`
	Remove hostsRemoveCmd `cmd:"" help:"End the rule for a host."`
}

// reportedRule is a rule for a host as JSON.
type reportedRule struct {
	Host     string `json:"host"`
	Interval string `json:"interval"`
	Seconds  int64  `json:"seconds"`
}

func reportRule(r store.HostRule) reportedRule {
	return reportedRule{r.Host, span(r.Interval), seconds(r.Interval)}
}

type hostsListCmd struct{ reads }

// Run lists the rules.
func (hostsListCmd) Run(a *app, st *store.Store) error {
	rules, err := st.HostRules(a.soft)
	if err != nil {
		return err
	}
	return printList(a, each(rules, reportRule), "no host has a rule; an example: digest hosts set example.org --interval 48h",
		func(r reportedRule) string { return fmt.Sprintf("%s\tevery %s at most", plain(r.Host), r.Interval) })
}

// A hostArg is a host as people write one, or any address of the site.
type hostArg struct {
	Host string `arg:"" help:"A host such as example.org; the rule holds for all below it too."`
}

func (h *hostArg) check() (err error) {
	h.Host, err = parseHost(h.Host)
	return err
}

type hostsSetCmd struct {
	hostArg
	Interval time.Duration `required:"" positive:"" example:"48h" placeholder:"DURATION" help:"Least time between two polls of one feed, such as 48h or 7d."`
}

// Run makes a rule.
func (c hostsSetCmd) Run(a *app, st *store.Store) error {
	rule := store.HostRule{Host: c.Host, Interval: c.Interval}
	feeds, err := st.SetHostRule(a.soft, rule, a.now())
	if err != nil {
		return err
	}
	return a.say(struct {
		reportedRule
		Feeds int `json:"feeds"`
	}{reportRule(rule), feeds}, "each feed of %s is asked every %s at most; that concerns %s", c.Host, span(c.Interval), digest.Counted(feeds, "feed"))
}

type hostsRemoveCmd struct{ hostArg }

// Run ends a rule.
func (c hostsRemoveCmd) Run(a *app, st *store.Store) error {
	if err := st.DropHostRule(a.soft, c.Host); err != nil {
		return err
	}
	return a.say(map[string]any{"host": c.Host, "removed": true}, "%s has no rule any more", c.Host)
}

func parseHost(s string) (string, error) {
	host := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(s), "*"), ".")
	if address, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return address.WithZone("").String(), nil
	}
	if url, err := feed.NormalURL(host); err == nil && feed.Host(url) != "" {
		return feed.Host(url), nil
	}
	return "", &digest.Error{Kind: digest.Invalid, Message: fmt.Sprintf("%q is not a host; an example: example.org",
		digest.AddressWithoutCredentials(s))}
}
