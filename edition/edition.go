// Package edition builds the content of a reader's edition. It reads the posts of sealed editions from the store,
// groups them into sections, adds signed links, and passes the edition to package render.
//
// Within a section the newest post comes first, and late posts come last. Sections are sorted by title: first those
// without a folder, then folder by folder. So each site has the same place every day.
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

// Contents reads the content of editions from the store.
type Contents interface {
	// EditionPosts returns the posts of sealed editions by edition, in any order. The map may omit editions without
	// posts.
	EditionPosts(ctx context.Context, editions []digest.Delivery) (map[digest.EditionID][]digest.PostRef, error)
	// WaitingPosts returns the posts that the digest's next edition would contain now.
	WaitingPosts(ctx context.Context, id digest.DigestID) ([]digest.PostRef, error)
	// Posts returns posts by key, in any order. It omits posts that do not exist.
	Posts(ctx context.Context, ids []digest.PostID) ([]digest.Post, error)
	// FeedLabels returns feeds by key, in any order. It omits feeds that do not exist.
	FeedLabels(ctx context.Context, ids []digest.FeedID) ([]digest.FeedLabel, error)
	// SubscriptionSettings returns the readers' settings of subscriptions. It may omit subscriptions with default
	// settings.
	SubscriptionSettings(ctx context.Context,
		ids []digest.DigestID) (map[digest.DigestID]map[digest.FeedID]digest.Subscription, error)
	// PictureSizes returns the known facts about pictures by address.
	PictureSizes(ctx context.Context, addresses []string) (map[string]digest.PictureSize, error)
	// Notices returns the notices of sealed editions by edition, in any order. The map may omit editions without
	// notices.
	Notices(ctx context.Context, editions []digest.Delivery) (map[digest.EditionID][]digest.Notice, error)
	// FeedHistories returns what feeds published before a time, in any order. It omits feeds that do not exist.
	FeedHistories(ctx context.Context, feeds []digest.FeedID, before time.Time) ([]digest.FeedHistory, error)
	// PostsBefore returns the newest posts of a feed that digest found before a time, at most n. It omits extras.
	PostsBefore(ctx context.Context, feed digest.FeedID, before time.Time, n int) ([]digest.PostID, error)
	// LeadsBefore returns the feeds that led the latest editions before each of the given ones, at most n for each.
	LeadsBefore(ctx context.Context, editions []digest.Delivery, n int) (map[digest.EditionID][]digest.FeedID, error)
	// WaitingNotices returns the notices that the digest's next edition would contain now.
	WaitingNotices(ctx context.Context, id digest.DigestID) ([]digest.Notice, error)
}

// Options configures a Builder. Store, Signer and BaseURL are required.
type Options struct {
	Store      Contents
	Signer     *digest.Signer
	BaseURL    string // of the web view, with or without a final slash
	CacheBytes int    // size of the cache of rendered posts; 0 means a quarter of GOMEMLIMIT

	// PostalAddress is the sender's address, one line at the foot of each email; empty for none.
	PostalAddress string
}

// A Builder builds the content and the email of editions. It is safe for concurrent use.
type Builder struct {
	Options
	render *render.Renderer
	cache  *cache
	seed   keySeed
	judged judged
}

// New returns a Builder. Set the memory limit of the process before the call.
func New(o Options) *Builder {
	if o.CacheBytes == 0 {
		o.CacheBytes = sizeWithin(debug.SetMemoryLimit(-1))
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	b := &Builder{Options: o, cache: newCache(o.CacheBytes), seed: newKeySeed()}
	b.render = render.New(b.pictureURL)
	return b
}

// Post renders one post as an edition in a language shows it.
func (b *Builder) Post(p digest.Post, language string) *render.Post {
	return b.render.Speaking(language).Post(p)
}

// Edition returns the content of a sealed edition. It reads these fields of d: ID, DigestID, DueAt, PrevDueAt,
// PrevReleasedAt, BoundFrom, BoundTo, LocalDate, Number and TimeZone.
func (b *Builder) Edition(ctx context.Context, d digest.Delivery) (render.Edition, error) {
	editions, err := b.Editions(ctx, []digest.Delivery{d})
	if err != nil {
		return render.Edition{}, err
	}
	return editions[0], nil
}

// Editions returns the content of sealed editions, in the order of ds. It makes seven requests to the store for any
// number of editions of one midnight, and at most two more for each newsletter with colours or click counts.
func (b *Builder) Editions(ctx context.Context, ds []digest.Delivery) ([]render.Edition, error) {
	return b.sealed(ctx, ds, onWeb)
}

// Site returns the section of one feed in a sealed edition, with the posts beyond the reader's limit. If the edition
// has no posts of the feed, it returns an error of kind digest.NotFound.
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

// A use is the purpose of an edition's content.
type use uint8

const (
	onWeb use = iota
	inMail
	wholeSite // one site with all its posts
)

// sealed returns the content of sealed editions for a use. For email it loads full text only for the feeds that show
// it.
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
	f, err := b.front(ctx, ds, refs, sizes)
	if err != nil {
		return nil, err
	}
	zones := zoneCache{}
	editions := make([]render.Edition, len(ds))
	for i, d := range ds {
		var zone *time.Location // loaded only if needed
		if !d.BoundFrom.IsZero() || len(notices[d.ID]) > 0 || isLong(&d) {
			zone = zones.get(d.TimeZone)
		}
		a, err := b.sections(ctx, shared[renderers[i]], refs[d.ID], settings[d.DigestID], d, f, zone,
			use == wholeSite)
		if err != nil {
			return nil, err
		}
		editions[i] = b.compose(d, a, notices[d.ID], zone)
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

func (b *Builder) webURL(id digest.EditionID, round int) string {
	return b.BaseURL + "/e/" + b.Signer.Sign(digest.ForEdition, digest.InRound(int64(id), round))
}

// addOwnLinks adds the links with which a reader changes their own digest. Editions of a newsletter have none, because
// its publisher chooses the feeds. The links work as long as the edition is stored.
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
	e.SitesURL, e.SettingsURL, e.PauseURL = b.BaseURL+"/feeds", b.BaseURL+"/settings", e.UnsubscribeURL+"#pause"
}

func (b *Builder) compose(d digest.Delivery, a arranged, notices []digest.Notice,
	zone *time.Location) render.Edition {
	e := render.Edition{
		Date: d.LocalDate, Number: d.Number, Room: d.Room, Name: d.DigestName, Language: d.Language, Recipient: d.Email,
		Look: d.Look, Sections: a.sections, Lead: a.lead, ChosenLead: a.chosen, Days: a.days, Copies: a.copies,
		Notices:        b.notices(d, notices, newClock(d.LocalDate, zone, catalogue.Of(d.Language))),
		HomeURL:        b.BaseURL + "/",
		UnsubscribeURL: b.unsubscribeURL(d),
		PostalAddress:  b.PostalAddress,
	}
	if n := d.Newsletter; n != nil {
		e.Newsletter, e.Header, e.Footer, e.Colours = true, n.HeaderText, n.FooterText, n.Colours
		if d.Letter.Subject == "" {
			e.SubjectPattern, e.SubjectLanguage = n.SubjectPattern, n.Language
		}
		if n.Logo.Exists() {
			e.Logo, e.LogoURL = n.Logo, b.BaseURL+"/n/"+n.Slug+"/look/"+n.LogoFile
		}
		e.Note, e.HomeURL, e.PostalAddress = d.Letter.Note, b.BaseURL+"/n/"+
			n.Slug, cmp.Or(n.AddressLine, b.PostalAddress)
	}
	setDays(&e, &d)
	pause{d.BoundFrom, d.BoundTo}.bind(&e, zone, catalogue.Of(d.Language))
	return e
}

// unsubscribeURL returns the address of the page that stops, pauses or changes a digest. The link in the text of an
// email is the link in its header, with the number of the edition behind it. So a notice of a change can name the
// email.
func (b *Builder) unsubscribeURL(d digest.Delivery) string {
	if d.ID == 0 {
		return b.oneClickURL(d)
	}
	return b.oneClickURL(d) + "-" + strconv.FormatInt(int64(d.ID), 10)
}

// oneClickURL returns the address at which mail programs unsubscribe (RFC 8058). It is the same in all emails of a
// digest.
func (b *Builder) oneClickURL(d digest.Delivery) string {
	return b.BaseURL + "/unsubscribe/" +
		b.Signer.Sign(digest.ForUnsubscribe, digest.InRound(int64(d.DigestID), d.LinkRound))
}

// Preview returns the edition that the digest's next midnight would create now. Its posts are not cached, because
// waiting posts may still change.
func (b *Builder) Preview(ctx context.Context, d digest.Digest, to digest.User) (render.Edition, error) {
	return b.preview(ctx, d, digest.Delivery{Email: to.Email, Language: to.Language})
}

// PreviewLetter returns the preview of a newsletter's next issue with the settings of l. Its unsubscribe link goes to
// the newsletter's page, because the archive's link would end the archive.
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
	next.Edition = digest.Edition{
		DigestID: d.ID, LocalDate: digest.DateOf(d.NextDueAt.In(zone)), Number: d.Editions + 1, DueAt: d.NextDueAt,
		PrevDueAt: d.LastDueAt, PrevReleasedAt: d.LastDueAt, // posts found before its release no longer wait
		BoundFrom: d.PausedAt, BoundTo: d.PausedTo,
	}
	refs = withoutRollUps(refs, settings[d.ID], next.Edition)
	shared, err := b.fresh(ctx, b.render.In(coloursOf(next)).Speaking(next.Language), refs)
	if err != nil {
		return render.Edition{}, err
	}
	next.DigestName, next.Folders, next.Look, next.Grouping, next.LinkRound = d.Name, d.Folders, d.Look, d.Grouping,
		d.LinkRound
	of := pictures{}
	of.add(shared, refs, settings[d.ID], next.Layout, next.Images == digest.ProxiedImages)
	sizes, err := b.sizes(ctx, of)
	if err != nil {
		return render.Edition{}, err
	}
	f, err := b.front(ctx, []digest.Delivery{next}, map[digest.EditionID][]digest.PostRef{0: refs},
		sizes)
	if err != nil {
		return render.Edition{}, err
	}
	a, err := b.sections(ctx, shared, refs, settings[d.ID], next, f, zone, false)
	if err != nil {
		return render.Edition{}, err
	}
	e := b.compose(next, a, notices, zone)
	e.PictureSizes = sizes
	return e, nil
}

// pictureURL returns the address at which this instance serves a picture.
func (b *Builder) pictureURL(src string) string {
	return b.BaseURL + "/image/" + b.Signer.SignText(digest.ForImage, src) + "/" +
		base64.RawURLEncoding.EncodeToString([]byte(src))
}

// Render renders sealed editions as letters for the mailer, in the order of ds.
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
			UnsubscribeURL: b.oneClickURL(ds[i]), HelpURL: b.BaseURL + "/help", Lead: e.EarnedLead(),
		}
		if n := ds[i].Newsletter; n != nil {
			letters[i].ArchiveURL = b.BaseURL + "/n/" + n.Slug + "/letters"
		}
	}
	return letters, nil
}

// subjectOf returns the subject of a letter: the publisher's, or else the usual one. It marks a letter that an operator
// sends again.
func subjectOf(d digest.Delivery, usual string) string {
	subject := cmp.Or(d.Letter.Subject, usual)
	if d.Resent > 0 {
		return catalogue.Key("%s (sent again)").With(subject).In(catalogue.Of(d.Language))
	}
	return subject
}

// OnlyOnWeb returns the number of posts that the email of an edition leaves out, by site. d has the settings of the
// email.
func (b *Builder) OnlyOnWeb(ctx context.Context, d digest.Delivery) (map[digest.FeedID]int, error) {
	editions, err := b.sealed(ctx, []digest.Delivery{d}, inMail)
	if err != nil {
		return nil, err
	}
	return b.render.OnlyOnWeb(editions[0])
}

func digestsOf(ds []digest.Delivery) []digest.DigestID {
	ids := make([]digest.DigestID, len(ds))
	for i, d := range ds {
		ids[i] = d.DigestID
	}
	return ids
}
