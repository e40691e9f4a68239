package subscribe

import (
	"context"

	"digest"
)

// SubscribeNewsletter makes the feed at or behind an address part of a newsletter, for its
// archive and all its members. A private feed cannot be: its posts are one reader's.
func (d *Subscriber) SubscribeNewsletter(ctx context.Context, n digest.Newsletter, address string) (digest.Feed,
	error) {
	if HasCredential(address) {
		return digest.Feed{}, digest.Refuse(digest.Invalid,
			"a newsletter cannot contain a private feed; enter the address of a public one")
	}
	f, _, err := d.Subscribe(ctx, n.ArchiveID, address, 0)
	if err != nil {
		return f, err
	}
	return f, d.Store.AddNewsletterFeed(ctx, n.ID, digest.Subscription{FeedID: f.ID}, d.Now())
}
