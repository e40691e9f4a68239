package edition

import (
	"cmp"
	"context"
	"fmt"

	"digest"
	"digest/internal/catalogue"
	"digest/mailer"
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
