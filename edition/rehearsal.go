package edition

import (
	"cmp"
	"context"
	"fmt"

	"digest"
	"digest/internal/catalogue"
	"digest/mailer"
	"digest/rank"
	"digest/render"
)

// Rehearse renders the next issue of a newsletter as a test email in a layout. It omits notices, because their links
// would change the newsletter.
func (b *Builder) Rehearse(ctx context.Context, archive digest.Digest, n digest.Newsletter, l digest.NewsletterLetter,
	layout digest.Layout, to string) (render.Message, error) {
	archive.Look.Layout = cmp.Or(layout, archive.Look.Layout)
	e, err := b.PreviewLetter(ctx, archive, n, l, to)
	if err != nil {
		return render.Message{}, err
	}
	e.Notices = nil
	m, err := b.render.Mail(e)
	if err != nil {
		return render.Message{}, fmt.Errorf("rendering the next letter: %w", err)
	}
	m.Subject = cmp.Or(l.Subject, m.Subject)
	return m, nil
}

// Made renders a stored issue from a newsletter's archive as an email to a publisher, in a layout. It reads the same
// fields of d as Edition, and its newsletter.
func (b *Builder) Made(ctx context.Context, d digest.Delivery, layout digest.Layout) (render.Message, error) {
	d.Look.Layout, d.Look.Images = cmp.Or(layout, d.Look.Layout), d.Newsletter.Images
	e, err := b.Edition(ctx, d)
	if err != nil {
		return render.Message{}, err
	}
	e.Notices = nil
	e.UnsubscribeURL = e.HomeURL // the archive's link would end the archive
	e.WebURL = ""
	m, err := b.render.Mail(e)
	if err != nil {
		return render.Message{}, fmt.Errorf("rendering the letter: %w", err)
	}
	m.Subject = cmp.Or(d.Letter.Subject, m.Subject)
	return m, nil
}

// TestLetter returns the result of Rehearse as a letter to a publisher, from the newsletter's address.
func (b *Builder) TestLetter(ctx context.Context, archive digest.Digest, n digest.Newsletter, l digest.NewsletterLetter,
	layout digest.Layout, from, to string) (mailer.Letter, error) {
	m, err := b.Rehearse(ctx, archive, n, l, layout, to)
	letter := mailer.Letter{
		From: from, ReplyTo: n.ReplyTo, To: to,
		Subject:  catalogue.Key("Test: %s").With(m.Subject).In(catalogue.Of(n.Language)),
		Language: catalogue.Of(n.Language).Code, HTML: m.HTML, Text: m.Text,
	}
	if n.OwnAddress != "" {
		letter.Newsletter = n.ID
	}
	return letter, err
}

// LedBy returns editions of one digest, earliest first, as they would have been with a feed as the lead site; 0: the
// program chooses the leads.
func (b *Builder) LedBy(ctx context.Context, ds []digest.Delivery, feed digest.FeedID) ([]render.Edition, error) {
	if len(ds) == 0 {
		return nil, nil
	}
	before, err := b.Store.LeadsBefore(ctx, ds[:1], rank.Rest)
	if err != nil {
		return nil, fmt.Errorf("reading what led the editions before: %w", err)
	}
	tried := &leadContents{Contents: b.Store, feed: feed, led: before[ds[0].ID]}
	options := b.Options
	options.Store = tried
	other := &Builder{Options: options, render: b.render, cache: b.cache, seed: b.seed}
	editions := make([]render.Edition, len(ds))
	for i, d := range ds {
		d.Lead = 0
		if editions[i], err = other.Edition(ctx, d); err != nil {
			return nil, err
		}
		if s, _, ok := editions[i].LeadPost(); ok && !editions[i].ChosenLead {
			tried.led = append([]digest.FeedID{s.Feed}, tried.led...)
		}
	}
	return editions, nil
}

// leadContents are the contents of editions with another lead site. led has the feeds that led before, latest first.
type leadContents struct {
	Contents
	feed digest.FeedID
	led  []digest.FeedID
}

// SubscriptionSettings implements Contents.
func (c *leadContents) SubscriptionSettings(ctx context.Context,
	ids []digest.DigestID) (map[digest.DigestID]map[digest.FeedID]digest.Subscription, error) {
	stored, err := c.Contents.SubscriptionSettings(ctx, ids)
	all := make(map[digest.DigestID]map[digest.FeedID]digest.Subscription, len(ids))
	for _, id := range ids {
		all[id] = make(map[digest.FeedID]digest.Subscription, len(stored[id])+1)
		for feed, own := range stored[id] {
			own.Leads = false
			all[id][feed] = own
		}
		if own := all[id][c.feed]; c.feed != 0 {
			own.DigestID, own.FeedID, own.Leads = id, c.feed, true
			all[id][c.feed] = own
		}
	}
	return all, err
}

// LeadsBefore implements Contents.
func (c *leadContents) LeadsBefore(_ context.Context, editions []digest.Delivery,
	n int) (map[digest.EditionID][]digest.FeedID, error) {
	all := make(map[digest.EditionID][]digest.FeedID, len(editions))
	for _, e := range editions {
		all[e.ID] = c.led[:min(n, len(c.led))]
	}
	return all, nil
}
