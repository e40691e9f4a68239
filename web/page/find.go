package page

import (
	"context"
	"errors"
	"net/http"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/poller"
)

// FindTime limits a search for the feeds of a site. A search may send 20 requests, with a pause
// between two requests to one host.
const FindTime = 45 * time.Second

var ErrTooManyFinds = &Problem{http.StatusTooManyRequests, catalogue.Key("Too many requests"),
	catalogue.Key("You searched for many feeds in a short time. Try again in a minute, or import a list.")}

// AsSlow converts a timeout of ctx into a SearchError that explains it.
func AsSlow(ctx context.Context, err error) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	slow := digest.Refuse(digest.Unavailable,
		"the site did not respond within %d seconds; try again later, or enter the feed’s own address",
		int(FindTime/time.Second))
	slow.Err = err
	return &poller.SearchError{Cause: slow}
}

// SearchSaid returns the status and the explanation of a failed search; nil for any other error.
func SearchSaid(err error) (status int, wrong catalogue.Sayable) {
	e, ok := errors.AsType[*poller.SearchError](err)
	if !ok {
		return 0, nil
	}
	if e.Cause.Kind == digest.Invalid {
		return http.StatusBadRequest, catalogue.Refusal(e)
	}
	return http.StatusUnprocessableEntity, catalogue.Refusal(e)
}
