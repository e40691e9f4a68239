package poller

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/feed"
)

// An account of the fediverse that moves leaves its outbox behind, and its actor says where it is
// now (movedTo). That is followed as a permanent redirect of the outbox is, and believed no
// sooner, and only where the other actor knows itself by the old name too (alsoKnownAs).

// An account that has posted nothing for quietAccount is asked about itself on one day of
// actorDays, by one request more than a poll takes.
const (
	quietAccount = 3 * oneDay
	actorDays    = 7
)

// asksActor reports whether a poll of an outbox asks for its actor too.
func asksActor(f digest.Feed, now time.Time) bool {
	if f.MoveUndone || f.LastOKAt.IsZero() {
		return false
	}
	return f.MovedTo != "" || now.Sub(f.NewestAt) > quietAccount &&
		(now.Unix()/int64(oneDay/time.Second)+int64(f.ID))%actorDays == 0
}

// actorAddress is where the actor of an outbox is: above it on most servers, else at the page of
// the account; "": nobody knows.
func actorAddress(f digest.Feed) string {
	path, _, _ := strings.Cut(f.URL, "?")
	if actor, found := strings.CutSuffix(path, "/outbox"); found {
		return actor
	}
	if feed.Host(f.SiteURL) == f.Host {
		return f.SiteURL
	}
	return ""
}

// followAccount gives the route to the outbox of the account to which that of r has moved; r
// itself where it has not. An error is that of a host that wants to be left alone.
func (p *poll) followAccount(ctx context.Context, r route) (route, error) {
	old, a, err := p.actorAt(ctx, actorAddress(p.feed), r.mayBeHome)
	if old == nil || old.MovedTo == "" {
		return r, err
	}
	owner, a, _ := p.actorAt(ctx, old.MovedTo, a.isHome)
	if owner != nil && owner.MovedTo == "" && slices.Contains(owner.Aliases, old.Actor) {
		if to, bad := routeTo(owner.Outbox); bad == nil {
			to.seen, to.mayBeHome = []string{r.address}, a.isHome
			p.owner = owner
			return to, nil
		}
	}
	p.askFediverse(ctx, p.feed.Host)
	return r, nil
}

// actorAt asks for an actor; nil: there is none at the address that speaks for itself.
func (p *poll) actorAt(ctx context.Context, address string, mayBeHome bool) (*feed.Document, *answer, error) {
	r, err := routeTo(address)
	if err != nil {
		return nil, nil, nil
	}
	r.mayBeHome = mayBeHome
	p.askFediverse(ctx, r.host())
	a, err := p.fetch(ctx, http.MethodGet, r)
	defer p.hold.settle(0)
	switch {
	case err == nil && !usable(a.status):
		err = p.refusedTo(a)
		fallthrough
	case err != nil:
		if t, ok := errors.AsType[*pollError](err); ok && !t.throttled() {
			err = nil
		}
		return nil, nil, err
	}
	doc, err := p.parseAny(ctx, a)
	if err != nil || doc.Outbox == "" || doc.Actor == "" || feed.Host(doc.Actor) != r.host() || a.host() != r.host() {
		return nil, nil, nil
	}
	return doc, a, nil
}

// nameMovedAccount gives a feed that has just moved from an outbox to that of another site what the
// account calls itself there. An outbox does not say it, and nothing of what was said at the
// old one is left (I9).
func (p *poll) nameMovedAccount(was string) {
	if p.feed.Kind != string(feed.ActivityStreams) || feed.SameSite(was, p.feed.URL) {
		return
	}
	p.feed.Title, p.feed.SiteURL = "", ""
	nameAfter(&p.feed, p.owner)
}
