package main

import (
	"context"
	"slices"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
)

// tellReaders returns a function that emails readers about changes by links that no edition reports soon. It stops
// at the first email that cannot be sent now. A later run tries that email again.
func (a *app) tellReaders(st *store.Store, signer *digest.Signer) func(context.Context) error {
	return func(ctx context.Context) error {
		for ctx.Err() == nil {
			news, found, err := st.Editions.NextLinkNews(a.hard, a.now())
			if err != nil || !found {
				return err
			}
			if len(news.Changes) == 0 {
				// Somebody undid or overwrote them.
				continue
			}
			err = a.mailOne(st, a.plainLetter(news.User.Email, linkNewsWords(news, signer, a.BaseURL)))
			if digest.KindOf(err) == digest.Unavailable {
				a.log.Warn("cannot send emails about changes by links now; trying again later", "err", err)
				return nil
			}
			if err != nil {
				a.log.Warn("cannot send an email about changes by links", "err", err)
			}
			if err := st.Editions.LinkNewsTold(a.hard, news, a.now()); err != nil {
				return err
			}
		}
		return nil
	}
}

const mostNews = 20

func linkNewsWords(news store.LinkNews, signer *digest.Signer, base string) render.LetterContent {
	l := catalogue.Of(news.User.Language)
	words := render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("A link in your email changed your settings").In(l),
		Text: []string{catalogue.Key(
			"The link did not sign anyone in. If you used it, you don’t need to do anything.").In(l)},
		Aside: []string{catalogue.Key(
			"Anyone you forward an email to can use its links. You get at most one email like this a day.").In(l)},
	}
	zone := zoneOf(news.User.TimeZone)
	for i, v := range news.Changes {
		if i == mostNews {
			words.Text = append(words.Text,
				catalogue.Key("See %d more changes in your settings.").With(len(news.Changes)-i).In(l))
			break
		}
		token := signer.SignPair(digest.ForUndo, digest.InRound(int64(v.Digest.ID), v.Digest.LinkRound), v.ID)
		words.Links = append(words.Links, render.LetterLink{
			Text: render.LinkChange(v.LinkChange, zone).In(l), Action: catalogue.Key("Undo this change").In(l),
			URL: base + "/undo/" + token,
		})
	}
	if slices.ContainsFunc(news.Changes, func(v store.LinkChangeView) bool { return v.Digest.NewsletterID == 0 }) {
		words.Action, words.URL = catalogue.Key("Turn off links in old emails").In(l), base+"/settings/links"
	}
	return words
}
