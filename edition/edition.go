// Package edition puts together what one reader's edition holds. It reads the
// posts of sealed editions from the store, groups them into sections, adds the
// signed links, and hands the edition to render.
//
// Within a section the newest post comes first, and late posts come last.
// Sections stand in the order of their titles, those of no folder first and then one
// folder after the other, so that each is found in the same place every day.
package edition

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/mailer"
	"digest/render"
)

// Contents is what the store knows of editions. All methods only read.
type Contents interface {
	// EditionPosts gives the posts of sealed editions by the edition's key, in
	// any order. An edition without posts may be missing from the map.
	EditionPosts(ctx context.Context, editions []digest.Delivery) (map[digest.EditionID][]digest.PostRef, error)
	// WaitingPosts gives what the digest's next midnight would bring as things stand.
	WaitingPosts(ctx context.Context, id digest.DigestID) ([]digest.PostRef, error)
	// Posts gives posts by key, in any order; those that no longer exist are left out.
	Posts(ctx context.Context, ids []digest.PostID) ([]digest.Post, error)
	// FeedLabels gives feeds by key, in any order; those that no longer exist are left out.
	FeedLabels(ctx context.Context, ids []digest.FeedID) ([]digest.FeedLabel, error)
	// SubscriptionSettings gives how readers want their subscriptions named and
	// shown; one without any wish may be left out.
	SubscriptionSettings(ctx context.Context,
		ids []digest.DigestID) (map[digest.DigestID]map[digest.FeedID]digest.Subscription, error)
	// PictureSizes gives the sizes of pictures by their addresses, of those that are known.
	PictureSizes(ctx context.Context, addresses []string) (map[string]digest.PictureSize, error)
	// Notices gives what sealed editions tell of feeds, by the edition's key, in
	// any order. An edition without notices may be missing from the map.
	Notices(ctx context.Context, editions []digest.Delivery) (map[digest.EditionID][]digest.Notice, error)
	// WaitingNotices gives what the digest's next midnight would tell as things stand.
	WaitingNotices(ctx context.Context, id digest.DigestID) ([]digest.Notice, error)
}

// Options is what a Builder is made of. Store, Signer and BaseURL are required.
type Options struct {
	Store      Contents
	Signer     *digest.Signer
	BaseURL    string // of the web view, with or without a final slash
	CacheBytes int    // rendered posts kept for the next reader; default a quarter of GOMEMLIMIT

	// PostalAddress is where who sends the mail is found, one line at its foot;
	// empty: none.
	PostalAddress string
}

// A Builder makes the content and the mail of editions. It is safe for
// concurrent use.
type Builder struct {
	Options
	render *render.Renderer
	cache  *cache
	seed   keySeed
	judged judged
}

// New makes a Builder. The limit of the process' memory is set before.
func New(o Options) *Builder {
	if o.CacheBytes == 0 {
		o.CacheBytes = sizeWithin(debug.SetMemoryLimit(-1))
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	b := &Builder{Options: o, cache: newCache(o.CacheBytes), seed: newKeySeed()}
	b.render = render.New(b.pictureURL)
	return b
}

// Post renders one post as it would be in an edition in a language.
func (b *Builder) Post(p digest.Post, language string) *render.Post {
	return b.render.Speaking(language).Post(p)
}

// Edition gives the content of one sealed edition. Of d it needs ID, DigestID,
// DueAt, PrevDueAt, PrevReleasedAt, BoundFrom, BoundTo, LocalDate, Number and TimeZone.
func (b *Builder) Edition(ctx context.Context, d digest.Delivery) (render.Edition, error) {
	editions, err := b.Editions(ctx, []digest.Delivery{d})
	if err != nil {
		return render.Edition{}, err
	}
	return editions[0], nil
}

// Editions gives the content of sealed editions, in the order of ds. However
// many they are, the store is asked five times, and twice at most for each newsletter that has colours or counts.
func (b *Builder) Editions(ctx context.Context, ds []digest.Delivery) ([]render.Edition, error) {
	return b.sealed(ctx, ds, onWeb)
}

// Site gives the content of a sealed edition of one feed alone, with those posts of which its reader wants no more at
// once. digest.NotFound if the edition has none of it.
func (b *Builder) Site(ctx context.Context, d digest.Delivery, feed digest.FeedID) (render.Edition, error) {
	editions, err := b.sealed(ctx, []digest.Delivery{d}, wholeSite)
	if err != nil {
		return render.Edition{}, err
	}
	e := editions[0]
	e.Notices, e.Note = nil, ""
	e.Sections = slices.DeleteFunc(e.Sections, func(s render.Section) bool { return s.Feed != feed })
	if len(e.Sections) == 0 {
		err = &digest.Error{Kind: digest.NotFound, Message: "the edition has nothing of this feed"}
	}
	return e, err
}

// A use is what an edition is put together for.
type use uint8

const (
	onWeb use = iota
	inMail
	wholeSite // to show one site of it, with all its posts
)

// sealed is Editions; for mail with the texts of those posts alone that it shows in all their length.
func (b *Builder) sealed(ctx context.Context, ds []digest.Delivery, use use) ([]render.Edition, error) {
	if len(ds) == 0 {
		return nil, nil
	}
	refs, err := b.Store.EditionPosts(ctx, ds)
	if err != nil {
		return nil, fmt.Errorf("reading the posts of %d editions: %w", len(ds), err)
	}
	settings, err := b.Store.SubscriptionSettings(ctx, digestsOf(ds))
	if err != nil {
		return nil, fmt.Errorf("reading readers' settings: %w", err)
	}
	notices, err := b.Store.Notices(ctx, ds)
	if err != nil {
		return nil, fmt.Errorf("reading the notices of %d editions: %w", len(ds), err)
	}
	renderers := b.renderersOf(ds)
	shared, err := b.cachedIn(ctx, renderers, ds, refs, func(d *digest.Delivery, feed digest.FeedID) bool {
		return use != inMail || cmp.Or(settings[d.DigestID][feed].Display, d.Layout) == digest.FullText
	})
	if err != nil {
		return nil, err
	}
	sizes, err := b.pictureSizes(ctx, ds, refs, settings, renderers, shared, use)
	if err != nil {
		return nil, err
	}
	zones := zoneCache{}
	editions := make([]render.Edition, len(ds))
	for i, d := range ds {
		var zone *time.Location // which few editions need
		if !d.BoundFrom.IsZero() || len(notices[d.ID]) > 0 {
			zone = zones.get(d.TimeZone)
		}
		sections, err := b.sections(ctx, shared[renderers[i]], refs[d.ID], settings[d.DigestID], d, use == wholeSite)
		if err != nil {
			return nil, err
		}
		editions[i] = b.compose(d, sections, notices[d.ID], zone)
		editions[i].PictureSizes = sizes
		if use == inMail {
			leave(&editions[i], catalogue.Of(d.Language))
			b.addOwnLinks(&editions[i], d)
		}
		web := b.webURL(d.ID, d.LinkRound)
		editions[i].WebURL = web
		editions[i].BeyondURL = func(id digest.FeedID) string {
			return web + "?site=" +
				strconv.FormatInt(int64(id), 10)
		}
	}
	return editions, nil
}

// webURL is the page of an edition, by a link of a round.
func (b *Builder) webURL(id digest.EditionID, round int) string {
	return b.BaseURL + "/e/" + b.Signer.Sign(digest.ForEdition, digest.InRound(int64(id), round))
}

// addOwnLinks adds what a reader can do from the mail of their own digest; the feeds of a newsletter are its
// publisher's. The links last as long as the edition is stored.
func (b *Builder) addOwnLinks(e *render.Edition, d digest.Delivery) {
	if d.Newsletter != nil {
		return
	}
	edition := digest.InRound(int64(d.ID), d.LinkRound)
	e.SaveURL = func(id digest.PostID) string {
		return b.BaseURL + "/save/" + b.Signer.SignPair(digest.ForSaving, edition, int64(id))
	}
	e.SiteURL = func(id digest.FeedID) string {
		return b.BaseURL + "/site/" + b.Signer.SignPair(digest.ForSite, edition, int64(id))
	}
	e.SettingsURL, e.PauseURL = b.BaseURL+"/settings", e.UnsubscribeURL+"#pause"
}

// compose makes an edition of what is in it, with what all editions of its digest
// lead to.
func (b *Builder) compose(d digest.Delivery, sections []render.Section, notices []digest.Notice,
	zone *time.Location) render.Edition {
	e := render.Edition{
		Date: d.LocalDate, Number: d.Number, Room: d.Room, Name: d.DigestName, Language: d.Language, Recipient: d.Email,
		Look: d.Look, Sections: sections,
		Notices:        b.notices(d, notices, newClock(d.LocalDate, zone, catalogue.Of(d.Language))),
		HomeURL:        b.BaseURL + "/",
		UnsubscribeURL: b.unsubscribeURL(d),
		PostalAddress:  b.PostalAddress,
	}
	if n := d.Newsletter; n != nil {
		e.Newsletter, e.Header, e.Footer, e.Colours = true, n.HeaderText, n.FooterText, n.Colours
		if n.Logo.Exists() {
			e.Logo, e.LogoURL = n.Logo, b.BaseURL+"/n/"+n.Slug+"/look/"+n.LogoFile
		}
		e.Note, e.HomeURL, e.PostalAddress = d.Letter.Note, b.BaseURL+"/n/"+
			n.Slug, cmp.Or(n.AddressLine, b.PostalAddress)
	}
	pause{d.BoundFrom, d.BoundTo}.bind(&e, zone, catalogue.Of(d.Language))
	return e
}

// unsubscribeURL is the page that stops, pauses or changes a digest. The link in the text of an email
// is the link in its header, with the number of the edition behind it. So a notice of a change can name the email.
func (b *Builder) unsubscribeURL(d digest.Delivery) string {
	if d.ID == 0 {
		return b.oneClickURL(d)
	}
	return b.oneClickURL(d) + "-" + strconv.FormatInt(int64(d.ID), 10)
}

// oneClickURL is where mail programs unsubscribe (RFC 8058). It is the same in all emails of a digest.
func (b *Builder) oneClickURL(d digest.Delivery) string {
	return b.BaseURL + "/unsubscribe/" +
		b.Signer.Sign(digest.ForUnsubscribe, digest.InRound(int64(d.DigestID), d.LinkRound))
}

// Preview gives the edition that d's next midnight would bring as things stand.
// Nothing of it is kept: a waiting post may still change.
func (b *Builder) Preview(ctx context.Context, d digest.Digest, to digest.User) (render.Edition, error) {
	return b.preview(ctx, d, digest.Delivery{Email: to.Email, Language: to.Language})
}

// PreviewLetter is Preview for a digest of a newsletter, with what its publisher has decided of
// the letter. Its link to unsubscribe leads to the newsletter's page: that of the archive would end it.
func (b *Builder) PreviewLetter(ctx context.Context, d digest.Digest, n digest.Newsletter, l digest.NewsletterLetter,
	recipient string) (render.Edition, error) {
	e, err := b.preview(ctx, d, digest.Delivery{Email: recipient, Language: n.Language, Newsletter: &n, Letter: l})
	e.UnsubscribeURL = e.HomeURL
	return e, err
}

func (b *Builder) preview(ctx context.Context, d digest.Digest, next digest.Delivery) (render.Edition, error) {
	zone, err := time.LoadLocation(d.TimeZone)
	if err != nil {
		return render.Edition{}, fmt.Errorf("reading the time zone of digest %d: %w", d.ID, err)
	}
	refs, err := b.Store.WaitingPosts(ctx, d.ID)
	if err != nil {
		return render.Edition{}, fmt.Errorf("reading what waits for digest %d: %w", d.ID, err)
	}
	settings, err := b.Store.SubscriptionSettings(ctx, []digest.DigestID{d.ID})
	if err != nil {
		return render.Edition{}, fmt.Errorf("reading readers' settings: %w", err)
	}
	notices, err := b.Store.WaitingNotices(ctx, d.ID)
	if err != nil {
		return render.Edition{}, fmt.Errorf("reading what digest %d would tell: %w", d.ID, err)
	}
	shared, err := b.fresh(ctx, b.render.In(coloursOf(next)).Speaking(next.Language), refs)
	if err != nil {
		return render.Edition{}, err
	}
	next.Edition = digest.Edition{
		DigestID: d.ID, LocalDate: digest.DateOf(d.NextDueAt.In(zone)), Number: d.Editions + 1,
		PrevDueAt: d.LastDueAt, PrevReleasedAt: d.LastDueAt, // what was found before its release does not wait any more
		BoundFrom: d.PausedAt, BoundTo: d.PausedTo,
	}
	next.DigestName, next.Folders, next.Look, next.Grouping, next.LinkRound = d.Name, d.Folders, d.Look, d.Grouping,
		d.LinkRound
	sections, err := b.sections(ctx, shared, refs, settings[d.ID], next, false)
	if err != nil {
		return render.Edition{}, err
	}
	e, pictures := b.compose(next, sections, notices, zone), unsized{}
	if next.Images == digest.ProxiedImages {
		pictures.add(shared, refs, settings[d.ID], next.Layout)
	}
	e.PictureSizes, err = b.sizes(ctx, pictures)
	return e, err
}

// pictureURL is the address under which this instance serves a picture.
func (b *Builder) pictureURL(src string) string {
	return b.BaseURL + "/image/" + b.Signer.SignText(digest.ForImage, src) + "/" +
		base64.RawURLEncoding.EncodeToString([]byte(src))
}

// Render renders sealed editions as the letters of the mailer, in the order of ds.
func (b *Builder) Render(ctx context.Context, ds []digest.Delivery) ([]mailer.Letter, error) {
	editions, err := b.sealed(ctx, ds, inMail)
	if err != nil {
		return nil, err
	}
	letters := make([]mailer.Letter, len(ds))
	for i, e := range editions {
		m, err := b.render.EncodedMail(e)
		if err != nil {
			return nil, fmt.Errorf("rendering edition %d: %w", ds[i].ID, err)
		}
		letters[i] = mailer.Letter{
			To: ds[i].Email, Subject: subjectOf(ds[i], m.Subject), Encoded: mailer.Encoded{HTML: m.HTML, Text: m.Text},
			Language: catalogue.Of(ds[i].Language).Code, ListName: cmp.Or(e.Name, render.DefaultName),
			UnsubscribeURL: b.oneClickURL(ds[i]), HelpURL: b.BaseURL + "/help",
		}
		if n := ds[i].Newsletter; n != nil {
			letters[i].ArchiveURL = b.BaseURL + "/n/" + n.Slug + "/letters"
		}
	}
	return letters, nil
}

// subjectOf is the subject of a letter, whose usual one is known. One that an operator has sent once more says so.
func subjectOf(d digest.Delivery, usual string) string {
	subject := cmp.Or(d.Letter.Subject, usual)
	if d.Resent > 0 {
		return catalogue.Key("%s (sent again)").With(subject).In(catalogue.Of(d.Language))
	}
	return subject
}

func digestsOf(ds []digest.Delivery) []digest.DigestID {
	ids := make([]digest.DigestID, len(ds))
	for i, d := range ds {
		ids[i] = d.DigestID
	}
	return ids
}
