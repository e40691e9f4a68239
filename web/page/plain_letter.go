package page

import (
	"context"

	"digest/internal/catalogue"
	"digest/mailer"
	"digest/render"
)

// MailPlainly sends an email that its recipient did not request. It sends nothing if to is "".
func (s *Site) MailPlainly(to string, words render.LetterContent) {
	if to == "" || !s.Mails() {
		return
	}
	words.Name, words.HomeURL, words.PostalAddress = render.DefaultName, s.BaseURL+"/", s.PostalAddress
	l := mailer.Letter{To: to, Subject: words.Title, Language: catalogue.Of(words.Language).Code, HTML: words.HTML(),
		Text: words.PlainText()}
	s.Outbox.Add(mailer.LetterRequest{Write: func(context.Context) (mailer.Letter, error) { return l, nil }})
}
