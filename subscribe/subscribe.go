// Package subscribe brings feeds to readers: from an address that a person
// typed, or from a subscription list, and the list out again.
package subscribe

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"digest"
	"digest/feed"
	"digest/hourly"
	"digest/poller"
	"digest/store"
)

// A Desk is where readers take and leave feeds.
type Desk struct {
	Store  *store.Store
	Poller *poller.Poller
	Now    func() time.Time
}

// Address subscribes a digest to the feed at or behind an address. A feed that
// is known is not fetched again, whoever asks for it; a new one is fetched once.
// One that was given up is asked once more, because a person wants it.
// created is false if the digest took it already.
func (d *Desk) Address(ctx context.Context, id digest.DigestID, address string) (f digest.Feed, created bool, err error) {
	f, err = d.known(ctx, address)
	if digest.KindOf(err) == digest.NotFound {
		f, err = d.find(ctx, address)
	}
	if err != nil {
		return f, false, err
	}
	created, err = d.Store.Subscribe(ctx, digest.Subscription{DigestID: id, FeedID: f.ID}, d.Now())
	if err == nil && (f.State == digest.FeedDead || f.State == digest.FeedGone) {
		_, err = d.Store.Vouch(ctx, f.ID, d.Now())
	}
	return f, created, err
}

func (d *Desk) known(ctx context.Context, address string) (digest.Feed, error) {
	url, err := feed.NormalURL(address)
	if err != nil {
		return digest.Feed{}, err
	}
	return d.Store.FeedByURL(ctx, url)
}

// find fetches what is at the address and stores the feed with its posts. A
// page that leads to a feed that is known ends the search there.
func (d *Desk) find(ctx context.Context, address string) (digest.Feed, error) {
	if err := d.refused(ctx, address); err != nil {
		return digest.Feed{}, err
	}
	res, err := d.Poller.FindNew(ctx, address, func(ctx context.Context, url string) (digest.Feed, bool) {
		f, err := d.Store.FeedByURL(ctx, url)
		return f, err == nil
	})
	if err != nil {
		return digest.Feed{}, cmp.Or(d.remember(ctx, res.Feed), err)
	}
	f, created, err := d.Store.EnsureFeed(ctx, res.Feed)
	if err != nil || !created {
		return f, err
	}
	res.Feed.ID = f.ID
	polled, err := hourly.Intake(ctx, d.Store, digest.Feed{}, res, d.Now())
	if err != nil {
		return f, err
	}
	if _, err := d.Store.Record(ctx, d.Now(), []store.Polled{polled}); err != nil {
		return f, fmt.Errorf("storing %s: %w", res.Feed.URL, err)
	}
	return res.Feed, nil
}

// refused gives the error of a site that has refused to be asked until later:
// no wish of a person's overrides that (S18).
func (d *Desk) refused(ctx context.Context, address string) error {
	url, err := feed.NormalURL(address)
	if err != nil {
		return err
	}
	until, why, err := d.Store.Refusal(ctx, url, d.Now())
	if err != nil || until.IsZero() {
		return err
	}
	return &digest.Error{Kind: digest.Unavailable, Message: fmt.Sprintf("could not read %s: %s; it is left alone until %s, try again then",
		url, why, until.UTC().Format("2006-01-02 15:04 UTC"))}
}

// remember keeps a refusal that a search has met.
func (d *Desk) remember(ctx context.Context, f digest.Feed) error {
	if f.NotBefore.IsZero() {
		return nil
	}
	return d.Store.NoteRefusal(ctx, f.URL, f.NotBefore, f.LastError, d.Now())
}

// A Listed is one line of an imported list that could not be taken, and why.
type Listed struct {
	feed.Offer
	Err error
}

// List subscribes a digest to every feed of an OPML document, well-formed or
// not, in one transaction. Feeds that nobody took before are queued for their
// first poll. Lines without a usable address come back in refused.
func (d *Desk) List(ctx context.Context, id digest.DigestID, opml []byte, name string) (result store.ImportResult, refused []Listed, err error) {
	doc, err := feed.Parse(opml, "text/x-opml", "")
	if err != nil {
		return result, nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if doc.Kind != feed.OPML {
		return result, nil, &digest.Error{Kind: digest.Invalid, Message: fmt.Sprintf("%s is not a subscription list (OPML) but %s; subscribe to it by its address", name, doc.Kind)}
	}
	var items []store.ImportItem
	for _, offer := range doc.Feeds {
		url, err := feed.NormalURL(offer.URL)
		if err != nil {
			refused = append(refused, Listed{offer, err})
			continue
		}
		items = append(items, store.ImportItem{URL: url, Host: feed.Host(url), Domain: feed.Domain(feed.Host(url)), Title: offer.Title, Folder: offer.Folder})
	}
	result, err = d.Store.Import(ctx, id, items, d.Now())
	return result, refused, err
}

// Export writes a digest's subscriptions as OPML, folders kept.
func (d *Desk) Export(ctx context.Context, id digest.DigestID, title string, w io.Writer) error {
	subs, err := d.Store.Subscriptions(ctx, id)
	if err != nil {
		return err
	}
	offers := make([]feed.Offer, len(subs))
	for i, s := range subs {
		offers[i] = feed.Offer{URL: s.Feed.URL, Title: s.Title, Type: s.Feed.Kind, Folder: s.Folder}
		if s.Title == "" {
			offers[i].Title = s.Feed.Title
		}
	}
	return feed.WriteOPML(w, title, offers)
}

// Leave ends a digest's subscription to the feed at an address.
func (d *Desk) Leave(ctx context.Context, id digest.DigestID, address string) (digest.Feed, error) {
	f, err := d.known(ctx, address)
	if err != nil {
		return f, err
	}
	return f, d.Store.Unsubscribe(ctx, id, f.ID)
}
