package web

import (
	"net/http"
	"net/url"
	"strconv"

	"digest"
	"digest/internal/catalogue"
	"digest/poller"
)

// An illness is what the page of a feed says where nothing can be read of it for days.
type illness struct {
	Since digest.Date       // the reader's
	Why   catalogue.Sayable // nil: nothing is known
	Home  string            // where its feed is looked for again
}

// illnessOf is nil for a feed that is well.
func (s *site) illnessOf(d digest.Digest, f digest.Feed) *illness {
	ill := poller.Illness(f, s.Now())
	if ill == digest.Well {
		return nil
	}
	return &illness{digest.DateOf(f.FailingSince.In(zoneOr(d.TimeZone))), catalogue.Illness(ill), homeOf(f)}
}

// homeOf is the page that a feed says it belongs to, else the front page of its host.
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

// insteadOf gives the number that a form names of the feed in whose place another is looked for.
func insteadOf(r *http.Request) string {
	id, err := strconv.ParseInt(r.PostForm.Get("instead"), 10, 64)
	if err != nil || id <= 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}

// replaceFeed ends the subscription in whose place the reader has just subscribed to another
// feed, if the form names one.
func (s *site) replaceFeed(r *http.Request, me reader, by digest.FeedID) (bool, error) {
	id, err := strconv.ParseInt(insteadOf(r), 10, 64)
	if err != nil || digest.FeedID(id) == by {
		return false, nil
	}
	err = s.Store.ReplaceSubscription(r.Context(), me.Digest.ID, digest.FeedID(id), by)
	if digest.KindOf(err) == digest.NotFound { // in another tab already
		return false, nil
	}
	return err == nil, err
}
