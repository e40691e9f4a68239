package web

import (
	"context"
	"net/http"
	"strings"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
	"digest/poller"
	"digest/web/page"
)

// An aboutSitePage tells the owner of a site how to limit or block our requests. After a check it
// shows the rule that the check found.
type aboutSitePage struct {
	Name, File, Record string            // name of this instance in the owner's line, and the two places for the line
	Asked              string            // host or address that the owner typed
	Wrong              catalogue.Sayable // why there was no check; nil if there was one
	Host               string            // the checked host; "" if there was no check
	Places             []poller.WishPlace
	Holds              catalogue.Sayable // rule in force after the check; nil if the host publishes no line
}

func (s *site) aboutSite(asked string) aboutSitePage {
	return aboutSitePage{Name: poller.WishName(s.BaseURL), File: poller.WishFile, Record: poller.WishRecord,
		Asked: page.FirstRunes(asked, page.MaxName)}
}

// aboutSitePage shows the form. A GET never sends a request to the site.
func (s *site) aboutSitePage(w http.ResponseWriter, r *http.Request) error {
	return s.showAboutSite(w, r, http.StatusOK, s.aboutSite(r.URL.Query().Get("site")))
}

func (s *site) showAboutSite(w http.ResponseWriter, r *http.Request, status int, p aboutSitePage) error {
	return s.Show(w, r, status, "about_site", catalogue.Key("Limit or block us"), p)
}

// lookAtSite reads the rule that a host publishes for us, and applies it. No sign-in is needed,
// because only the host itself can publish the rule.
func (s *site) lookAtSite(w http.ResponseWriter, r *http.Request) error {
	if s.Subscriber == nil {
		return page.ErrNotFound
	}
	p := s.aboutSite(strings.TrimSpace(r.PostForm.Get("site")))
	address, err := feed.NormalURL(p.Asked)
	if err != nil {
		p.Wrong = catalogue.Key("That isn’t the name of a site. Enter one like example.org.")
		return s.showAboutSite(w, r, http.StatusBadRequest, p)
	}
	if fenced, err := s.Fenced(r.Context()); err != nil || fenced {
		p.Wrong = catalogue.Key(
			"We’ve paused all requests to all sites, so we can’t check yours now. Try again tomorrow.")
		if err != nil {
			return err
		}
		return s.showAboutSite(w, r, http.StatusServiceUnavailable, p)
	}
	host := feed.Host(address)
	if !s.Limits.Lookups.AllowAll(s.ClientShares(r), s.Now()) ||
		!s.Limits.Owners.AllowAll([]page.Share{{Key: host, Cost: 1}, {Key: "domain " + feed.Domain(host), Cost: 0.1}},
			s.Now()) {
		return errTooManyLooks
	}
	_, wish, places, err := s.Subscriber.Poller.Wish(r.Context(), p.Asked, s.IsHome(r, s.Subscriber.Poller))
	if err != nil {
		return err
	}
	p.Host, p.Places = digest.HostShown("//"+host), places
	if wish != nil {
		p.Holds, err = s.grant(r.Context(), host, *wish)
	}
	if err != nil {
		return err
	}
	return s.showAboutSite(w, r, http.StatusOK, p)
}

var errTooManyLooks = &page.Problem{Status: http.StatusTooManyRequests, Title: catalogue.Key("Too many requests"),
	Text: catalogue.Key("We’ve checked your site several times already. Try again in half an hour.")}

// grant stores or removes the host's rule and returns a sentence about the rule now in force.
func (s *site) grant(ctx context.Context, host string, wish poller.Wish) (holds catalogue.Sayable, err error) {
	rule := digest.HostRule{Host: host, ByOwner: true, Blocked: wish.Blocked, Interval: wish.Interval}
	switch {
	case wish.Blocked:
		holds = catalogue.Key("We’ve stopped all requests to this host and its subdomains. We’ll notify the readers of its feeds in their next edition.")
	case wish.Interval > 0:
		holds = catalogue.Key("We wait at least %s between two fetches of a feed.").With(page.Period(wish.Interval))
	default:
		if err := s.Store.Operator.DropHostRule(ctx, host, true); err != nil && digest.KindOf(err) != digest.NotFound {
			return nil, err
		}
		s.Log.Info("a site's owner removed a rule", "host", host)
		return s.unlessBlocked(ctx, host, catalogue.Key("We follow our usual rules again."))
	}
	if _, err := s.Store.Operator.SetHostRule(ctx, rule, s.Now()); err != nil {
		return nil, err
	}
	s.Log.Info("a site's owner set a rule", "host", host, "blocked", wish.Blocked, "interval", wish.Interval)
	if wish.Blocked {
		return holds, nil
	}
	return s.unlessBlocked(ctx, host, holds)
}

// unlessBlocked returns holds, or a sentence about a stricter rule if one blocks the host: a rule
// of the operator, or a rule for a parent domain.
func (s *site) unlessBlocked(ctx context.Context, host string, holds catalogue.Sayable) (catalogue.Sayable, error) {
	blocks, err := s.Store.Operator.HostBlocks(ctx)
	if block, blocked := digest.BlockedBy(blocks, host); err == nil && blocked {
		holds = blockedAllTheSame(block)
	}
	return holds, err
}

// blockedAllTheSame explains that a stricter rule blocks the host in spite of the owner's line.
func blockedAllTheSame(block digest.HostRule) catalogue.Message {
	host := digest.HostShown("//" + block.Host)
	return catalogue.Key(
		"We’ve read your line, but we still send no requests, because a stricter rule blocks %s.").With(host)
}
