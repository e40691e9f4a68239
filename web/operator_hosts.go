package web

import (
	"net/http"
	"strings"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
)

type operatorHostsPage struct {
	Saved string
	Wrong catalogue.Sayable // nil if the host is valid
	Typed string
	Rules []hostRow
}

type hostRow struct{ digest.HostRule }

// Words describes the rule: "blocked, since 1 May 2026".
func (h hostRow) Words() catalogue.Sayable {
	words := catalogue.Key("blocked").With()
	if !h.Blocked {
		words = catalogue.Key("each feed polled at most every %s").With(about(h.Interval))
	}
	parts := []catalogue.Sayable{words}
	if h.ByOwner {
		parts = append(parts, catalogue.Key("set by the site’s owner"))
	}
	return catalogue.Listed(append(parts, catalogue.Key("since %s").With(dated(h.CreatedAt))))
}

func (s *site) operatorHostsPage(w http.ResponseWriter, r *http.Request, _ reader) error {
	return s.showOperatorHosts(w, r, http.StatusOK,
		operatorHostsPage{Saved: savedOf(r, "blocked", "ended", "was-ended")})
}

func (s *site) showOperatorHosts(w http.ResponseWriter, r *http.Request, status int, p operatorHostsPage) error {
	rules, err := s.Store.HostRules(r.Context())
	for _, rule := range rules {
		p.Rules = append(p.Rules, hostRow{rule})
	}
	return orShow(err, func() error { return s.show(w, r, status, "operator_hosts", catalogue.Key("Hosts"), p) })
}

// setBlocked blocks all requests to a host and its subdomains.
func (s *site) setBlocked(w http.ResponseWriter, r *http.Request, me reader) error {
	typed := strings.TrimSpace(r.PostForm.Get("host"))
	host, err := feed.ParseHost(typed)
	if err == nil {
		err = feed.CheckRuleHost(host)
	}
	if wrong, err := asSaid(err); wrong != nil || err != nil {
		return orShow(err, func() error {
			return s.showOperatorHosts(w, r, http.StatusUnprocessableEntity,
				operatorHostsPage{Wrong: wrong, Typed: digest.AddressWithoutCredentials(typed)})
		})
	}
	now := s.Now()
	feeds, err := s.Store.SetHostRule(r.Context(), digest.HostRule{Host: host, Blocked: true, CreatedAt: now}, now)
	if err == nil {
		s.Log.InfoContext(r.Context(), "an operator blocked a host", "operator", int64(me.ID), "host", host, "feeds",
			feeds)
	}
	return showSaved(w, r, err, "/operator/hosts", "blocked")
}

// endHostRule removes the operator's rule for a host. A rule of the host's owner stays in force.
func (s *site) endHostRule(w http.ResponseWriter, r *http.Request, me reader) error {
	host := r.PostForm.Get("host")
	err := s.Store.DropHostRule(r.Context(), host, false)
	if digest.KindOf(err) == digest.NotFound {
		return showSaved(w, r, nil, "/operator/hosts", "was-ended")
	}
	if err == nil {
		s.Log.InfoContext(r.Context(), "an operator removed a host rule", "operator", int64(me.ID), "host", host)
	}
	return showSaved(w, r, err, "/operator/hosts", "ended")
}
