package web

import (
	"net/http"
	"net/url"
	"strconv"

	"digest"
	"digest/internal/catalogue"
	"digest/poller"
	"digest/web/page"
)

// An illness describes a feed that could not be read for days, on its page.
type illness struct {
	Since digest.Date       // in the reader's time zone
	Why   catalogue.Sayable // nil if unknown
	Home  string            // where to search for a replacement
}

// illnessOf returns nil for a healthy feed.
func (s *site) illnessOf(d digest.Digest, f digest.Feed) *illness {
	ill := poller.Illness(f, s.Now())
	if ill == digest.Well {
		return nil
	}
	return &illness{digest.DateOf(f.FailingSince.In(page.ZoneOr(d.TimeZone))), catalogue.Illness(ill), homeOf(f)}
}

// homeOf returns the site of a feed, or the front page of its host.
func homeOf(f digest.Feed) string {
	if f.SiteURL != "" {
		return f.SiteURL
	}
	u, err := url.Parse(f.URL)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}).String()
}

func insteadOf(r *http.Request) string {
	id, err := strconv.ParseInt(r.PostForm.Get("instead"), 10, 64)
	if err != nil || id <= 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}

// replaceFeed ends the subscription that the new feed by replaces, if the form names one. It
// reports whether it did.
func (s *site) replaceFeed(r *http.Request, me page.Reader, by digest.FeedID) (bool, error) {
	id, err := strconv.ParseInt(insteadOf(r), 10, 64)
	if err != nil || digest.FeedID(id) == by {
		return false, nil
	}
	err = s.Store.Subscriptions.ReplaceSubscription(r.Context(), me.Digest.ID, digest.FeedID(id), by)
	if digest.KindOf(err) == digest.NotFound { // already replaced, for example in another tab
		return false, nil
	}
	return err == nil, err
}
