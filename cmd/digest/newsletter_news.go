package main

import (
	"errors"
	"time"

	"digest"
	"digest/mailer"
	"digest/render"
	"digest/store"
)

// tellNews mails the publishers of a newsletter what became of its feeds.
func (a *app) tellNews(st *store.Store) func(store.PublisherNews) error {
	return func(news store.PublisherNews) error {
		words := a.newsWords(news)
		var failed error
		for _, to := range news.To {
			err := a.mailOne(st, mailer.Letter{To: to, Date: a.now(), Subject: words.Title, HTML: words.HTML(), Text: words.PlainText()})
			if digest.KindOf(err) == digest.Conflict { // nothing is mailed to this address
				a.log.Warn("a publisher could not be told what became of a feed", "newsletter", news.Newsletter.Slug, "err", err)
				continue
			}
			failed = errors.Join(failed, err)
		}
		return failed
	}
}

func (a *app) newsWords(news store.PublisherNews) render.LetterContent {
	words := render.LetterContent{
		Title:  "The feeds of " + digest.OneLine(news.Newsletter.Name),
		Action: "See its feeds", URL: a.BaseURL + "/newsletters/" + news.Newsletter.Slug + "/feeds",
		Aside: []string{"You get this because you publish the newsletter. Its members are not told."},
		Name:  render.DefaultName, HomeURL: a.BaseURL + "/", PostalAddress: a.PostalAddress,
	}
	zone, err := time.LoadLocation(news.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	for _, n := range news.Notices {
		words.Text = append(words.Text, newsOf(n, zone))
	}
	return words
}

// newsOf says what became of a feed.
func newsOf(n digest.Notice, zone *time.Location) string {
	site := render.SiteName(n.Title, n.URL)
	switch n.Kind {
	case digest.NoticeMoved:
		return "The feed “" + site + "” has moved from " + digest.HostShown(n.URL) + " to " + digest.HostShown(n.MovedTo) + ". It is read there now."
	case digest.NoticeGone:
		return site + " says that its feed is gone for good. It is no feed of the newsletter any more."
	case digest.NoticeDead:
		return "Nothing could be read from " + site + " for 90 days, so it is no longer asked. Remove it, or name its new address."
	case digest.NoticeBlocked:
		return "Whoever runs this reader no longer has it read " + site + ". Remove it, or write to them."
	case digest.NoticeDeclined:
		return "The owner of " + site + " has asked that it is not read from here. Remove it, or write to them."
	}
	text := "Nothing could be read from " + site + " since " + n.From.In(zone).Format("Monday 2 January")
	if why := n.Illness.Shown(); why != "" {
		text += ": " + why
	}
	return text + ". It is asked again each night."
}
