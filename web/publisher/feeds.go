package publisher

import (
	"context"
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

type feedsPage struct {
	publisher
	Feeds []store.SubscriptionInfo
}

// mostNewsletterFeeds is the most feeds of one newsletter. Every member's digest is subscribed to all of them.
const mostNewsletterFeeds = 50

// feedsPage lists the feeds. A POST adds the feed at an address, or one that the page there links to.
func (s *Site) feedsPage(me publisher) error {
	var address string
	me.AddText(page.CodeKind, "address", &address, 0)
	if me.Posted() {
		if err := s.addNewsletterFeed(me, address); err != nil || me.OK() {
			return me.saved(err, "/feeds", "added")
		}
	}
	feeds, err := s.Store.Subscriptions.Subscriptions(me.Ctx, me.Newsletter.ArchiveID)
	return me.show(err, "publisher/feeds", catalogue.Key("Feeds"), feedsPage{me, feeds})
}

func (s *Site) addNewsletterFeed(me publisher, address string) error {
	if s.Subscriber == nil {
		return page.ErrNotFound
	}
	if !s.Limits.Finds.Allow(me.Key(), me.Now) {
		return page.ErrTooManyFinds
	}
	has, err := s.Store.Subscriptions.AllSubscriptions(me.Ctx, me.Newsletter.ArchiveID)
	if err != nil {
		return err
	}
	if len(has) >= mostNewsletterFeeds {
		me.Reject("address", catalogue.Key("This newsletter has the maximum number of feeds. Remove one first."))
		me.Status = http.StatusConflict
		return nil
	}
	ctx, cancel := context.WithTimeout(me.Ctx, page.FindTime)
	defer cancel()
	_, err = s.Subscriber.SubscribeNewsletter(ctx, me.Newsletter, address)
	status, said := page.SearchSaid(page.AsSlow(ctx, err))
	if said != nil {
		me.Reject("address", said)
		me.Status = status
	} else if !me.Refused(err, "address") {
		return err
	}
	me.Fields()["address"].Value = page.FirstRunes(address, page.MaxName)
	return nil
}

// removeNewsletterFeed removes a feed from the newsletter, and its posts that wait for an issue.
func (s *Site) removeNewsletterFeed(me publisher) error {
	err := s.Store.Newsletters.RemoveNewsletterFeed(me.Ctx, me.Newsletter.ID, digest.FeedID(me.PathID))
	return me.saved(err, "/feeds", "removed")
}
