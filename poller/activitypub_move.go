package poller

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/feed"
)

// An account of the fediverse that moves keeps its outbox, and its actor names the new actor (movedTo). A
// poll follows that like a permanent redirect of the outbox, and confirms it by the same rules. It also
// requires that the new actor lists the old one (alsoKnownAs).

// A poll of an account without posts for quietAccount also requests its actor, on one day of actorDays.
const (
	quietAccount = 3 * oneDay
	actorDays    = 7
)

// asksActor reports whether a poll of an outbox also requests its actor.
func asksActor(f digest.Feed, now time.Time) bool {
	if f.MoveUndone || f.LastOKAt.IsZero() {
		return false
	}
	return f.MovedTo != "" || now.Sub(f.NewestAt) > quietAccount &&
		(now.Unix()/int64(oneDay/time.Second)+int64(f.ID))%actorDays == 0
}

// actorAddress returns the address of an outbox's actor: the parent of the outbox on most servers,
// otherwise the page of the account. It returns "" if neither is known.
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

// followAccount returns the route to the outbox of the account to which the account of r moved. Without a
// move it returns r. It returns an error if a host asks to wait.
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

// actorAt requests an actor. The document is nil if the address has no actor, or an actor of another host.
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
		if t, ok := asPollError(err); ok && !t.throttled() {
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

// nameMovedAccount replaces the title and page of a feed that has just moved to an outbox of another site.
// The values of the old site do not stay (I9).
func (p *poll) nameMovedAccount(was string) {
	if p.feed.Kind != string(feed.ActivityStreams) || feed.SameSite(was, p.feed.URL) {
		return
	}
	p.feed.Title, p.feed.SiteURL = "", ""
	nameAfter(&p.feed, p.owner)
}
