// Package subscribe adds feeds to digests, by an address that a person typed or a subscription list, and exports
// the list. It also imports lists of members into newsletters.
package subscribe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/feed"
	"digest/internal/seal"
	"digest/poller"
	"digest/store"
	"digest/worker"
)

// A Subscriber subscribes digests to feeds and stores new feeds.
type Subscriber struct {
	Store  *store.Store
	Poller *poller.Poller
	Now    func() time.Time

	Keys *seal.Keys // encrypts credentials of private feeds; nil: there are no private feeds

	Quota poller.Quota // limits what a reader's new feeds store in a day

	// Fence returns why requests to sites are off at present, or "" if they are on. A nil Fence means on.
	Fence func(context.Context) (reason string, err error)
}

// Subscribe subscribes a digest to the feed at or behind an address. It fetches a new feed once and a known
// feed not at all. A dead or gone feed gets one more poll, because a person asked for it. created is false
// if the digest was subscribed already. own has the digest and the settings of a new subscription.
func (d *Subscriber) Subscribe(ctx context.Context, own digest.Subscription, address string) (f digest.Feed,
	created bool, err error) {
	f, _, created, err = d.SubscribeFirst(ctx, own, address)
	return f, created, err
}

// SubscribeFirst does what Subscribe does, and also returns the other feeds that the page offers.
func (d *Subscriber) SubscribeFirst(ctx context.Context, own digest.Subscription, address string) (f digest.Feed,
	others []poller.Candidate, created bool, err error) {
	if HasCredential(address) {
		f, created, err = d.SubscribePrivate(ctx, own, digest.Credential{Address: address})
		return f, nil, created, err
	}
	f, err = d.known(ctx, address)
	if digest.KindOf(err) == digest.NotFound {
		var found poller.Candidates
		found, f, err = d.find(ctx, own.DigestID, address)
		others = slices.DeleteFunc(found.Feeds, func(c poller.Candidate) bool { return c.URL == f.URL })
	}
	if err != nil {
		return f, nil, false, err
	}
	own.FeedID = f.ID
	created, err = d.Store.Subscriptions.Subscribe(ctx, own, d.Now())
	if err == nil && (f.State == digest.FeedDead || f.State == digest.FeedGone) {
		err = d.Store.Feeds.Vouch(ctx, f.ID, d.Now())
	}
	return f, others, created, err
}

// HasCredential reports whether a typed address contains a name or a password, which makes the feed
// private. A name without a scheme is an account: @ann@example.org.
func HasCredential(address string) bool {
	normal, err := feed.AskedURL(address)
	_, c := digest.SplitCredential(normal)
	return err == nil && (c.Password != "" || c.User != "" && strings.Contains(address, "://"))
}

// known returns the stored feed at an address, or the feed that replaced it. It returns an error for a
// blocked host, since the poller does not poll it.
func (d *Subscriber) known(ctx context.Context, address string) (digest.Feed, error) {
	url, err := feed.AskedURL(address)
	if err != nil {
		return digest.Feed{}, asSearch(err)
	}
	f, err := d.Store.Feeds.FeedByURL(ctx, url)
	if err == nil && f.GivesWay() {
		if moved, errMoved := d.Store.Subscriptions.FeedMovedFrom(ctx,
			url); digest.KindOf(errMoved) != digest.NotFound {
			f, err = moved, errMoved
		}
	}
	if err == nil {
		err = d.notBlocked(ctx, f.URL)
	}
	return f, err
}

func (d *Subscriber) notBlocked(ctx context.Context, address string) error {
	blocks, err := d.Store.Operator.HostBlocks(ctx)
	if err != nil {
		return err
	}
	return asSearch(blockedAt(blocks, address))
}

func blockedAt(blocks []digest.HostRule, address string) error {
	block, blocked := digest.BlockedBy(blocks, feed.Host(address))
	if !blocked {
		return nil
	}
	return digest.Refuse(digest.Unavailable, "could not read %s: %s", shown(address), block.Why())
}

// shown returns an address for an error message: without credentials, and shortened.
func shown(address string) string {
	return digest.Shortened(digest.AddressWithoutCredentials(address), 200)
}

// find fetches the page or feed at an address and stores the feed that it finds, with its posts. A later
// subscription needs no request. The search ends at the first known feed. The stored data count toward the
// quota of the digest's reader.
func (d *Subscriber) find(ctx context.Context, id digest.DigestID, address string) (poller.Candidates, digest.Feed,
	error) {
	if err := cmp.Or(d.full(ctx, id), d.refused(ctx, address)); err != nil {
		return poller.Candidates{}, digest.Feed{}, err
	}
	c, err := d.Poller.Find(ctx, address, d.stored)
	defer c.Read.Release()
	if err != nil {
		return poller.Candidates{}, digest.Feed{}, cmp.Or(d.remember(ctx, c.Read.Feed), err)
	}
	f, err := d.add(ctx, id, c.Read)
	c.Read = poller.Result{}
	return c, f, err
}

// stored implements poller.Known.
func (d *Subscriber) stored(ctx context.Context, url string) (digest.Feed, bool) {
	f, err := d.Store.Feeds.FeedByURL(ctx, url)
	return f, err == nil
}

// add stores a feed that a search found, with the posts of the fetched document. It does not change a feed
// that is stored already.
func (d *Subscriber) add(ctx context.Context, id digest.DigestID, res poller.Result) (digest.Feed, error) {
	f, created, err := d.Store.Feeds.EnsureFeed(ctx, res.Feed)
	if err != nil || !created {
		return f, err
	}
	res.Feed.ID = f.ID
	polled, err := worker.PrepareRecord(ctx, d.Store, digest.Feed{}, res, d.Now())
	if errors.Is(err, poller.ErrOverran) {
		err = asSearch(&digest.Error{Kind: digest.Invalid, Err: err,
			Message: fmt.Sprintf("no feed at %s: %v", digest.AddressWithoutCredentials(res.Feed.URL), err)})
	}
	if err != nil {
		return f, err
	}
	polled.FoundFor = id
	if _, err := d.Store.Feeds.Record(ctx, d.Now(), []store.Polled{polled}); err != nil {
		return f, fmt.Errorf("storing %s: %w", res.Feed.URL, err)
	}
	return res.Feed, nil
}

// Candidates returns the feeds at or behind an address, for a person to choose from. It stores the feed
// that it fetched, so choosing needs no request. If there is no feed, the error is a *poller.SearchError
// with the reason.
func (d *Subscriber) Candidates(ctx context.Context, id digest.DigestID, address string) (poller.Candidates, error) {
	f, err := d.known(ctx, address)
	if err == nil {
		return poller.Candidates{Itself: true,
			Feeds: []poller.Candidate{{URL: f.URL, Title: f.Title, Kind: f.Kind, Known: f}}}, nil
	}
	if digest.KindOf(err) != digest.NotFound {
		return poller.Candidates{}, err
	}
	c, found, err := d.find(ctx, id, address)
	for i := range c.Feeds {
		if c.Feeds[i].URL == found.URL {
			c.Feeds[i].Known = found
		}
	}
	return c, err
}

// full returns an error if the reader's quota of the day is used up.
func (d *Subscriber) full(ctx context.Context, id digest.DigestID) error {
	used, err := d.Store.Subscriptions.AccountUse(ctx, id, d.Now())
	if err != nil || !d.Quota.Full(used) {
		return err
	}
	return asSearch(digest.Refuse(digest.Unavailable,
		"you reached today’s storage limit for new feeds; try again after %s",
		digest.DayOf(d.Now()).AddDate(0, 0, 1).Format("2006-01-02 15:04 UTC")))
}

// refused returns an error if the site refuses requests until a later time: a person's request cannot
// override that (S18).
func (d *Subscriber) refused(ctx context.Context, address string) error {
	url, err := feed.AskedURL(address)
	if err != nil {
		return err
	}
	if err := d.fenced(ctx); err != nil {
		return err
	}
	until, why, err := d.Store.Operator.Refusal(ctx, url, d.Now())
	if err != nil || until.IsZero() {
		return err
	}
	return asSearch(digest.Refuse(digest.Unavailable, "could not read %s: %s; try again after %s",
		shown(url), digest.Words(why), until.UTC().Format("2006-01-02 15:04 UTC")))
}

func (d *Subscriber) fenced(ctx context.Context) error {
	if d.Fence == nil {
		return nil
	}
	reason, err := d.Fence(ctx)
	if err != nil || reason == "" {
		return err
	}
	return asSearch(digest.Refuse(digest.Unavailable,
		"this instance isn’t polling any sites at the moment; its operator can run “digest fence” to see why"))
}

// asSearch marks an error as one for the person who gave the address.
func asSearch(err error) error {
	if e, ok := errors.AsType[*digest.Error](err); ok {
		return &poller.SearchError{Cause: e}
	}
	return err
}

func (d *Subscriber) remember(ctx context.Context, f digest.Feed) error {
	if f.NotBefore.IsZero() {
		return nil
	}
	return d.Store.Operator.NoteRefusal(ctx, f.URL, f.NotBefore, f.LastError, d.Now())
}

// Import reads a list, as poller.ReadList does, and subscribes a digest to its feeds in one transaction, up
// to most subscriptions. New feeds are queued for their first poll. The returned list is nil if it is
// unreadable. Its BadLines contain the rejected lines with the reasons, in line order.
func (d *Subscriber) Import(ctx context.Context, id digest.DigestID, body []byte, most int,
) (*feed.Document, store.ImportResult, error) {
	return d.importing(ctx, id, body, func(_ *feed.Document, items []store.ImportItem) (store.ImportResult, error) {
		return d.Store.Subscriptions.Import(ctx, id, items, most, d.Now())
	})
}

// ImportReported does what Import does, and stores the text of report in the same transaction
// (store.ListImport).
func (d *Subscriber) ImportReported(ctx context.Context, id digest.DigestID, body []byte, most int,
	report func(*feed.Document, store.ImportResult) string) error {
	_, _, err := d.importing(ctx, id, body, func(list *feed.Document, items []store.ImportItem) (store.ImportResult,
		error) {
		return d.Store.Subscriptions.ImportList(ctx, id, items, most, d.Now(),
			func(result store.ImportResult) string { return report(list, result) })
	})
	return err
}

func (d *Subscriber) importing(ctx context.Context, id digest.DigestID, body []byte,
	subscribeTo func(*feed.Document, []store.ImportItem) (store.ImportResult, error),
) (*feed.Document, store.ImportResult, error) {
	list, err := d.Poller.ReadList(ctx, body)
	if err != nil {
		return nil, store.ImportResult{}, err
	}
	blocks, err := d.Store.Operator.HostBlocks(ctx)
	if err != nil {
		return nil, store.ImportResult{}, err
	}
	items := make([]store.ImportItem, 0, len(list.Feeds))
	for _, offer := range list.Feeds {
		// Some readers export the address of a feed as its title.
		offer.Title = digest.WithoutCredentials(offer.Title)
		url, err := feed.AskedURL(offer.URL)
		sealed := ""
		if err == nil {
			err = blockedAt(blocks, url)
		}
		if err == nil {
			url, sealed, err = d.sealOffer(ctx, id, url, offer)
		}
		if err != nil {
			title := cmp.Or(offer.Title, digest.AddressWithoutCredentials(offer.URL))
			if offer.Secret && offer.Title == "" {
				title = digest.Site(offer.URL)
			}
			list.BadLines = append(list.BadLines, feed.BadLine{Line: offer.Line, Title: title, Why: withoutCause(err)})
			continue
		}
		host := feed.Host(url)
		items = append(items, store.ImportItem{URL: url, Host: host, Domain: feed.Platform(host),
			Title: offer.Title, Folder: offer.Folder, Paused: offer.Paused, Sealed: sealed})
	}
	slices.SortStableFunc(list.BadLines, func(a, b feed.BadLine) int { return a.Line - b.Line })
	result, err := subscribeTo(list, items)
	return list, result, err
}

func reason(err error) string {
	if e, ok := errors.AsType[*digest.Error](err); ok {
		return e.Message
	}
	return err.Error()
}

// withoutCause returns an error for people: the message without its cause.
func withoutCause(err error) error {
	if e, ok := errors.AsType[*digest.Error](err); ok {
		return &digest.Error{Kind: e.Kind, Message: e.Message, Format: e.Format, Values: e.Values}
	}
	return err
}

// Export writes the subscriptions of a digest as OPML with their folders, and marks paused ones.
// credentials chooses whether private feeds include their credentials.
func (d *Subscriber) Export(ctx context.Context, id digest.DigestID, title string, credentials bool,
	w io.Writer) error {
	subscribed, err := d.Store.Subscriptions.Subscriptions(ctx, id)
	if err != nil {
		return err
	}
	paused, err := d.Store.Subscriptions.PausedSubscriptions(ctx, id)
	if err != nil {
		return err
	}
	offers := make([]feed.Offer, 0, len(subscribed)+len(paused))
	for _, s := range slices.Concat(subscribed, paused) {
		o, err := d.offerOf(s, credentials)
		if err != nil {
			return err
		}
		offers = append(offers, o)
	}
	return feed.WriteOPML(w, title, offers)
}
