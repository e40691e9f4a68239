package main

import (
	"errors"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
)

// tellNews mails the publishers of a newsletter what became of its feeds.
func (a *app) tellNews(st *store.Store) func(store.PublisherNews) error {
	return func(news store.PublisherNews) error {
		var failed error
		for _, to := range news.To {
			err := a.mailOne(st, a.plainLetter(to, a.newsWords(languageTo(a.soft, st, to), news)))
			if digest.KindOf(err) == digest.Conflict { // nothing is mailed to this address
				a.log.Warn("a publisher could not be told what became of a feed", "newsletter", news.Newsletter.Slug, "err", err)
				continue
			}
			failed = errors.Join(failed, err)
		}
		return failed
	}
}

func (a *app) newsWords(l *catalogue.Language, news store.PublisherNews) render.LetterContent {
	words := render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("The feeds of %s").With(digest.OneLine(news.Newsletter.Name)).In(l),
		Action:   catalogue.Key("See its feeds").In(l), URL: a.BaseURL + "/newsletters/" + news.Newsletter.Slug + "/feeds",
		Aside: []string{catalogue.Key("You get this because you publish the newsletter. Its members are not told.").In(l)},
	}
	zone, err := time.LoadLocation(news.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	for _, n := range news.Notices {
		words.Text = append(words.Text, newsOf(n, zone).In(l))
	}
	return words
}

// newsOf says what became of a feed.
func newsOf(n digest.Notice, zone *time.Location) catalogue.Sayable {
	site := render.SiteName(n.Title, n.URL)
	switch n.Kind {
	case digest.NoticeMoved:
		return catalogue.Key("The feed “%s” has moved from %s to %s. It is read there now.").With(site, digest.HostShown(n.URL), digest.HostShown(n.MovedTo))
	case digest.NoticeGone:
		return catalogue.Key("%s says that its feed is gone for good. It is no feed of the newsletter any more.").With(site)
	case digest.NoticeDead:
		return catalogue.Key("Nothing could be read from %s for 90 days, so it is no longer asked. Remove it, or name its new address.").With(site)
	case digest.NoticeBlocked:
		return catalogue.Key("Whoever runs this reader no longer has it read %s. Remove it, or write to them.").With(site)
	case digest.NoticeDeclined:
		return catalogue.Key("The owner of %s has asked that it is not read from here. Remove it, or write to them.").With(site)
	}
	since := catalogue.Time("Monday 2 January", n.From.In(zone))
	if why := catalogue.Illness(n.Illness); why != nil {
		return catalogue.Key("Nothing could be read from %s since %s: %s. It is asked again each night.").With(site, since, why)
	}
	return catalogue.Key("Nothing could be read from %s since %s. It is asked again each night.").With(site, since)
}
