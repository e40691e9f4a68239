package web

import (
	"context"
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

type publisherFeedsPage struct {
	publisher
	Feeds []store.SubscriptionInfo
}

// mostNewsletterFeeds is the most feeds of one newsletter. Every member's digest is subscribed to all of them.
const mostNewsletterFeeds = 50

// publisherFeedsPage lists the feeds. A POST adds the feed at an address, or one that the page there links to.
func (s *site) publisherFeedsPage(me publisher) error {
	var address string
	me.text(codeKind, "address", &address, 0)
	if me.posted() {
		if err := s.addNewsletterFeed(me, address); err != nil || me.ok() {
			return me.saved(err, "/feeds", "added")
		}
	}
	feeds, err := s.Store.Subscriptions.Subscriptions(me.ctx, me.Newsletter.ArchiveID)
	return me.show(err, "publisher_feeds", catalogue.Key("Feeds"), publisherFeedsPage{me, feeds})
}

func (s *site) addNewsletterFeed(me publisher, address string) error {
	if s.Subscriber == nil {
		return errNotFound
	}
	if !s.limits.finds.allow(me.key(), me.now) {
		return errTooManyFinds
	}
	has, err := s.Store.Subscriptions.AllSubscriptions(me.ctx, me.Newsletter.ArchiveID)
	if err != nil {
		return err
	}
	if len(has) >= mostNewsletterFeeds {
		me.wrong("address", catalogue.Key("This newsletter has the maximum number of feeds. Remove one first."))
		me.status = http.StatusConflict
		return nil
	}
	ctx, cancel := context.WithTimeout(me.ctx, findTime)
	defer cancel()
	_, err = s.Subscriber.SubscribeNewsletter(ctx, me.Newsletter, address)
	status, said := searchSaid(asSlow(ctx, err))
	if said != nil {
		me.wrong("address", said)
		me.status = status
	} else if !me.refused(err, "address") {
		return err
	}
	me.fields["address"].Value = firstRunes(address, maxName)
	return nil
}

// removeNewsletterFeed removes a feed from the newsletter, and its posts that wait for an issue.
func (s *site) removeNewsletterFeed(me publisher) error {
	err := s.Store.Newsletters.RemoveNewsletterFeed(me.ctx, me.Newsletter.ID, digest.FeedID(me.pathID))
	return me.saved(err, "/feeds", "removed")
}
