package operator

import (
	"digest"
	"digest/feed"
	"digest/internal/catalogue"
	"digest/web/page"
	"digest/web/publisher"
)

type hostsPage struct {
	*page.Visit
	Rules []hostRow
}

type hostRow struct{ digest.HostRule }

// Words describes the rule: "blocked, since 1 May 2026".
func (h hostRow) Words() catalogue.Sayable {
	words := catalogue.Key("blocked").With()
	if !h.Blocked {
		words = catalogue.Key("each feed polled at most once every %s").With(page.Roughly(h.Interval))
	}
	parts := []catalogue.Sayable{words}
	if h.ByOwner {
		parts = append(parts, catalogue.Key("set by the site’s owner"))
	}
	return catalogue.Listed(append(parts, catalogue.Key("since %s").With(publisher.Dated(h.CreatedAt))))
}

// hostsPage lists the rules. A POST blocks all requests to a host and its subdomains.
func (s *site) hostsPage(v *page.Visit) error {
	var typed string
	v.AddText(page.CodeKind, "host", &typed, 2000)
	if v.Posted() {
		host, err := feed.ParseHost(typed)
		if err == nil {
			err = feed.CheckRuleHost(host)
		}
		if !v.Refused(err, "host") {
			if err == nil {
				err = s.blockHost(v, host)
			}
			return v.SeeSaved(err, "/operator/hosts", "blocked")
		}
		f := v.Fields()["host"]
		f.Value, f.Unchanged = digest.AddressWithoutCredentials(typed), true
	}
	p := hostsPage{Visit: v}
	rules, err := s.Store.Operator.HostRules(v.Ctx)
	for _, rule := range rules {
		p.Rules = append(p.Rules, hostRow{rule})
	}
	return v.Show(err, "operator/hosts", catalogue.Key("Hosts"), p)
}

func (s *site) blockHost(v *page.Visit, host string) error {
	now := v.Now
	feeds, err := s.Store.Operator.SetHostRule(v.Ctx, digest.HostRule{Host: host, Blocked: true, CreatedAt: now}, now)
	if err == nil {
		s.Log.InfoContext(v.Ctx, "an operator blocked a host", "operator", int64(v.ID), "host", host, "feeds",
			feeds)
	}
	return err
}

// endHostRule removes the operator's rule for a host. A rule of the host's owner stays in force.
func (s *site) endHostRule(v *page.Visit) error {
	host := v.PostForm.Get("host")
	err := s.Store.Operator.DropHostRule(v.Ctx, host, false)
	if digest.KindOf(err) == digest.NotFound {
		return v.SeeSaved(nil, "/operator/hosts", "was-ended")
	}
	if err == nil {
		s.Log.InfoContext(v.Ctx, "an operator removed a host rule", "operator", int64(v.ID), "host", host)
	}
	return v.SeeSaved(err, "/operator/hosts", "ended")
}
