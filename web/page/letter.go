package page

import (
	"context"
	"strings"
	"time"

	"digest"
	"digest/internal/allowance"
	"digest/internal/catalogue"
	"digest/mailer"
	"digest/render"
	"digest/store"
)

const (
	WrongEmail = catalogue.Key("That isn’t an email address. Enter one like reader@example.org.")
)

// A LetterRequest is a request for an email with a link.
type LetterRequest struct {
	Email  string        // as entered
	Wrong  catalogue.Key // error text for the form; "" if there is none
	Kind   allowance.Kind
	To     string // normalized address
	Letter store.Letter
}

// Mails reports whether this instance sends email.
func (s *Site) Mails() bool { return s.Outbox != nil }

// Mailbox returns the normalized form of a bare address, as it is stored and mailed.
func Mailbox(typed string) (string, error) {
	address, err := mailer.Recipient(strings.TrimSpace(typed))
	return digest.NormalEmail(address), err
}

// A WriteLetter returns the recipient and the content of an email. An empty recipient means that no
// email is sent. life is the lifetime of the link.
type WriteLetter func(ctx context.Context, life time.Duration) (to string, words render.LetterContent, err error)

// SendLetter queues an email, unless a limit stopped the request.
func (s *Site) SendLetter(q LetterRequest, write WriteLetter) {
	if q.Letter.ID != 0 {
		s.Outbox.Add(s.Letter(q, write))
	}
}

// Letter returns an email for the outbox. The store records whether it was sent.
func (s *Site) Letter(q LetterRequest, write WriteLetter) mailer.LetterRequest {
	return mailer.LetterRequest{
		Newcomer: q.Kind == allowance.SignUp || q.Kind.IsJoin(),
		Write: func(ctx context.Context) (mailer.Letter, error) {
			to, words, err := write(ctx, q.Letter.Life)
			if err != nil || to == "" {
				return mailer.Letter{}, err
			}
			words.Name, words.HomeURL, words.PostalAddress = render.DefaultName, s.BaseURL+"/", s.PostalAddress
			return mailer.Letter{To: to, Subject: words.Title, Language: catalogue.Of(words.Language).Code,
				HTML: words.HTML(), Text: words.PlainText()}, nil
		},
		Sent: func(ctx context.Context) error { return s.Store.Editions.LetterSent(ctx, q.Letter.ID, s.Now()) },
		Lost: func(ctx context.Context) error { return s.Store.Editions.LetterUnsent(ctx, q.Letter.ID) },
	}
}

// The texts of emails. Emails that strangers can request contain no text from strangers, not even
// the address. Otherwise anyone could send their own text to others from here.

// Paragraphs returns paragraphs in a language.
func Paragraphs(l *catalogue.Language, all ...catalogue.Sayable) (said []string) {
	for _, p := range all {
		said = append(said, p.In(l))
	}
	return said
}

// WorksWithin returns the lifetime of a sign-in link as a sentence.
func WorksWithin(life time.Duration) catalogue.Sayable {
	return catalogue.Key("Open the link and press the button to sign in. The link works once and expires after %d hours.").With(
		int(life.Hours()))
}

const (
	// SignInTTL is how long an unused sign-in link works.
	SignInTTL = 24 * time.Hour

	MailedTTL = time.Hour // lifetime of a link in an email; longer if emails are delayed
)
