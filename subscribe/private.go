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

// SubscribePrivate subscribes the reader of a credential to the feed at or behind its
// address, which is asked once, and is theirs alone. If they have it already and it does not
// answer, it is asked with this credential from now on.
func (d *Subscriber) SubscribePrivate(ctx context.Context, c digest.Credential) (f digest.Feed, created bool,
	err error) {
	if c, err = complete(c); err != nil {
		return f, false, err
	}
	if err := d.notBlocked(ctx, c.Address); err != nil {
		return f, false, err
	}
	sealed, f, err := d.own(ctx, c)
	if digest.KindOf(err) != digest.NotFound {
		return d.renew(ctx, c, sealed, f, err)
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
	if sealed, f, err = d.own(ctx, c); digest.KindOf(err) != digest.NotFound { // behind the page that was named
		return d.renew(ctx, c, sealed, f, err)
	}
	found.Conceal(sealed.Address, sealed.Sealed, c)
	if f, err = d.add(ctx, c.Reader, found); err != nil {
		return f, false, err
	}
	created, err = d.Store.Subscribe(ctx, digest.Subscription{DigestID: c.Reader, FeedID: f.ID}, d.Now())
	if err == nil {
		err = d.Store.SetSealed(ctx, f.ID, sealed.Sealed) // nobody was subscribed: it may have been forgotten
	}
	return f, created, err
}

// renew subscribes a reader to a private feed of theirs that is stored, and has it asked
// with their credential; one that they take and that answers goes on with the one it has, for this one may be
// mistyped.
func (d *Subscriber) renew(ctx context.Context, c digest.Credential, sealed seal.Feed, f digest.Feed,
	err error) (digest.Feed, bool, error) {
	if err != nil {
		return f, false, err
	}
	created, err := d.Store.Subscribe(ctx, digest.Subscription{DigestID: c.Reader, FeedID: f.ID}, d.Now())
	if answers := !f.LastOKAt.IsZero() && f.LastError == ""; err == nil && (created || !answers) {
		f.URL, f.Sealed = sealed.Address, sealed.Sealed
		err = d.Store.RenewSealed(ctx, f, d.Now())
	}
	return f, created, err
}

// complete puts an address into its normal form, and what is secret in it beside it.
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
		return c, asSearch(digest.Refuse(digest.Invalid, "enter a name with a password, or a token, not both"))
	}
	if strings.ContainsFunc(c.User+c.Password+c.Token, func(r rune) bool { return r < ' ' || r == 0x7f }) ||
		strings.Contains(c.User, ":") {
		return c, asSearch(digest.Refuse(digest.Invalid,
			"name, password and token are one line each, and the name has no colon"))
	}
	return c, nil
}

// own gives how a credential is stored, and the feed of its reader that has it, by
// whichever key.
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
		f, err := d.Store.FeedByURL(ctx, address)
		if digest.KindOf(err) != digest.NotFound {
			return sealed, f, err
		}
	}
	return sealed, digest.Feed{}, &digest.Error{Kind: digest.NotFound, Message: "there is no such feed"}
}

// SetCredential changes what a subscription's feed is asked with. A feed that was not
// private becomes so, if nobody else is subscribed to it. Of c, Address and Reader are not
// read; Hidden stays true where it was.
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
			"enter a name with a password, or a token, or mark the address as secret"))
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
		if err := d.Store.MakePrivate(ctx, f, c.Reader); err != nil {
			return asSearch(err)
		}
	}
	if c.User == "" && c.Password == "" && c.Token == "" {
		return nil // it is asked as before
	}
	return d.Store.RenewSealed(ctx, f, d.Now())
}

// open decrypts what a private feed is asked with. Where that is lost its address is
// known at least, unless it was the secret.
func (d *Subscriber) open(f digest.Feed) (digest.Credential, error) {
	c, err := d.Keys.Open(f.Sealed)
	if err != nil && !digest.IsHidden(f.URL) {
		return digest.Credential{Address: digest.PublicAddress(f.URL)}, nil
	}
	return c, err
}

// sealOffer makes of a line of a list with a credential one of a private feed.
func (d *Subscriber) sealOffer(ctx context.Context, id digest.DigestID, url string, o feed.Offer) (address,
	sealed string, err error) {
	c, err := complete(digest.Credential{Reader: id, Address: url, Hidden: o.Secret, Token: o.Bearer})
	if err != nil || c.IsEmpty() {
		return url, "", err
	}
	if o.Secret && strings.HasSuffix(url, "/…") {
		return "", "", digest.Refuse(digest.Invalid, "the list omits its secret address; add it by hand")
	}
	as, f, err := d.own(ctx, c)
	if digest.KindOf(err) == digest.NotFound {
		return as.Address, as.Sealed, nil
	}
	return f.URL, as.Sealed, err
}

// offerOf is a subscription as a list has it, with what its feed is asked with or without.
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

// SealAddresses makes private feeds of those whose addresses hold a name and a password,
// as was done before there were private feeds. It gives how many there were.
func (d *Subscriber) SealAddresses(ctx context.Context) (n int, err error) {
	clear, err := d.Store.ClearFeeds(ctx)
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
		if err := d.Store.MakePrivate(ctx, private, 0); err != nil {
			return n, err
		}
		n++
	}
	return n, d.Store.HideFormer(ctx)
}

// Reseal seals anew what the first key has not sealed. It gives how many feeds there were.
func (d *Subscriber) Reseal(ctx context.Context) (n int, err error) {
	feeds, err := d.Store.SealedFeeds(ctx)
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
		if err := d.Store.Reseal(ctx, f, is); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
