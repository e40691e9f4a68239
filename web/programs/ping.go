package programs

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
	"digest/push"
	"digest/web/page"
)

// pingTime is the longest time that the database may take to store a ping.
const pingTime = 10 * time.Second

var errPingFlood = &digest.Error{Kind: digest.Unavailable,
	Message: "too many pings from your address; try again in a minute"}

// ping receives a ping that a site has news, as a form or as an XML-RPC call. A request to /RPC2 is a call whatever
// its Content-Type says, as it was at weblogs.com. The handler fetches nothing, and its response does not reveal
// which feeds this instance knows.
func (s *site) ping(w http.ResponseWriter, r *http.Request) error {
	if s.Pings == nil {
		return page.ErrNotFound
	}
	contentType := r.Header.Get("Content-Type")
	if r.URL.Path == "/RPC2" {
		contentType = "text/xml"
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, push.MaxBody+1))
	if err != nil {
		return page.TooLargeOr(err, page.ErrBadForm)
	}
	p, err := push.Parse(contentType, body, r.URL.Query())
	if err == nil {
		p.Feeds, err = s.admit(p.Feeds, s.ClientShares(r))
	}
	w.Header().Set("Connection", "close") // see recordPing
	if err := s.answerPing(w, r, p, contentType, err); err != nil {
		return err
	}
	if err == nil && r.Method != http.MethodHead {
		s.recordPing(w, r, p.Feeds)
	}
	return nil
}

// admit returns the pinged addresses in normal form, grouped by feed. It silently drops feeds that were pinged too
// often, and returns errPingFlood if the client or all clients together send too many pings.
func (s *site) admit(pinged [][]string, from []page.Share) ([][]string, error) {
	now := s.Now()
	var admitted [][]string
	for _, addresses := range pinged {
		if !s.Limits.Pingers.AllowAll(from, now) || !s.Limits.Pings.Allow("", now) {
			return nil, errPingFlood
		}
		if urls := s.admitFeed(addresses, now); len(urls) > 0 {
			admitted = append(admitted, urls)
		}
	}
	return admitted, nil
}

// admitFeed returns the addresses of one pinged feed in normal form. It returns nil if any of them was pinged too
// often; otherwise a client could evade the limit by varying the other addresses.
func (s *site) admitFeed(addresses []string, now time.Time) []string {
	var urls []string
	often := false
	for _, address := range addresses {
		if url, err := feed.NormalURL(address); err == nil {
			urls = append(urls, url)
			often = !s.Limits.Pinged.Allow(url, now) || often
		}
	}
	if often {
		return nil
	}
	return urls
}

// answerPing responds in the format of the request: XML-RPC, an empty WebSub response, HTML or plain text.
func (s *site) answerPing(w http.ResponseWriter, r *http.Request, p push.Ping, contentType string, err error) error {
	switch {
	case push.IsCall(contentType):
		answer := push.Answer(err)
		w.Header().Set("Content-Type", "text/xml; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer) // an XML-RPC fault also has status 200
		return nil
	case err != nil:
		return plainError(w, err)
	case p.Publish:
		w.WriteHeader(http.StatusNoContent)
		return nil
	case strings.Contains(r.Header.Get("Accept"), "text/html"):
		return s.Show(w, r, http.StatusOK, "programs/ping", catalogue.Key("Thanks for the ping"), nil)
	}
	return page.Plain(w, http.StatusOK, "Thanks for the ping.\n")
}

// plainError sends an error of a ping as plain text.
func plainError(w http.ResponseWriter, err error) error {
	e, ok := errors.AsType[*digest.Error](err)
	if !ok {
		return err
	}
	status := http.StatusBadRequest
	switch {
	case e.Kind == digest.Unavailable && e.Err != nil: // the database is unavailable
		return err
	case e.Kind == digest.Unavailable:
		status = http.StatusTooManyRequests
		w.Header().Set("Retry-After", "60")
	case e.Kind == digest.NotFound:
		status = http.StatusNotFound
	}
	return page.Plain(w, status, e.Message+"\n")
}

// recordPing stores the pings after the response was sent on a connection that accepts no further request. Otherwise
// the time that the database takes would reveal whether it knows the addresses.
func (s *site) recordPing(w http.ResponseWriter, r *http.Request, pinged [][]string) {
	_ = http.NewResponseController(w).Flush() // a client that disconnected needs no response
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), pingTime)
	defer cancel()
	for _, urls := range pinged {
		if err := s.Pings.Pinged(ctx, urls, s.Now()); err != nil {
			s.Log.ErrorContext(ctx, "cannot store a ping", "err", err)
		}
	}
}
