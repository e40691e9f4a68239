package subscribe

import (
	"context"

	"digest"
)

// SubscribeNewsletter adds the feed at or behind an address to a newsletter, for its archive and all
// members. It rejects private feeds, whose posts belong to one reader.
func (d *Subscriber) SubscribeNewsletter(ctx context.Context, n digest.Newsletter, address string) (digest.Feed,
	error) {
	if HasCredential(address) {
		return digest.Feed{}, digest.Refuse(digest.Invalid,
			"a newsletter cannot contain a private feed; enter the address of a public one")
	}
	f, _, err := d.Subscribe(ctx, digest.Subscription{DigestID: n.ArchiveID}, address)
	if err != nil {
		return f, err
	}
	return f, d.Store.Newsletters.AddNewsletterFeed(ctx, n.ID, digest.Subscription{FeedID: f.ID}, d.Now())
}
