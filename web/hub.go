package web

import (
	"bytes"
	"io"
	"net/http"
	"net/url"

	"digest"
	"digest/feed"
	"digest/poller"
	"digest/push"
)

var errHubFlood = &digest.Error{Kind: digest.Unavailable,
	Message: "too many subscription requests from your address, or for callbacks on that domain; try again in a few minutes"}

func (s *site) hubPage(w http.ResponseWriter, r *http.Request) error {
	if s.Hub == nil {
		return errNotFound
	}
	return plain(w, http.StatusOK,
		"This is the WebSub hub for the feeds on this site. To subscribe, send a POST request.\n")
}

// hub handles the requests of subscribers and publishers (W3C WebSub section 5.1). A publisher's
// request is a ping. A subscriber's request is only stored: its callback is verified later.
func (s *site) hub(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(io.LimitReader(r.Body, push.MaxBody+1))
	if err != nil {
		return tooLargeOr(err, errBadForm)
	}
	contentType := r.Header.Get("Content-Type")
	if push.HubMode(contentType, body, r.URL.Query()) == "publish" {
		r.Body = io.NopCloser(bytes.NewReader(body))
		return s.ping(w, r)
	}
	if s.Hub == nil {
		return errNotFound
	}
	asked, err := push.ParseHubRequest(contentType, body, r.URL.Query())
	if err == nil {
		err = s.askHub(r, asked)
	}
	if err != nil {
		return plainError(w, err)
	}
	return plain(w, http.StatusAccepted, "Accepted. We will now verify your callback.\n")
}

// askHub stores a subscription request, unless the client or the domain of the callback has sent
// too many.
func (s *site) askHub(r *http.Request, asked push.HubRequest) error {
	now, domain := s.Now(), domainOf(asked.Callback)
	if !s.limits.hubAskers.allowAll(s.clientShares(r), now) || !s.limits.hubAsked.allow(domain, now) {
		return errHubFlood
	}
	return s.Hub.Ask(r.Context(), asked, domain, s.isHome(r, s.Hub.Poller))
}

// domainOf returns the registered domain of a callback.
func domainOf(callback string) string {
	if normal, err := feed.NormalURL(callback); err == nil {
		callback = normal
	}
	u, err := url.Parse(callback)
	if err != nil {
		return callback // unreachable: ParseHubRequest rejects such a callback
	}
	return feed.Domain(u.Hostname())
}

// isHome reports whether the client is in DIGEST_ALLOW_NETWORKS. Only such a client may use
// addresses in these networks. A trusted proxy must have named the client in X-Forwarded-For,
// because a peer in these networks may be a proxy that does not set the header.
func (s *site) isHome(r *http.Request, p *poller.Poller) bool {
	at, said := s.clientSaid(r)
	return said && p.IsHome(at)
}
