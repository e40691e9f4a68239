package web

import (
	"context"
	"net/http"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

type publisherFeedsPage struct {
	publisherFrame
	Feeds []store.SubscriptionInfo
	Asked string // the address that was typed
}

// mostNewsletterFeeds is the most feeds of one newsletter. Every member's digest is subscribed to all of them.
const mostNewsletterFeeds = 50

func (s *site) publisherFeedsPage(w http.ResponseWriter, r *http.Request, me publisher) error {
	return s.showPublisherFeeds(w, r, http.StatusOK,
		publisherFeedsPage{publisherFrame: s.publisherFrame(r, me, "added", "removed")})
}

func (s *site) showPublisherFeeds(w http.ResponseWriter, r *http.Request, status int, p publisherFeedsPage) error {
	var err error
	if p.Feeds, err = s.Store.Subscriptions(r.Context(), p.Newsletter.ArchiveID); err != nil {
		return err
	}
	return s.show(w, r, status, "publisher_feeds", titled(catalogue.Key("Feeds"), p.Newsletter.Name), p)
}

// addNewsletterFeed adds the feed at an address, or one that the page there links to, to the newsletter.
func (s *site) addNewsletterFeed(w http.ResponseWriter, r *http.Request, me publisher) error {
	p := publisherFeedsPage{publisherFrame: s.publisherFrame(r, me),
		Asked: strings.TrimSpace(r.PostForm.Get("address"))}
	if s.Subscriber == nil {
		return errNotFound
	}
	if !s.limits.finds.allow(me.key(), s.Now()) {
		return errTooManyFinds
	}
	has, err := s.Store.AllSubscriptions(r.Context(), me.Newsletter.ArchiveID)
	if err != nil {
		return err
	}
	if len(has) >= mostNewsletterFeeds {
		p.Wrong = catalogue.Key("This newsletter has the maximum number of feeds. Remove one first.")
		return s.showPublisherFeeds(w, r, http.StatusConflict, p)
	}
	ctx, cancel := context.WithTimeout(r.Context(), findTime)
	defer cancel()
	_, err = s.Subscriber.SubscribeNewsletter(ctx, me.Newsletter, p.Asked)
	status, said := searchSaid(asSlow(ctx, err))
	if said == nil {
		status = http.StatusUnprocessableEntity
		said, err = asSaid(err)
	}
	if said != nil {
		p.Wrong, p.Asked = said, firstRunes(p.Asked, maxName)
		return s.showPublisherFeeds(w, r, status, p)
	}
	return showSaved(w, r, err, me.Path()+"/feeds", "added")
}

// removeNewsletterFeed removes a feed from the newsletter, and its posts that wait for an issue.
func (s *site) removeNewsletterFeed(w http.ResponseWriter, r *http.Request, me publisher) error {
	id, err := pathKey(r)
	if err != nil {
		return err
	}
	err = s.Store.RemoveNewsletterFeed(r.Context(), me.Newsletter.ID, digest.FeedID(id))
	return showSaved(w, r, err, me.Path()+"/feeds", "removed")
}
