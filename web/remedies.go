package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

// A remediesPage is the page behind the link in a notice about a failing feed, and the result of its forms. It needs
// no sign-in. It can do what the feed's own page can, except for the fields that need typing.
type remediesPage struct {
	page.NamedPage
	Title   any    // title of the feed as text, or catalogue.Sayable
	Path    string // of this page, with the token of the link
	Feed    string // path of the feed's own page; "": the reader is not subscribed
	Illness *illness
	Host    string // where lookAgain searches for the feed
	Joined  string // host of the feed that replaced it; "": none
	Paused  bool
	Until   catalogue.Sayable // the day on which the pause ends; nil: no end

	Done  string // the action of the last request: paused, resumed, left, again, replaced
	Again bool   // the reader unsubscribed and can subscribe again

	Private bool // unsubscribing would delete its credential, so a link cannot do it

	Wrong  catalogue.Sayable // why no feed was found
	Looked bool
	Found  []foundFeed

	of        digest.Digest
	sub       store.SubscriptionInfo
	emailDate digest.Date // date of the edition whose email has the link; zero: unknown
}

// MailedTo returns the reader who got the email with the link.
func (p remediesPage) MailedTo() digest.UserID { return p.of.UserID }

// remediesPage shows buttons and changes nothing, because link scanners open every link in an email. It redirects
// readers who are signed in to the feed's own page.
func (s *site) remediesPage(w http.ResponseWriter, r *http.Request) error {
	p, err := s.remediesOf(r)
	if err == page.ErrOldLink {
		return s.orOwn(w, r, p.of, p.Feed)
	}
	if err == nil && p.Feed != "" {
		if u, err := s.SignedIn(r); err != nil || u.ID == p.of.UserID {
			if err != nil {
				return err
			}
			return page.SeeOther(w, r, p.Feed+"#remedies")
		}
	}
	return s.showRemedies(w, r, p, err)
}

func (s *site) showRemedies(w http.ResponseWriter, r *http.Request, p remediesPage, err error) error {
	return s.ShowPage(w, r, err, "remedies", p.Title, p)
}

func (s *site) remediesOf(r *http.Request) (p remediesPage, err error) {
	return s.feedByLink(r, digest.ForRemedies, "/remedies/")
}

// feedByLink returns the page of the feed that a link names, whose path is the token below root. If the reader has
// turned off old links, it returns ErrOldLink and a page with the digest and the path of the feed.
func (s *site) feedByLink(r *http.Request, purpose digest.Purpose, root string) (p remediesPage, err error) {
	number, feed, ok := s.Signer.VerifyPair(purpose, r.PathValue("token"))
	if !ok {
		return p, page.ErrNotFound
	}
	id, round := digest.OfRound(number)
	p.Path, p.Feed = root+r.PathValue("token"), feedPath(digest.FeedID(feed))
	if p.of, err = s.Store.Readers.Digest(r.Context(), digest.DigestID(id)); err != nil {
		return p, err
	}
	p.NamedPage = page.Named(p.of)
	if p.of.NewsletterID != 0 {
		return p, page.ErrNotFound // its publisher chooses the feeds
	}
	if p.of.LinkRound != round {
		return p, page.ErrOldLink
	}
	p.sub, err = s.Store.Subscriptions.SubscriptionSince(r.Context(), p.of.ID, digest.FeedID(feed))
	if digest.KindOf(err) == digest.NotFound {
		return p, s.describeLeft(r, &p, digest.FeedID(feed))
	}
	p.Title, p.Paused, p.Feed = page.Shortened(titleOf(p.sub)), p.sub.Paused, feedPath(p.sub.Feed.ID)
	p.Until = backOn(p.sub.PausedUntil, p.of.TimeZone)
	p.Illness, p.Host = s.illnessOf(p.of, p.sub.Feed), digest.HostShown(homeOf(p.sub.Feed))
	p.Private = digest.IsPrivate(p.sub.Feed.URL)
	if p.sub.Feed.ID != digest.FeedID(feed) {
		p.Joined = digest.HostShown(p.sub.Feed.URL)
	}
	return p, err
}

// remedy returns a handler for a form behind the link. act also runs if the reader is not subscribed any more.
func (s *site) remedy(act func(*http.Request, *remediesPage) error) page.Handler {
	return byLink(func(w http.ResponseWriter, r *http.Request) error {
		p, err := s.remediesOf(r)
		if err == nil {
			err = act(r, &p)
		}
		return s.showRemedies(w, r, p, err)
	})
}

// change runs a change of the subscription, as changeByLink does. added is the feed to which the form subscribed the
// reader just before; 0: none.
func (s *site) change(r *http.Request, p *remediesPage, added digest.FeedID, change func(*store.Store) error) error {
	return s.changeByLink(r, p.of.UserID, store.LinkUse{DigestID: p.of.ID, EmailDate: p.emailDate, Added: added},
		change)
}

// lookAgain searches the site for the feed and offers the feeds that it finds.
func (s *site) lookAgain(r *http.Request, p *remediesPage) error {
	if p.Feed == "" {
		return nil
	}
	if err := s.mayFind(r, p.reader(), 1); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), page.FindTime)
	defer cancel()
	found, err := s.Subscriber.Candidates(ctx, p.of.ID, homeOf(p.sub.Feed))
	if p.Wrong = wrongOf(page.AsSlow(ctx, err)); err != nil && p.Wrong == nil {
		return err
	}
	p.Looked = true
	var list feedsFindPage
	if err := s.fill(&list, r, p.reader(), found); err != nil {
		return err
	}
	p.Found = slices.DeleteFunc(list.Candidates, func(c foundFeed) bool { return c.Mine != 0 })
	for i := range p.Found {
		p.Found[i].Alone = true
		p.Found[i].Value = s.offer(r, url.Values{"feed": {p.Found[i].URL}})
	}
	return nil
}

// reader returns the reader of the link with the fields that the limits need.
func (p *remediesPage) reader() page.Reader {
	return page.Reader{User: digest.User{ID: p.of.UserID}, Digest: p.of}
}

// offer signs a form value, so that the link cannot subscribe the reader to other feeds.
func (s *site) offer(r *http.Request, of url.Values) string {
	text := of.Encode()
	return s.Signer.SignText(digest.ForRemedies, r.PathValue("token")+" "+text) + " " + text
}

// readOffer returns the value that offer signed, and ErrBadForm for any other.
func (s *site) readOffer(r *http.Request) (url.Values, error) {
	mac, text, _ := strings.Cut(r.PostForm.Get("feed"), " ")
	if !s.Signer.VerifyText(digest.ForRemedies, r.PathValue("token")+" "+text, mac) {
		return nil, page.ErrBadForm
	}
	of, err := url.ParseQuery(text)
	if err != nil {
		return nil, page.ErrBadForm
	}
	return of, nil
}

// subscribeOffered subscribes the reader to an offered feed, in place of the failing one.
func (s *site) subscribeOffered(r *http.Request, p *remediesPage) error {
	if p.Feed == "" {
		return nil
	}
	if p.Private {
		return page.ErrBadForm
	}
	of, err := s.readOffer(r)
	if err != nil {
		return err
	}
	if err := s.mayFind(r, p.reader(), 1); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), page.FindTime)
	defer cancel()
	f, created, err := s.Subscriber.Subscribe(ctx, digest.Subscription{DigestID: p.of.ID}, of.Get("feed"))
	if p.Wrong = wrongOf(page.AsSlow(ctx, err)); err != nil {
		return p.unlessWrong(err)
	}
	if p.Done = "again"; f.ID != p.sub.Feed.ID {
		p.Done = "replaced"
		var added digest.FeedID
		if created {
			added = f.ID
		}
		err = s.change(r, p, added,
			func(st *store.Store) error {
				return st.Subscriptions.ReplaceSubscription(r.Context(), p.of.ID,
					p.sub.Feed.ID, f.ID)
			})
	}
	if err != nil {
		return err
	}
	return s.speakOf(r, p, f.ID)
}

// speakOf makes the page describe a feed to which the reader has just subscribed.
func (s *site) speakOf(r *http.Request, p *remediesPage, feed digest.FeedID) (err error) {
	p.sub, err = s.Store.Subscriptions.SubscriptionSince(r.Context(), p.of.ID, feed)
	p.Title, p.Feed, p.Illness, p.Again = page.Shortened(titleOf(p.sub)), feedPath(p.sub.Feed.ID), nil, false
	p.Paused, p.Until = p.sub.Paused, backOn(p.sub.PausedUntil, p.of.TimeZone)
	return err
}

// unlessWrong returns err, or nil if the page already shows it.
func (p *remediesPage) unlessWrong(err error) error {
	if p.Wrong != nil {
		return nil
	}
	return err
}

func (s *site) pauseFailing(r *http.Request, p *remediesPage) error {
	if p.Feed == "" {
		return nil
	}
	p.Paused, p.Done = true, "paused"
	return s.change(r, p, 0,
		func(st *store.Store) error {
			return st.Subscriptions.PauseSubscription(r.Context(), p.of.ID, p.sub.Feed.ID)
		})
}

// resumeFailing undoes pauseFailing.
func (s *site) resumeFailing(r *http.Request, p *remediesPage) error {
	if p.Feed == "" {
		return nil
	}
	p.Paused, p.Done = false, "resumed"
	return s.change(r, p, 0, func(st *store.Store) error {
		return st.Subscriptions.ResumeSubscription(r.Context(), p.of.ID, p.sub.Feed.ID, s.Now())
	})
}

// leaveFailing unsubscribes the reader from the failing feed. It refuses a private feed, because undoing could not
// restore its credential.
func (s *site) leaveFailing(r *http.Request, p *remediesPage) error {
	if p.Feed == "" {
		return nil
	}
	if p.Private {
		return page.ErrBadForm
	}
	p.Done, p.Feed, p.Illness, p.Again = "left", "", nil, true
	return s.change(r, p, 0, func(st *store.Store) error {
		return st.Subscriptions.Unsubscribe(r.Context(), p.of.ID,
			p.sub.Feed.ID)
	})
}

// returnFailing undoes leaveFailing, also when the reader opens the link again later.
func (s *site) returnFailing(r *http.Request, p *remediesPage) error {
	if !p.Again {
		return nil
	}
	if err := s.change(r, p, 0, func(st *store.Store) error {
		_, err := bringBack(r, st, p.of.ID, []digest.FeedID{p.sub.Feed.ID}, s.Now())
		return err
	}); err != nil {
		return err
	}
	p.Done = "again"
	return s.speakOf(r, p, p.sub.Feed.ID)
}

// describeLeft describes a feed from which the reader has unsubscribed, and whether they can subscribe again.
func (s *site) describeLeft(r *http.Request, p *remediesPage, feed digest.FeedID) (err error) {
	p.Title, p.Feed = catalogue.Key("Unfollowed"), ""
	p.sub, err = s.Store.Subscriptions.FormerSubscription(r.Context(), p.of.ID, feed)
	if digest.KindOf(err) == digest.NotFound {
		return nil
	}
	p.Title, p.Again = page.Shortened(titleOf(p.sub)), true
	return err
}
