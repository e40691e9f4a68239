package web

import (
	"digest"
	"digest/feed"
	"digest/internal/catalogue"
)

type operatorHostsPage struct {
	*visit
	Rules []hostRow
}

type hostRow struct{ digest.HostRule }

// Words describes the rule: "blocked, since 1 May 2026".
func (h hostRow) Words() catalogue.Sayable {
	words := catalogue.Key("blocked").With()
	if !h.Blocked {
		words = catalogue.Key("each feed polled at most once every %s").With(about(h.Interval))
	}
	parts := []catalogue.Sayable{words}
	if h.ByOwner {
		parts = append(parts, catalogue.Key("set by the site’s owner"))
	}
	return catalogue.Listed(append(parts, catalogue.Key("since %s").With(dated(h.CreatedAt))))
}

// operatorHostsPage lists the rules. A POST blocks all requests to a host and its subdomains.
func (s *site) operatorHostsPage(v *visit) error {
	var typed string
	v.text(codeKind, "host", &typed, 2000)
	if v.posted() {
		host, err := feed.ParseHost(typed)
		if err == nil {
			err = feed.CheckRuleHost(host)
		}
		if !v.refused(err, "host") {
			if err == nil {
				err = s.blockHost(v, host)
			}
			return v.saved(err, "/operator/hosts", "blocked")
		}
		f := v.fields["host"]
		f.Value, f.Unchanged = digest.AddressWithoutCredentials(typed), true
	}
	p := operatorHostsPage{visit: v}
	rules, err := s.Store.Operator.HostRules(v.ctx)
	for _, rule := range rules {
		p.Rules = append(p.Rules, hostRow{rule})
	}
	return v.show(err, "operator_hosts", catalogue.Key("Hosts"), p)
}

func (s *site) blockHost(v *visit, host string) error {
	now := v.now
	feeds, err := s.Store.Operator.SetHostRule(v.ctx, digest.HostRule{Host: host, Blocked: true, CreatedAt: now}, now)
	if err == nil {
		s.Log.InfoContext(v.ctx, "an operator blocked a host", "operator", int64(v.ID), "host", host, "feeds",
			feeds)
	}
	return err
}

// endHostRule removes the operator's rule for a host. A rule of the host's owner stays in force.
func (s *site) endHostRule(v *visit) error {
	host := v.PostForm.Get("host")
	err := s.Store.Operator.DropHostRule(v.ctx, host, false)
	if digest.KindOf(err) == digest.NotFound {
		return v.saved(nil, "/operator/hosts", "was-ended")
	}
	if err == nil {
		s.Log.InfoContext(v.ctx, "an operator removed a host rule", "operator", int64(v.ID), "host", host)
	}
	return v.saved(err, "/operator/hosts", "ended")
}
