// Package confirmations sends confirmation requests: one email to each person on an imported list without proof of consent,
// which asks whether they want the newsletter.
//
// The store selects the next person (NextAsk). Immediately before an email counts as accepted, AskNow commits that it
// was sent, so that no crash sends it twice.
package confirmations

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/mailer"
	"digest/newsletter"
	"digest/render"
	"digest/store"
)

// An Asker sends confirmation requests. All fields but PostalAddress are required.
type Asker struct {
	Store         *store.Store
	Sender        *mailer.Sender
	Signer        *digest.Signer
	BaseURL       string
	PostalAddress string
	Now           func() time.Time
	Hard          context.Context // cancels everything immediately
	Log           *slog.Logger
}

// routePause is the wait for the next attempt when no email can be sent.
const routePause = 15 * time.Minute

// Ask sends the requests that are due, one after the other, until ctx ends or no email can be sent.
func (a *Asker) Ask(ctx context.Context) error {
	n := 0
	for ctx.Err() == nil {
		who, found, err := a.Store.Members.NextAsk(a.Hard, a.Now())
		if err != nil || !found {
			a.report(n)
			return err
		}
		onward, err := a.askOne(who)
		if err != nil {
			return err
		}
		if !onward {
			break
		}
		n++
	}
	a.report(n)
	return nil
}

func (a *Asker) report(n int) {
	if n > 0 {
		a.Log.Info("sent confirmation emails to imported addresses", "letters", n)
	}
}

// askOne sends one request. It returns false if no other can be sent now.
func (a *Asker) askOne(who newsletter.Ask) (onward bool, err error) {
	n, err := a.Store.Newsletters.Newsletter(a.Hard, who.NewsletterID)
	if err != nil {
		return false, err
	}
	token := rand.Text()
	hash := sha256.Sum256([]byte(token))
	err = a.Sender.HandOver(a.Hard, a.letter(n, who, token),
		func(ctx context.Context) error { return a.Store.Members.AskNow(ctx, who, hash[:], a.Now()) })
	refused, ok := errors.AsType[*mailer.NotAcceptedError](err)
	if !ok { // accepted, or unknown, so not sent again
		return true, nil
	}
	evidence := digest.OneLine(refused.Error())
	switch verdict := refused.Verdict(); {
	case digest.KindOf(err) == digest.Conflict:
		return true, nil
	case verdict == mailer.Bounced:
		return true, a.Store.Members.AskFailed(a.Hard, who, hash[:], newsletter.AskBounced, evidence, a.Now())
	case verdict == mailer.Refused, verdict == mailer.Retry && who.Tries+1 >= newsletter.MostAskTries:
		return true, a.Store.Members.AskFailed(a.Hard, who, hash[:], newsletter.AskRefused, evidence, a.Now())
	case verdict == mailer.Retry:
		return true, a.Store.Members.AskAgain(a.Hard, who, hash[:], true, a.Now().Add(newsletter.AskWait(who.Tries+1)))
	}
	a.Log.Warn("cannot email people of imported lists yet; retrying later", "err", evidence)
	return false, a.Store.Members.AskAgain(a.Hard, who, hash[:], false, a.Now().Add(routePause))
}

// letter returns the confirmation request from the newsletter. The newsletter's name is its only text from a person. It
// is in the language of the owner, because the recipient's is unknown.
func (a *Asker) letter(n digest.Newsletter, who newsletter.Ask, token string) mailer.Letter {
	n.FromName = ""
	words := words(catalogue.Of(n.Language), n, fmt.Sprintf("%s/n/%s/confirm?token=%s", a.BaseURL, n.Slug, token))
	words.HomeURL, words.PostalAddress = a.BaseURL+"/", a.PostalAddress
	m := mailer.Letter{
		From: a.Sender.NewsletterFrom(n), ReplyTo: n.ReplyTo, To: who.Email, Subject: words.Title,
		Language: catalogue.Of(n.Language).Code, HTML: words.HTML(), Text: words.PlainText(), Date: a.Now(),
	}
	if a.Sender.ReturnPath != "" {
		m.ReturnPath = digest.Tagged(a.Sender.ReturnPath, a.Signer.Sign(digest.ForAskBounce, who.ID))
		m.UnsubscribeMail = m.ReturnPath // identifies complaints about the email
	}
	return m
}

func words(l *catalogue.Language, n digest.Newsletter, url string) render.LetterContent {
	name := digest.PlainName(n.Name)
	return render.LetterContent{
		Language: l.Code,
		Name:     render.DefaultName,
		Title:    catalogue.Key("Confirm your subscription to %s").With(name).In(l),
		Text: []string{
			catalogue.Key("Your address is on the member list of %s, which has moved to this site. The list doesn’t show that you subscribed, so please confirm that you want the newsletter.").With(name).In(l),
			catalogue.Key("Open the link and press the button to subscribe. The link works once and expires after 30 days.").In(l),
		},
		Action: catalogue.Key("Confirm").In(l), URL: url,
		Aside: []string{catalogue.Key(
			"If you don’t want the newsletter, ignore this email. We delete your address after 30 days, and %s won’t ask again.").With(name).In(l)},
	}
}
