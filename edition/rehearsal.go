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

// Rehearse renders the letter that a newsletter's next midnight would bring, in a layout, as its mail to
// somebody who tries it: nothing is told of its feeds, since what is offered there would change the newsletter.
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

// Made renders a letter of a newsletter's archive that is made, in a layout, as its mail to one of the
// publishers. What Edition needs of d it needs, and its newsletter.
func (b *Builder) Made(ctx context.Context, d digest.Delivery, layout digest.Layout) (render.Message, error) {
	d.Look.Layout, d.Look.Images = cmp.Or(layout, d.Look.Layout), d.Newsletter.Images
	e, err := b.Edition(ctx, d)
	if err != nil {
		return render.Message{}, err
	}
	e.Notices = nil
	e.UnsubscribeURL = e.HomeURL // that of the archive would end it
	e.WebURL = ""
	m, err := b.render.Mail(e)
	if err != nil {
		return render.Message{}, fmt.Errorf("rendering the letter: %w", err)
	}
	m.Subject = cmp.Or(d.Letter.Subject, m.Subject)
	return m, nil
}

// TestLetter returns the letter of Rehearse for one of the publishers, from the newsletter's address.
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
