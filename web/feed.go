package web

import (
	"net/http"
	"net/url"
	"strings"

	"digest"
	"digest/feed"
	"digest/store"
)

// deliveredShown is how many posts of a feed its page lists.
const deliveredShown = 10

// A feedPage is one feed of the reader's.
type feedPage struct {
	feedLine
	URL       string
	Paused    bool
	Until     string              // the day on which it comes back; "" if its pause has no end
	InLetters bool                // its posts come in letters of a newsletter alone
	Own       digest.Subscription // as it is, or as it was typed
	FeedTitle string
	Folders   []string
	Displays  []choice
	Account   bool // it is a person's on a network, where there are boosts and replies
	Answers   bool // its feed has answers to others; Bluesky is not asked for them
	Boosts    bool // the reader wants them
	Replies   bool
	Wrong     feedWrongs
	Illness   *illness // nil: it is well
	Move      *move    // by which it came to its address, while the reader can go back; nil: none
	Delivered []store.DeliveredPost
	Filters   []digest.Filter
	Saved     string // what was changed just now
	Filter    filterForm

	Credential credentialForm
}

// feedWrongs says of each field what is wrong with it.
type feedWrongs struct{ Title, Folder, Display string }

// subscription gives the feed of the reader's that a request's path speaks of.
func (s *site) subscription(r *http.Request, me reader) (store.SubscriptionInfo, error) {
	id, err := pathKey(r)
	if err != nil {
		return store.SubscriptionInfo{}, err
	}
	return s.Store.Subscription(r.Context(), me.Digest.ID, digest.FeedID(id))
}

// feedPage shows one feed; of one that has become part of another it leads to that.
func (s *site) feedPage(w http.ResponseWriter, r *http.Request, me reader) error {
	id, err := pathKey(r)
	if err != nil {
		return err
	}
	saved := savedOf(r, "added", "there", "paused", "resumed", "changed", "filter", "unfiltered", "credential", "replaced")
	err = s.showSubscription(w, r, me, http.StatusOK, digest.FeedID(id), feedPage{Saved: saved})
	if digest.KindOf(err) == digest.NotFound {
		if sub, none := s.Store.SubscriptionSince(r.Context(), me.Digest.ID, digest.FeedID(id)); none == nil {
			return seeOther(w, r, feedPath(sub.Feed.ID))
		}
	}
	return err
}

// showSubscription fills p with what is stored of a feed and shows it. Where nothing
// was typed that is what the reader has decided.
func (s *site) showSubscription(w http.ResponseWriter, r *http.Request, me reader, status int, id digest.FeedID, p feedPage) error {
	v, err := s.Store.SubscriptionView(r.Context(), me.Digest.ID, id, s.Now(), deliveredShown)
	if err != nil {
		return err
	}
	if p.Wrong == (feedWrongs{}) {
		p.Own = v.Subscription
	}
	p.feedLine, p.URL, p.Paused, p.InLetters = lineOf(v.SubscriptionInfo, s.Now()), digest.PublicAddress(v.Feed.URL), v.Paused, v.PausedFor != 0
	p.Until = backOn(v.PausedUntil, me.Digest.TimeZone)
	p.Credential = credentialFormOf(v.SubscriptionInfo, p.Credential.Wrong)
	p.FeedTitle = shortened(feedTitle(v.Feed))
	p.Displays = chosen([]choice{
		{Value: "", Name: "As my edition"}, {Value: string(digest.Headlines), Name: "Headlines only"},
		{Value: string(digest.Excerpts), Name: "Headlines and excerpts"}, {Value: string(digest.FullText), Name: "Full text"},
	}, string(p.Own.Display))
	p.Account = v.Feed.Kind == string(feed.ATProto) || v.Feed.Kind == string(feed.ActivityStreams)
	p.Answers = p.Account && v.Feed.Kind != string(feed.ATProto)
	p.Boosts, p.Replies = p.Own.Extras&digest.Repeat != 0, p.Own.Extras&digest.Reply != 0
	p.Folders, p.Delivered, p.Filters = v.Folders, v.Delivered, v.Filters
	p.Illness = s.illnessOf(me.Digest, v.Feed)
	if m, moved := s.openMoves(me.Digest, v.Moves)[id]; moved {
		p.Move = &m
	}
	return s.show(w, r, status, "feed", p.Title, p)
}

// setFeed takes a new name, folder and display for a feed.
func (s *site) setFeed(w http.ResponseWriter, r *http.Request, me reader) error {
	sub, err := s.subscription(r, me)
	if err != nil {
		return err
	}
	own, wrong := subscriptionOf(r.PostForm)
	if wrong != (feedWrongs{}) {
		return s.showSubscription(w, r, me, http.StatusBadRequest, sub.Feed.ID, feedPage{Own: own, Wrong: wrong})
	}
	own.DigestID, own.FeedID = me.Digest.ID, sub.Feed.ID
	if own.Title == sub.Feed.Title {
		own.Title = "" // so that it follows the feed's
	}
	return showSaved(w, r, s.Store.SetSubscription(r.Context(), own), feedPath(sub.Feed.ID), "changed")
}

// subscriptionOf reads what a form says of a feed.
func subscriptionOf(form url.Values) (sub digest.Subscription, wrong feedWrongs) {
	sub.Title, wrong.Title = nameOfForm("A name", form.Get("title"))
	sub.Folder, wrong.Folder = nameOfForm("A folder’s name", form.Get("folder"))
	sub.Folder = strings.Trim(sub.Folder, "/ ")
	switch d := digest.Layout(form.Get("display")); d {
	case "", digest.Headlines, digest.Excerpts, digest.FullText:
		sub.Display = d
	default:
		wrong.Display = "That is none of the choices. Nothing was changed."
	}
	for name, extra := range extras() {
		if form.Has(name) {
			sub.Extras |= extra
		}
	}
	return sub, wrong
}

// extras names the fields by which a form chooses posts of an account beside its own.
func extras() map[string]digest.Extra {
	return map[string]digest.Extra{"boosts": digest.Repeat, "replies": digest.Reply}
}

// pauseFeed pauses a subscription.
func (s *site) pauseFeed(w http.ResponseWriter, r *http.Request, me reader) error {
	id, err := pathKey(r)
	if err == nil {
		err = s.Store.PauseSubscription(r.Context(), me.Digest.ID, digest.FeedID(id))
	}
	return showSaved(w, r, err, feedPath(digest.FeedID(id)), "paused")
}

// resumeFeed ends the pause of a subscription.
func (s *site) resumeFeed(w http.ResponseWriter, r *http.Request, me reader) error {
	id, err := pathKey(r)
	if err == nil {
		err = s.Store.ResumeSubscription(r.Context(), me.Digest.ID, digest.FeedID(id), s.Now())
	}
	return showSaved(w, r, err, feedPath(digest.FeedID(id)), "resumed")
}

// A feedLeftPage says that a feed was left, and carries the way back.
type feedLeftPage struct {
	Title string
	URL   string // to subscribe to it again; "": it was private
	Own   digest.Subscription

	Boosts, Replies bool // what of the extras was wanted
}

// unsubscribeFeed ends a subscription. The answer is the only page that still knows
// what the reader had made of the feed.
func (s *site) unsubscribeFeed(w http.ResponseWriter, r *http.Request, me reader) error {
	sub, err := s.subscription(r, me)
	if err == nil {
		err = s.Store.Unsubscribe(r.Context(), me.Digest.ID, sub.Feed.ID)
	}
	back := sub.Feed.URL
	if digest.IsPrivate(back) { // what it was asked with is forgotten
		back = ""
	}
	return s.showPage(w, r, err, "feed_left", "Unsubscribed", feedLeftPage{shortened(titleOf(sub)), back, sub.Subscription,
		sub.Extras&digest.Repeat != 0, sub.Extras&digest.Reply != 0})
}
