package web

import (
	"net/http"
	"time"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

// deliveredShown is how many posts the page of a feed lists.
const deliveredShown = 10

// A feedPage is the view of one of the reader's feeds.
type feedPage struct {
	feedLine
	feedMenu
	URL       string
	Status    string            // path of the status page; "" if there is none
	Seldom    catalogue.Sayable // poll interval of a feed that is not polled daily; nil otherwise
	Illness   *illness          // nil if the feed works
	Move      *move             // the latest move, if the reader can undo it; nil otherwise
	Delivered []store.DeliveredPost
	Filters   []digest.Filter
	Saved     string // the change that the page confirms
	Filter    filterForm
	Shorts    bool // the feed may have Shorts that no filter hides

	Credential credentialForm
}

// subscription returns the reader's subscription to the feed in the request's path, or to the feed into which that was
// merged.
func (s *site) subscription(r *http.Request, me page.Reader) (store.SubscriptionInfo, error) {
	id, err := page.PathKey(r)
	if err != nil {
		return store.SubscriptionInfo{}, err
	}
	return s.Store.Subscriptions.SubscriptionSince(r.Context(), me.Digest.ID, digest.FeedID(id))
}

// feedPage shows one feed. If the feed was merged into another, it redirects there. If the reader
// has unsubscribed, it redirects to the posts that they received.
func (s *site) feedPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	id, err := page.PathKey(r)
	if err != nil {
		return err
	}
	saved := page.SavedOf(r, "added", "there", "paused", "resumed", "changed", "again", "filter", "unfiltered",
		"credential",
		"replaced")
	err = s.showSubscription(w, r, me, http.StatusOK, digest.FeedID(id), feedPage{Saved: saved})
	if digest.KindOf(err) == digest.NotFound {
		if sub, none := s.Store.Subscriptions.SubscriptionSince(r.Context(), me.Digest.ID,
			digest.FeedID(id)); none == nil {
			return page.SeeOther(w, r, feedPath(sub.Feed.ID))
		}
		if had, none := s.Store.Posts.DeliveredPosts(r.Context(), me.Digest.ID, digest.FeedID(id), s.Now(),
			1); none == nil &&
			len(had) > 0 {
			return page.SeeOther(w, r, feedPath(digest.FeedID(id))+"/posts")
		}
	}
	return err
}

// showSubscription fills p with the stored subscription and shows it. Values of a rejected form
// stay in p.
func (s *site) showSubscription(w http.ResponseWriter, r *http.Request, me page.Reader, status int, id digest.FeedID,
	p feedPage) error {
	v, err := s.Store.Subscriptions.SubscriptionView(r.Context(), me.Digest.ID, id, s.Now(), deliveredShown)
	if err != nil {
		return err
	}
	wrong, own, day, tried := p.Wrong, p.Own, p.Day, p.Tried
	p.feedLine, p.URL, p.Status = s.lineOf(me.Digest, v.SubscriptionInfo), digest.PublicAddress(v.Feed.URL),
		page.StatusPath(v.Feed)
	p.feedMenu = s.menuOf(me.Digest, v, fromOf(r))
	p.Wrong, p.Day, p.Tried = wrong, day, tried
	if wrong != (feedWrongs{}) && wrong.Day == nil || tried != nil {
		p.Own = own
	}
	p.Seldom = seldom(v.Feed)
	p.Credential = credentialFormOf(v.SubscriptionInfo, p.Credential.Wrong)
	p.Delivered, p.Filters = withShownTitles(v.Delivered), v.Filters
	p.Shorts = isChannel(v.Feed) && !hidesShorts(v.Filters, id)
	p.Illness = s.illnessOf(me.Digest, v.Feed)
	if m, moved := s.openMoves(me.Digest, v.Moves)[id]; moved {
		p.Move = &m
	}
	return s.Show(w, r, status, "feed", p.Title, p)
}

func (s *site) menuOf(d digest.Digest, v store.SubscriptionView, from string) feedMenu {
	m := s.menuFor(d, feedPath(v.Feed.ID), from)
	m.Own, m.Called, m.Titled, m.Folders, m.Paused, m.Letters = v.Subscription, page.Shortened(feedTitle(v.Feed)),
		v.Feed.Title != "", v.Folders, v.Paused, v.PausedFor != 0
	m.Account = v.Feed.Kind == string(feed.ATProto) || v.Feed.Kind == string(feed.ActivityStreams)
	m.Answers = m.Account && v.Feed.Kind != string(feed.ATProto)
	return m
}

// seldom returns the interval of a feed that is polled less than once a day, or nil.
func seldom(f digest.Feed) catalogue.Sayable {
	if days := int(max(f.OwnInterval, f.HostInterval) / (24 * time.Hour)); days > 1 {
		return catalogue.Key("We check this site every %d days.").With(days)
	}
	return nil
}

// setFeed changes the name, the folder or the display of a feed.
func (s *site) setFeed(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	sub, err := s.subscription(r, me)
	if err != nil {
		return err
	}
	if err := page.HasAny(r.PostForm, "title", "folder", "display", "most", "roll-up", "trial"); err != nil {
		return err
	}
	own, wrong := subscriptionOf(r.PostForm, sub.Subscription, s.todayIn(me.Digest))
	if wrong != (feedWrongs{}) {
		return s.showSubscription(w, r, me, http.StatusBadRequest, sub.Feed.ID,
			feedPage{feedMenu: feedMenu{Own: own, Wrong: wrong}})
	}
	if r.PostForm.Has("try") {
		return s.tryFeed(w, r, me, own)
	}
	if own.Title == page.Shortened(feedTitle(sub.Feed)) {
		own.Title = "" // an unchanged title keeps following the feed's title
	}
	return showChanged(w, r, s.Store.Subscriptions.SetSubscription(r.Context(), own), sub.Feed.ID, "changed")
}

// pauseFeed pauses a subscription, optionally until a date.
func (s *site) pauseFeed(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	sub, err := s.subscription(r, me)
	if err != nil {
		return err
	}
	id, m := sub.Feed.ID, s.menuFor(me.Digest, "", "")
	until, wrong, err := m.pauseOf(r.PostForm, me.Digest, s.Now())
	if err != nil {
		return err
	}
	if wrong != nil {
		m.Wrong.Day = wrong
		return s.showSubscription(w, r, me, http.StatusBadRequest, id, feedPage{feedMenu: m})
	}
	return showChanged(w, r, s.Store.Subscriptions.PauseSubscriptionUntil(r.Context(), me.Digest.ID, id, until), id,
		"paused")
}

func (s *site) resumeFeed(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	id, err := page.PathKey(r)
	if err == nil {
		err = s.Store.Subscriptions.ResumeSubscription(r.Context(), me.Digest.ID, digest.FeedID(id), s.Now())
	}
	return showChanged(w, r, err, digest.FeedID(id), "resumed")
}
