package main

import (
	"fmt"
	"net/netip"
	"strings"
	"text/tabwriter"
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
	return reportedRule{r.Host, span(r.Interval), int64(r.Interval / time.Second)}
}

type hostsListCmd struct{}

// Run lists the rules.
func (hostsListCmd) Run(a *app) error {
	return a.withStore(func(st *store.Store) error {
		rules, err := st.HostRules(a.soft)
		if err != nil {
			return err
		}
		if a.json {
			list := make([]reportedRule, len(rules))
			for i, r := range rules {
				list[i] = reportRule(r)
			}
			return a.printJSON(list)
		}
		if len(rules) == 0 {
			fmt.Fprintln(a.stdout, "no host has a rule; an example: digest hosts set example.org --interval 48h")
			return nil
		}
		w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		for _, r := range rules {
			fmt.Fprintf(w, "%s\tevery %s at most\n", plain(r.Host), span(r.Interval))
		}
		return w.Flush()
	})
}

type hostsSetCmd struct {
	Host     string `arg:"" help:"A host such as example.org; the rule holds for all below it too."`
	Interval string `required:"" placeholder:"DURATION" help:"Least time between two polls of one feed, such as 48h or 7d."`
}

// Run makes a rule.
func (c hostsSetCmd) Run(a *app) error {
	host, err := parseHost(c.Host)
	if err != nil {
		return err
	}
	every, err := parseDuration(c.Interval)
	if err != nil || every <= 0 {
		return badSetting("DIGEST_INTERVAL", c.Interval, "is not a usable length of time", "48h")
	}
	return a.withStore(func(st *store.Store) error {
		rule := store.HostRule{Host: host, Interval: every}
		feeds, err := st.SetHostRule(a.soft, rule, a.now())
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(struct {
				reportedRule
				Feeds int `json:"feeds"`
			}{reportRule(rule), feeds})
		}
		fmt.Fprintf(a.stdout, "each feed of %s is asked every %s at most; that concerns %s\n", host, span(every), count(feeds, "feed"))
		return nil
	})
}

type hostsRemoveCmd struct {
	Host string `arg:""`
}

// Run ends a rule.
func (c hostsRemoveCmd) Run(a *app) error {
	host, err := parseHost(c.Host)
	if err != nil {
		return err
	}
	return a.withStore(func(st *store.Store) error {
		if err := st.DropHostRule(a.soft, host); err != nil {
			return err
		}
		if a.json {
			return a.printJSON(map[string]any{"host": host, "removed": true})
		}
		fmt.Fprintf(a.stdout, "%s has no rule any more\n", host)
		return nil
	})
}

// parseHost takes a host as people write one, or any address of the site.
func parseHost(s string) (string, error) {
	bad := &digest.Error{Kind: digest.Invalid, Message: fmt.Sprintf("%q is not a host; an example: example.org", s)}
	s = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(s), "*"), ".")
	if a, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return a.WithZone("").String(), nil
	}
	url, err := feed.NormalURL(s)
	if err != nil {
		return "", bad
	}
	if host := feed.Host(url); host != "" {
		return host, nil
	}
	return "", bad
}

// span writes a duration as people write one: 48h, 90m, 7d.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= 3*day && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}
