package operator

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
	"digest/web/page"
)

const feedsShown = 50

// An feedsPage finds feeds by address or host. It does not show their readers.
type feedsPage struct {
	Asked string            // search
	Wrong catalogue.Sayable // nil if the search is valid
	Host  string            // host of the listed feeds; "" if there was no search
	Near  bool              // no feed has the requested address
	Feeds []troubledRow
	Later string // path of the next page; "" on the last page
	Begun bool   // there is a previous page
}

func (s *site) feedsPage(w http.ResponseWriter, r *http.Request, _ page.Reader) error {
	given := r.URL.Query()
	p := feedsPage{Asked: strings.TrimSpace(given.Get("q"))}
	if p.Asked == "" {
		return s.Show(w, r, http.StatusOK, "operator/feeds", catalogue.Key("Feeds"), p)
	}
	host, err := feed.ParseHost(p.Asked)
	address, wrong := feed.AskedURL(p.Asked)
	if err != nil && wrong != nil {
		p.Asked, p.Wrong = digest.AddressWithoutCredentials(p.Asked),
			catalogue.Key("Enter the address of a feed or a host, such as https://example.org/feed.xml or example.org.")
		return s.Show(w, r, http.StatusUnprocessableEntity, "operator/feeds", catalogue.Key("Feeds"), p)
	}
	if wrong == nil {
		for _, address := range withEachScheme(p.Asked, address) {
			f, err := s.Store.Feeds.FeedByURL(r.Context(), address)
			if err == nil {
				return page.SeeOther(w, r, operatedFeedPath(f.ID))
			}
			if digest.KindOf(err) != digest.NotFound {
				return err
			}
		}
		host = feed.Host(address)
	}
	p.Near = strings.Contains(p.Asked, "/")
	p.Asked = digest.AddressWithoutCredentials(p.Asked)
	return s.ShowPage(w, r, s.listFeeds(r, host, &p), "operator/feeds", catalogue.Key("Feeds"), p)
}

// withEachScheme returns the addresses to search for: both schemes if the operator entered none.
func withEachScheme(typed, address string) []string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok || strings.Contains(typed, "://") {
		return []string{address}
	}
	return []string{"https://" + rest, "http://" + rest}
}

func (s *site) listFeeds(r *http.Request, host string, p *feedsPage) error {
	after, _ := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	p.Host, p.Begun = host, after > 0
	found, err := s.Store.Feeds.FeedsOfSite(r.Context(), host, digest.FeedID(after), feedsShown+1)
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
