package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
)

// feedsShown is how many feeds of a host are listed at a time.
const feedsShown = 50

// An operatorFeedsPage finds feeds by their address or their host. It names none of their readers.
type operatorFeedsPage struct {
	Asked string            // what was looked for
	Wrong catalogue.Sayable // nil: nothing is
	Host  string            // whose feeds are listed; "": none was looked for
	Near  bool              // no feed has the address that was looked for
	Feeds []troubledRow
	Later string // path of those that come after; "": there are none
	Begun bool   // others come before
}

func (s *site) operatorFeedsPage(w http.ResponseWriter, r *http.Request, _ reader) error {
	given := r.URL.Query()
	p := operatorFeedsPage{Asked: strings.TrimSpace(given.Get("q"))}
	if p.Asked == "" {
		return s.show(w, r, http.StatusOK, "operator_feeds", catalogue.Key("Feeds"), p)
	}
	host, err := feed.ParseHost(p.Asked)
	address, wrong := feed.AskedURL(p.Asked)
	if err != nil && wrong != nil {
		p.Asked, p.Wrong = digest.AddressWithoutCredentials(p.Asked),
			catalogue.Key("Enter the address of a feed or a host, such as https://example.org/feed.xml or example.org.")
		return s.show(w, r, http.StatusUnprocessableEntity, "operator_feeds", catalogue.Key("Feeds"), p)
	}
	if wrong == nil {
		for _, address := range withEachScheme(p.Asked, address) {
			f, err := s.Store.FeedByURL(r.Context(), address)
			if err == nil {
				return seeOther(w, r, operatedFeedPath(f.ID))
			}
			if digest.KindOf(err) != digest.NotFound {
				return err
			}
		}
		host = feed.Host(address)
	}
	p.Near = strings.Contains(p.Asked, "/")
	p.Asked = digest.AddressWithoutCredentials(p.Asked)
	return s.showPage(w, r, s.listFeeds(r, host, &p), "operator_feeds", catalogue.Key("Feeds"), p)
}

// withEachScheme gives the addresses that somebody may mean: both where they typed no scheme.
func withEachScheme(typed, address string) []string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok || strings.Contains(typed, "://") {
		return []string{address}
	}
	return []string{"https://" + rest, "http://" + rest}
}

// listFeeds puts the feeds of a host on the page.
func (s *site) listFeeds(r *http.Request, host string, p *operatorFeedsPage) error {
	after, _ := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	p.Host, p.Begun = host, after > 0
	found, err := s.Store.FeedsOfSite(r.Context(), host, digest.FeedID(after), feedsShown+1)
	if len(found) > feedsShown {
		found = found[:feedsShown]
		p.Later = "/operator/feeds?" +
			url.Values{"q": {host}, "after": {strconv.FormatInt(int64(found[feedsShown-1].ID), 10)}}.Encode()
	}
	for _, f := range found {
		p.Feeds = append(p.Feeds, s.troubledRow(f, s.Now()))
	}
	return err
}
