package main

import (
	"errors"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
)

// tellNews returns a function that emails the publishers of a newsletter about changes to its feeds.
func (a *app) tellNews(st *store.Store) func(store.PublisherNews) error {
	return func(news store.PublisherNews) error {
		var failed error
		for _, to := range news.To {
			err := a.mailOne(st, a.plainLetter(to, a.newsWords(languageTo(a.soft, st, to), news)))
			if digest.KindOf(err) == digest.Conflict { // the address gets no emails
				a.log.Warn("cannot email a publisher about a feed", "newsletter", news.Newsletter.Slug, "err", err)
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
		Title:    catalogue.Key("Changes to the feeds in %s").With(digest.OneLine(news.Newsletter.Name)).In(l),
		Action:   catalogue.Key("View feeds").In(l), URL: a.BaseURL + "/newsletters/" + news.Newsletter.Slug + "/feeds",
		Aside: []string{catalogue.Key(
			"You’re receiving this email because you publish the newsletter. Its members don’t receive it.").In(l)},
	}
	zone := zoneOf(news.TimeZone)
	for _, n := range news.Notices {
		words.Text = append(words.Text, newsOf(n, zone).In(l))
	}
	return words
}

func newsOf(n digest.Notice, zone *time.Location) catalogue.Sayable {
	site := render.SiteName(n.Title, n.URL)
	switch n.Kind {
	case digest.NoticeMoved:
		return catalogue.Key("%s moved from %s to %s. We use the new address now.").With(site, digest.HostShown(n.URL),
			digest.HostShown(n.MovedTo))
	case digest.NoticeGone:
		return catalogue.Key("%s has removed its feed permanently, so we removed it from the newsletter.").With(site)
	case digest.NoticeDead:
		return catalogue.Key(
			"%s hasn’t worked for 90 days, so we stopped checking it. Remove it, or enter its new address.").With(site)
	case digest.NoticeBlocked:
		return catalogue.Key("The operator of this site has blocked %s. Remove it, or contact the operator.").With(site)
	case digest.NoticeDeclined:
		return catalogue.Key("The owner of %s asked us not to read it. Remove it, or contact the owner.").With(site)
	}
	since := catalogue.Time("Monday 2 January", n.From.In(zone))
	if why := catalogue.Illness(n.Illness); why != nil {
		return catalogue.Key("%s hasn’t worked since %s: %s. We check it again every night.").With(site, since, why)
	}
	return catalogue.Key("%s hasn’t worked since %s. We check it again every night.").With(site, since)
}
