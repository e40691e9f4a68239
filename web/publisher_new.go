package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
)

// Publishing says who may begin a newsletter on the web.
type Publishing string

// The values of DIGEST_NEWSLETTERS. Any other is as closed.
const (
	PublishingClosed Publishing = "closed" // nobody: whoever runs the instance makes them by command
	PublishingAsk    Publishing = "ask"    // any reader, and whoever runs the instance approves each
)

// How many newsletters a reader may publish, and how many of them may wait for approval.
const (
	mostPublished = 10
	mostPending   = 3
)

// A publisherNewPage asks for a newsletter that a reader begins.
type publisherNewPage struct {
	Typed   digest.Newsletter
	Address string // of its site or feed, as it was typed
	Wrong   any    // catalogue.Sayable, or a text; nil: nothing is wrong
}

// publishingClosed tells an operator how a newsletter is created, and others whom to ask.
func publishingClosed(me reader) error {
	p := *errPublishingClosed
	if me.Operator {
		p.Text = catalogue.Key("To create one, run “digest newsletter create” on the server.")
	}
	return &p
}

func (s *site) publisherNewPage(w http.ResponseWriter, r *http.Request, me reader) error {
	if s.Publishing != PublishingAsk {
		return publishingClosed(me)
	}
	return s.show(w, r, http.StatusOK, "publisher_new", catalogue.Key("Create a newsletter"), publisherNewPage{})
}

// beginNewsletter makes a newsletter that waits for approval. Nothing of it stays where its feed cannot be
// read.
func (s *site) beginNewsletter(w http.ResponseWriter, r *http.Request, me reader) error {
	if s.Publishing != PublishingAsk || s.Subscriber == nil {
		return publishingClosed(me)
	}
	if !s.limits.rounds.allow(me.key(), s.Now()) {
		return errTooManyFinds
	}
	unlock, busy := s.forms.tryLock(me.ID) // or several at once were more than may wait
	if busy != nil {
		return errOneByOne
	}
	defer unlock()
	form := r.PostForm
	p := publisherNewPage{Address: strings.TrimSpace(form.Get("address")), Typed: digest.Newsletter{
		Slug: strings.ToLower(strings.TrimSpace(form.Get("slug"))), Name: digest.OneLine(form.Get("name")),
		AddressLine: digest.OneLine(form.Get("line")),
		Description: strings.TrimSpace(strings.ReplaceAll(form.Get("description"), "\r\n", "\n")),
		Cadence:     digest.Daily, State: digest.NewsletterPending, MemberLimit: s.MemberLimit,
		Look: digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages},
	}}
	n, wrong, err := s.addPending(r.Context(), me, p)
	if err != nil {
		return err
	}
	if wrong != nil {
		p.Wrong, p.Address = wrong, firstRunes(p.Address, maxName)
		return s.show(w, r, http.StatusUnprocessableEntity, "publisher_new", catalogue.Key("Create a newsletter"), p)
	}
	waiting, err := s.Store.CountPending(r.Context())
	if err != nil {
		return err
	}
	if waiting == 1 { // while one waits, a mail has said so
		s.tellOperator(r.Context(), n)
	}
	return seeOther(w, r, "/newsletters/"+n.Slug)
}

// addPending makes the newsletter with its feed, or says what is wrong.
func (s *site) addPending(ctx context.Context, me reader, p publisherNewPage) (n digest.Newsletter,
	wrong catalogue.Sayable, err error) {
	has, err := s.Store.NewslettersOf(ctx, me.ID)
	if err != nil {
		return n, nil, err
	}
	if wrong := tooMany(has); wrong != nil {
		return n, wrong, nil
	}
	if p.Typed.AddressLine == "" {
		return n, catalogue.Key("Enter the publisher and a postal address. Every issue shows them in its footer."), nil
	}
	n, err = s.Store.AddNewsletter(ctx, p.Typed, me.ID, s.Now())
	if wrong, err = asRefused(err); wrong != nil || err != nil {
		return n, wrong, err
	}
	find, cancel := context.WithTimeout(ctx, findTime)
	defer cancel()
	_, err = s.Subscriber.SubscribeNewsletter(find, n, p.Address)
	if err == nil {
		return n, nil, nil
	}
	err = asSlow(find, err)
	if gone := s.Store.RefuseNewsletter(context.WithoutCancel(ctx), n.ID); gone != nil {
		return n, nil, errors.Join(err, gone)
	}
	if _, said := searchSaid(err); said != nil {
		return n, said, nil
	}
	wrong, err = asSaid(err)
	return n, wrong, err
}

// tooMany says why a reader may begin no other newsletter; nil if they may.
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

// tellOperator mails the contact that a newsletter waits. Nothing that was typed is in the letter.
func (s *site) tellOperator(ctx context.Context, n digest.Newsletter) {
	s.mailContact(ctx, n, catalogue.Key("A newsletter is waiting for your approval"),
		catalogue.Key("A reader wants to publish a newsletter here. Nobody can subscribe to it until you approve it."))
}

// tellOperatorOfNames mails the contact that names of a newsletter wait.
func (s *site) tellOperatorOfNames(ctx context.Context, n digest.Newsletter) {
	s.mailContact(ctx, n, catalogue.Key("A newsletter’s new name is waiting for your approval"),
		catalogue.Key("A publisher renamed a newsletter. Emails and pages show the approved name until you decide."))
}

func (s *site) mailContact(ctx context.Context, n digest.Newsletter, title, text catalogue.Key) {
	u, _ := s.Store.UserByEmail(ctx, s.Contact) // the contact need not be a reader
	l := catalogue.Of(u.Language)
	s.mailPlainly(s.Contact, render.LetterContent{
		Language: l.Code,
		Title:    title.In(l),
		Text:     paragraphs(l, text),
		Action:   catalogue.Key("Open newsletter").In(l), URL: s.BaseURL + "/operator/newsletters#" + n.Slug,
	})
}
