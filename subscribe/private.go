package subscribe

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"digest"
	"digest/feed"
	"digest/internal/seal"
	"digest/store"
)

// SubscribePrivate subscribes a digest to the feed at or behind the address of a credential, as Subscribe does. A new
// feed is fetched once and belongs to this reader only. If the reader has the feed already and its last poll failed,
// the feed gets this credential.
func (d *Subscriber) SubscribePrivate(ctx context.Context, own digest.Subscription, c digest.Credential) (f digest.Feed,
	created bool, err error) {
	c.Reader = own.DigestID
	if c, err = complete(c); err != nil {
		return f, false, err
	}
	if err := d.notBlocked(ctx, c.Address); err != nil {
		return f, false, err
	}
	sealed, f, err := d.own(ctx, c)
	if digest.KindOf(err) != digest.NotFound {
		return d.renew(ctx, own, sealed, f, err)
	}
	if err := cmp.Or(d.full(ctx, c.Reader), d.refused(ctx, sealed.Address)); err != nil {
		return f, false, err
	}
	found, err := d.Poller.FindPrivate(ctx, &c)
	defer found.Release()
	if err != nil {
		found.Feed.URL = sealed.Address
		return f, false, cmp.Or(d.remember(ctx, found.Feed), err)
	}
	// FindPrivate sets the address of c to the feed behind a page, which the reader may have already.
	if sealed, f, err = d.own(ctx, c); digest.KindOf(err) != digest.NotFound {
		return d.renew(ctx, own, sealed, f, err)
	}
	found.Conceal(sealed.Address, sealed.Sealed, c)
	if f, err = d.add(ctx, c.Reader, found); err != nil {
		return f, false, err
	}
	own.FeedID = f.ID
	created, err = d.Store.Subscriptions.Subscribe(ctx, own, d.Now())
	if err == nil {
		err = d.Store.Feeds.SetSealed(ctx, f.ID, sealed.Sealed) // a feed without subscribers may have lost its credential
	}
	return f, created, err
}

// renew subscribes a reader to their stored private feed and stores the new credential. If the reader is
// subscribed already and the feed works, it keeps the old credential, because the new one may be mistyped.
func (d *Subscriber) renew(ctx context.Context, own digest.Subscription, sealed seal.Feed, f digest.Feed,
	err error) (digest.Feed, bool, error) {
	if err != nil {
		return f, false, err
	}
	own.FeedID = f.ID
	created, err := d.Store.Subscriptions.Subscribe(ctx, own, d.Now())
	if answers := !f.LastOKAt.IsZero() && f.LastError == ""; err == nil && (created || !answers) {
		f.URL, f.Sealed = sealed.Address, sealed.Sealed
		err = d.Store.Feeds.RenewSealed(ctx, f, d.Now())
	}
	return f, created, err
}

// complete normalizes the address of a credential and moves user and password out of the address. Values
// given in c override them.
func complete(c digest.Credential) (digest.Credential, error) {
	address, err := feed.NormalURL(c.Address)
	if err != nil {
		return c, asSearch(err)
	}
	bare, in := digest.SplitCredential(address)
	c.Address = bare
	if c.User == "" && c.Password == "" && c.Token == "" {
		c.User, c.Password = in.User, in.Password
	}
	if c.Token != "" && (c.User != "" || c.Password != "") {
		return c, asSearch(digest.Refuse(digest.Invalid, "enter a username and password, or a token, but not both"))
	}
	if strings.ContainsFunc(c.User+c.Password+c.Token, func(r rune) bool { return r < ' ' || r == 0x7f }) ||
		strings.Contains(c.User, ":") {
		return c, asSearch(digest.Refuse(digest.Invalid,
			"username, password and token must each be a single line, and the username can’t contain a colon"))
	}
	return c, nil
}

// own encrypts a credential and returns its reader's feed with the same credential, under any key. The
// error has the kind NotFound if there is no such feed.
func (d *Subscriber) own(ctx context.Context, c digest.Credential) (seal.Feed, digest.Feed, error) {
	if d.Keys == nil {
		return seal.Feed{}, digest.Feed{},
			&digest.Error{Kind: digest.Invalid, Message: "this instance has no key for private feeds"}
	}
	sealed, err := d.Keys.Seal(c)
	if err != nil {
		return sealed, digest.Feed{}, asSearch(err)
	}
	for _, address := range slices.Concat([]string{sealed.Address}, sealed.Others) {
		f, err := d.Store.Feeds.FeedByURL(ctx, address)
		if digest.KindOf(err) != digest.NotFound {
			return sealed, f, err
		}
	}
	return sealed, digest.Feed{}, &digest.Error{Kind: digest.NotFound, Message: "there is no such feed"}
}

// SetCredential changes the credential of a subscription's feed. A public feed becomes private if it has no
// other subscriber. SetCredential ignores c.Address and c.Reader. It never resets Hidden.
func (d *Subscriber) SetCredential(ctx context.Context, sub store.SubscriptionInfo, c digest.Credential) error {
	f := sub.Feed
	c.Reader, c.Address = sub.DigestID, f.URL
	if digest.IsPrivate(f.URL) {
		was, err := d.open(f)
		if err != nil {
			return asSearch(err)
		}
		c.Address, c.Hidden = was.Address, c.Hidden || was.Hidden
	}
	c, err := complete(c)
	if err != nil {
		return err
	}
	if c.IsEmpty() {
		return asSearch(digest.Refuse(digest.Invalid,
			"enter a username and password, or a token, or mark the address as secret"))
	}
	sealed, err := d.Keys.Seal(c)
	if err != nil {
		return asSearch(err)
	}
	f.URL, f.Sealed = sealed.Address, sealed.Sealed
	if !digest.IsPrivate(sub.Feed.URL) || c.Hidden && !digest.IsHidden(sub.Feed.URL) {
		if c.Hidden {
			f.SiteURL = digest.Site(f.SiteURL)
		}
		if err := d.Store.Feeds.MakePrivate(ctx, f, c.Reader); err != nil {
			return asSearch(err)
		}
	}
	if c.User == "" && c.Password == "" && c.Token == "" {
		return nil // the credential stays as it was
	}
	return d.Store.Feeds.RenewSealed(ctx, f, d.Now())
}

// open decrypts the credential of a private feed. If that fails, it returns the address alone, unless the
// address is the secret.
func (d *Subscriber) open(f digest.Feed) (digest.Credential, error) {
	c, err := d.Keys.Open(f.Sealed)
	if err != nil && !digest.IsHidden(f.URL) {
		return digest.Credential{Address: digest.PublicAddress(f.URL)}, nil
	}
	return c, err
}

// sealOffer returns the address and the encrypted credential of an imported list's feed. For a feed without
// a credential it returns url and "".
func (d *Subscriber) sealOffer(ctx context.Context, id digest.DigestID, url string, o feed.Offer) (address,
	sealed string, err error) {
	c, err := complete(digest.Credential{Reader: id, Address: url, Hidden: o.Secret, Token: o.Bearer})
	if err != nil || c.IsEmpty() {
		return url, "", err
	}
	if o.Secret && strings.HasSuffix(url, "/…") {
		return "", "", digest.Refuse(digest.Invalid,
			"the list doesn’t include the feed’s secret address; add the feed by hand")
	}
	as, f, err := d.own(ctx, c)
	if digest.KindOf(err) == digest.NotFound {
		return as.Address, as.Sealed, nil
	}
	return f.URL, as.Sealed, err
}

// offerOf returns a subscription as an entry of an exported list, with or without the feed's credential.
func (d *Subscriber) offerOf(s store.SubscriptionInfo, credentials bool) (feed.Offer, error) {
	o := feed.Offer{URL: digest.PublicAddress(s.Feed.URL), Title: cmp.Or(s.Title, s.Feed.Title), Type: s.Feed.Kind,
		Folder: s.Folder, Paused: s.Paused, Secret: digest.IsHidden(s.Feed.URL)}
	if !credentials {
		return o, nil
	}
	if !digest.IsPrivate(s.Feed.URL) {
		o.URL = s.Feed.URL
		return o, nil
	}
	c, err := d.Keys.Open(s.Feed.Sealed)
	if err != nil {
		return o, &digest.Error{Kind: digest.KindOf(err), Message: digest.PublicAddress(s.Feed.URL) + ": " +
			reason(err), Err: err}
	}
	o.URL, o.Bearer = c.WithUser(), c.Token
	return o, nil
}

// SealAddresses converts feeds with a name and a password in the address, which older versions stored, into
// private feeds. It returns their number.
func (d *Subscriber) SealAddresses(ctx context.Context) (n int, err error) {
	clear, err := d.Store.Feeds.ClearFeeds(ctx)
	if err != nil {
		return 0, err
	}
	for _, f := range clear {
		bare, c := digest.SplitCredential(f.URL)
		if c.IsEmpty() {
			continue
		}
		c.Reader, c.Address = f.First, bare
		sealed, err := d.Keys.Seal(c)
		if err != nil {
			return n, err
		}
		bareSite, _ := digest.SplitCredential(f.SiteURL)
		private := digest.Feed{ID: f.ID, URL: sealed.Address, Sealed: sealed.Sealed, SiteURL: bareSite}
		if err := d.Store.Feeds.MakePrivate(ctx, private, 0); err != nil {
			return n, err
		}
		n++
	}
	return n, d.Store.Feeds.HideFormer(ctx)
}

// Reseal encrypts the credentials again that another key than the first encrypted. It returns their number.
func (d *Subscriber) Reseal(ctx context.Context) (n int, err error) {
	feeds, err := d.Store.Feeds.SealedFeeds(ctx)
	if err != nil {
		return 0, err
	}
	ids, err := d.Keys.IDs()
	if err != nil {
		return 0, err
	}
	for _, f := range feeds {
		if len(ids) > 0 && seal.IDOf(f.Sealed) == ids[0] {
			continue
		}
		c, err := d.Keys.Open(f.Sealed)
		if err != nil {
			return n, &digest.Error{Kind: digest.KindOf(err), Message: digest.PublicAddress(f.URL) + ": " + reason(err),
				Err: err}
		}
		sealed, err := d.Keys.Seal(c)
		if err != nil {
			return n, err
		}
		is := f
		is.URL, is.Sealed = sealed.Address, sealed.Sealed
		if err := d.Store.Feeds.Reseal(ctx, f, is); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
