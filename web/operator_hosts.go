package web

import (
	"net/http"
	"strings"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
)

// An operatorHostsPage lists the rules for hosts.
type operatorHostsPage struct {
	Saved string
	Wrong catalogue.Sayable // nil: nothing is
	Typed string
	Rules []hostRow
}

// A hostRow is a rule for a host.
type hostRow struct{ digest.HostRule }

// Words say what the rule does: "blocked", "each feed every 2 days at most".
func (h hostRow) Words() catalogue.Message {
	since := dated(h.CreatedAt)
	switch {
	case h.Blocked && h.ByOwner:
		return catalogue.Key("nothing is asked there, as its owner has asked, since %s").With(since)
	case h.Blocked:
		return catalogue.Key("nothing is asked there, since %s").With(since)
	case h.ByOwner:
		return catalogue.Key("each feed is asked every %s at most, as its owner has asked, since %s").With(about(h.Interval), since)
	}
	return catalogue.Key("each feed is asked every %s at most, since %s").With(about(h.Interval), since)
}

func (s *site) operatorHostsPage(w http.ResponseWriter, r *http.Request, _ reader) error {
	return s.showOperatorHosts(w, r, http.StatusOK, operatorHostsPage{Saved: savedOf(r, "blocked", "ended", "was-ended")})
}

func (s *site) showOperatorHosts(w http.ResponseWriter, r *http.Request, status int, p operatorHostsPage) error {
	rules, err := s.Store.HostRules(r.Context())
	for _, rule := range rules {
		p.Rules = append(p.Rules, hostRow{rule})
	}
	return orShow(err, func() error { return s.show(w, r, status, "operator_hosts", catalogue.Key("Hosts"), p) })
}

// setBlocked has nothing asked of a host any more, nor of any below it.
func (s *site) setBlocked(w http.ResponseWriter, r *http.Request, me reader) error {
	typed := strings.TrimSpace(r.PostForm.Get("host"))
	host, err := feed.ParseHost(typed)
	if err == nil {
		err = feed.CheckRuleHost(host)
	}
	if wrong, err := asSaid(err); wrong != nil || err != nil {
		return orShow(err, func() error {
			return s.showOperatorHosts(w, r, http.StatusUnprocessableEntity, operatorHostsPage{Wrong: wrong, Typed: digest.AddressWithoutCredentials(typed)})
		})
	}
	now := s.Now()
	feeds, err := s.Store.SetHostRule(r.Context(), digest.HostRule{Host: host, Blocked: true, CreatedAt: now}, now)
	if err == nil {
		s.Log.InfoContext(r.Context(), "an operator blocks a host", "operator", int64(me.ID), "host", host, "feeds", feeds)
	}
	return showSaved(w, r, err, "/operator/hosts", "blocked")
}

// endHostRule ends the operators' rule for a host; what its owner has asked for holds on.
func (s *site) endHostRule(w http.ResponseWriter, r *http.Request, me reader) error {
	host := r.PostForm.Get("host")
	err := s.Store.DropHostRule(r.Context(), host, false)
	if digest.KindOf(err) == digest.NotFound {
		return showSaved(w, r, nil, "/operator/hosts", "was-ended")
	}
	if err == nil {
		s.Log.InfoContext(r.Context(), "an operator ends the rule for a host", "operator", int64(me.ID), "host", host)
	}
	return showSaved(w, r, err, "/operator/hosts", "ended")
}
