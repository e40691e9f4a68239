package publisher

import (
	"context"
	"errors"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
	"digest/web/page"
)

// The most newsletters that a reader may publish, and the most of them that may wait for approval.
const (
	mostPublished = 10
	mostPending   = 3
)

// publishingClosed returns the error for a reader who may not create newsletters. It tells an operator which command
// creates one.
func publishingClosed(me page.Reader) error {
	p := *page.ErrPublishingClosed
	if me.Operator {
		p.Text = catalogue.Key("To create one, run “digest newsletter create” on the server.")
	}
	return &p
}

// newPage creates a newsletter that waits for approval. If its feed cannot be read, it deletes the newsletter
// again.
func (s *Site) newPage(v *page.Visit) error {
	if s.Publishing != page.PublishingAsk || v.Posted() && s.Subscriber == nil {
		return publishingClosed(v.Reader)
	}
	n, address := digest.Newsletter{
		Cadence: digest.Daily, State: digest.NewsletterPending, MemberLimit: s.MemberLimit,
		Look: digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages},
	}, ""
	v.AddText(page.CodeKind, "address", &address, 0)
	v.AddText(page.LineKind, "name", &n.Name, 60)
	v.AddText(page.CodeKind, "slug", &n.Slug, 40)
	v.AddText(page.LineKind, "line", &n.AddressLine, 200)
	v.AddText(page.AreaKind, "description", &n.Description, 2000)
	if !v.Posted() {
		return v.Show(nil, "publisher/new", catalogue.Key("Create a newsletter"), v)
	}
	if !s.Limits.Rounds.Allow(v.Key(), v.Now) {
		return page.ErrTooManyFinds
	}
	unlock, busy := s.Forms.TryLock(v.ID) // so that parallel requests cannot exceed the limit
	if busy != nil {
		return page.ErrOneByOne
	}
	defer unlock()
	n.Slug = strings.ToLower(n.Slug)
	n, wrong, err := s.addPending(v.Ctx, v.ID, n, address)
	if wrong != nil {
		v.Reject("", wrong)
		v.Fields()["address"].Value = page.FirstRunes(address, page.MaxName)
	}
	if err != nil || wrong != nil {
		return v.Show(err, "publisher/new", catalogue.Key("Create a newsletter"), v)
	}
	waiting, err := s.Store.Newsletters.CountPending(v.Ctx)
	if err != nil {
		return err
	}
	if waiting == 1 { // with more, the operator already has an email
		s.tellOperator(v.Ctx, n)
	}
	return v.SeeOther("/newsletters/" + n.Slug)
}

// addPending creates the newsletter and subscribes it to the feed at address, or returns what is wrong with the form.
func (s *Site) addPending(ctx context.Context, owner digest.UserID, n digest.Newsletter, address string) (
	_ digest.Newsletter, wrong catalogue.Sayable, err error) {
	has, err := s.Store.Newsletters.NewslettersOf(ctx, owner)
	if err != nil {
		return n, nil, err
	}
	if wrong := tooMany(has); wrong != nil {
		return n, wrong, nil
	}
	if n.AddressLine == "" {
		return n, catalogue.Key("Enter the publisher and a postal address. Every issue shows them in its footer."), nil
	}
	n, err = s.Store.Newsletters.AddNewsletter(ctx, n, owner, s.Now())
	if wrong, err = asRefused(err); wrong != nil || err != nil {
		return n, wrong, err
	}
	find, cancel := context.WithTimeout(ctx, page.FindTime)
	defer cancel()
	_, err = s.Subscriber.SubscribeNewsletter(find, n, address)
	if err == nil {
		return n, nil, nil
	}
	err = page.AsSlow(find, err)
	if gone := s.Store.Newsletters.RefuseNewsletter(context.WithoutCancel(ctx), n.ID); gone != nil {
		return n, nil, errors.Join(err, gone)
	}
	if _, said := page.SearchSaid(err); said != nil {
		return n, said, nil
	}
	wrong, err = page.AsSaid(err)
	return n, wrong, err
}

// tooMany returns why a reader may not create another newsletter, nil if they may.
func tooMany(has []store.NewsletterInfo) catalogue.Sayable {
	own, pending := 0, 0
	for _, n := range has {
		if n.Role == digest.RoleOwner && n.State != digest.NewsletterEnded {
			own++
		}
		if n.Role == digest.RoleOwner && n.State == digest.NewsletterPending {
			pending++
		}
	}
	switch {
	case pending >= mostPending:
		return catalogue.Key("Too many of your newsletters are waiting for approval. Wait until the operator has reviewed one.")
	case own >= mostPublished:
		return catalogue.Key("You’ve reached the maximum number of newsletters.")
	}
	return nil
}

// tellOperator emails the contact that a newsletter waits for approval. The email contains nothing that a reader
// typed.
func (s *Site) tellOperator(ctx context.Context, n digest.Newsletter) {
	s.mailContact(ctx, n, catalogue.Key("A newsletter is waiting for your approval"),
		catalogue.Key("A reader wants to publish a newsletter here. Nobody can subscribe to it until you approve it."))
}

// tellOperatorOfNames emails the contact that new names of a newsletter wait for approval.
func (s *Site) tellOperatorOfNames(ctx context.Context, n digest.Newsletter) {
	s.mailContact(ctx, n, catalogue.Key("A newsletter’s new name is waiting for your approval"),
		catalogue.Key("A publisher renamed a newsletter. Emails and pages show the approved name until you decide."))
}

func (s *Site) mailContact(ctx context.Context, n digest.Newsletter, title, text catalogue.Key) {
	u, _ := s.Store.Readers.UserByEmail(ctx, s.Contact) // on error the zero user: the contact need not be a reader
	l := catalogue.Of(u.Language)
	s.MailPlainly(s.Contact, render.LetterContent{
		Language: l.Code,
		Title:    title.In(l),
		Text:     page.Paragraphs(l, text),
		Action:   catalogue.Key("Open newsletter").In(l), URL: s.BaseURL + "/operator/newsletters#" + n.Slug,
	})
}
