package web

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
)

// pingTime is how long a ping may keep the database busy.
const pingTime = 10 * time.Second

// errPingFlood is the answer to a client that sends too many pings.
var errPingFlood = &digest.Error{Kind: digest.Unavailable,
	Message: "too many pings from your address; try again in a minute"}

// ping receives the word that a site has news, as a form or as an XML-RPC call:
// at /RPC2 it is a call whatever it says of itself, as since weblogs.com. It never
// fetches anything, and its answer does not tell what is known here.
func (s *site) ping(w http.ResponseWriter, r *http.Request) error {
	if s.Pings == nil {
		return errNotFound
	}
	contentType := r.Header.Get("Content-Type")
	if r.URL.Path == "/RPC2" {
		contentType = "text/xml"
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, push.MaxBody+1))
	if err != nil {
		return tooLargeOr(err, errBadForm)
	}
	p, err := push.Parse(contentType, body, r.URL.Query())
	if err == nil {
		p.Feeds, err = s.admit(p.Feeds, s.clientShares(r))
	}
	w.Header().Set("Connection", "close") // see tellOf
	if err := s.answerPing(w, r, p, contentType, err); err != nil {
		return err
	}
	if err == nil && r.Method != http.MethodHead {
		s.recordPing(w, r, p.Feeds)
	}
	return nil
}

// admit gives the pinged addresses, those of each feed together, in normal form,
// without those that were pinged often enough: nobody needs to know.
func (s *site) admit(pinged [][]string, from []share) ([][]string, error) {
	now := s.Now()
	var admitted [][]string
	for _, addresses := range pinged {
		if !s.limits.pingers.allowAll(from, now) || !s.limits.pings.allow("", now) {
			return nil, errPingFlood
		}
		if urls := s.admitFeed(addresses, now); len(urls) > 0 {
			admitted = append(admitted, urls)
		}
	}
	return admitted, nil
}

// admitFeed gives the addresses of one pinged feed in normal form; none if one of them
// was pinged too often, or others beside it would be a way around that.
func (s *site) admitFeed(addresses []string, now time.Time) []string {
	var urls []string
	often := false
	for _, address := range addresses {
		if url, err := feed.NormalURL(address); err == nil {
			urls = append(urls, url)
			often = !s.limits.pinged.allow(url, now) || often
		}
	}
	if often {
		return nil
	}
	return urls
}

// answerPing answers in the words of the ping: a call, a publisher's, a
// browser's or plain text.
func (s *site) answerPing(w http.ResponseWriter, r *http.Request, p push.Ping, contentType string, err error) error {
	switch {
	case push.IsCall(contentType):
		answer := push.Answer(err)
		w.Header().Set("Content-Type", "text/xml; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer) // 200 whatever it says
		return nil
	case err != nil:
		return plainError(w, err)
	case p.Publish:
		w.WriteHeader(http.StatusNoContent)
		return nil
	case strings.Contains(r.Header.Get("Accept"), "text/html"):
		return s.show(w, r, http.StatusOK, "ping", catalogue.Key("Thanks for the ping"), nil)
	}
	return plain(w, http.StatusOK, "Thanks for the ping.\n")
}

// plainError tells a program what was wrong with its ping, or what it asked of the hub.
func plainError(w http.ResponseWriter, err error) error {
	e, ok := errors.AsType[*digest.Error](err)
	if !ok {
		return err
	}
	status := http.StatusBadRequest
	switch {
	case e.Kind == digest.Unavailable && e.Err != nil: // the database does not answer
		return err
	case e.Kind == digest.Unavailable:
		status = http.StatusTooManyRequests
		w.Header().Set("Retry-After", "60")
	case e.Kind == digest.NotFound:
		status = http.StatusNotFound
	}
	return plain(w, status, e.Message+"\n")
}

// recordPing hands the pinged addresses on when the answer is out, and nothing else will
// come over its connection: how long the database takes would tell whether it
// knows them.
func (s *site) recordPing(w http.ResponseWriter, r *http.Request, pinged [][]string) {
	_ = http.NewResponseController(w).Flush() // who has left needs no answer
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), pingTime)
	defer cancel()
	for _, urls := range pinged {
		if err := s.Pings.Pinged(ctx, urls, s.Now()); err != nil {
			s.Log.ErrorContext(ctx, "cannot store a ping", "err", err)
		}
	}
}
