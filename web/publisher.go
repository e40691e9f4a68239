package web

import (
	"net/http"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

// The pages of who publishes a newsletter, under /newsletters/SLUG. Whoever is neither its
// owner nor an editor is told that there is nothing there.

// A publisher is who is signed in, with a newsletter that they may do something with.
type publisher struct {
	reader
	Newsletter digest.Newsletter
	Role       digest.Role
}

// A publisherHandler answers a route of a newsletter that only its publishers have.
type publisherHandler func(http.ResponseWriter, *http.Request, publisher) error

// forPublisher lets the owner and the editors of the newsletter in that the path names.
func (s *site) forPublisher(h publisherHandler) handler {
	return s.forReader(func(w http.ResponseWriter, r *http.Request, me reader) error {
		n, err := s.Store.NewsletterBySlug(r.Context(), r.PathValue("slug"))
		if digest.KindOf(err) == digest.NotFound {
			return errNotFound
		}
		if err != nil {
			return err
		}
		role, err := s.Store.RoleOf(r.Context(), n.ID, me.ID)
		if err == nil && role == digest.RoleNone {
			err = errNotFound
		}
		if err != nil {
			return err
		}
		return h(w, r, publisher{me, n, role})
	})
}

// forOwner lets the owner in; an editor is told who may.
func (s *site) forOwner(h publisherHandler) handler {
	return s.forPublisher(func(w http.ResponseWriter, r *http.Request, p publisher) error {
		if p.Role != digest.RoleOwner {
			return errOwnerOnly
		}
		return h(w, r, p)
	})
}

// A publisherFrame is what all pages of a publisher have.
type publisherFrame struct {
	publisher
	BaseURL string
	Saved   string // one of the page's words: what was changed just now
	Wrong   any    // why nothing was changed, catalogue.Sayable or a text; nil or "": nothing is wrong

	OwnAddresses   bool // its letters can come from an address of its publisher's
	RepliesCounted bool // answers to its letters can be, and are so if it wants
}

func (s *site) publisherFrame(r *http.Request, p publisher, words ...string) publisherFrame {
	return publisherFrame{publisher: p, BaseURL: s.BaseURL, Saved: savedOf(r, words...), OwnAddresses: s.Domains != nil,
		RepliesCounted: s.CountsReplies}
}

// titled returns the title of a page of a newsletter, such as "Members · Anna writes".
func titled(page catalogue.Key, newsletter string) catalogue.Message {
	return catalogue.Key("%s · %s").With(page, newsletter)
}

// Name is the newsletter's.
func (f publisherFrame) Name() string { return f.Newsletter.Name }

// Path is the address of the newsletter's overview; its other pages are below it.
func (p publisher) Path() string { return "/newsletters/" + p.Newsletter.Slug }

// Public is the address of the page that everybody sees.
func (p publisher) Public() string { return "/n/" + p.Newsletter.Slug }

// Owns reports whether the reader owns the newsletter.
func (p publisher) Owns() bool { return p.Role == digest.RoleOwner }

// Pending reports whether the operator has not approved it yet.
func (p publisher) Pending() bool { return p.Newsletter.State == digest.NewsletterPending }

// Held reports whether nothing of it leaves.
func (p publisher) Held() bool { return p.Newsletter.State == digest.NewsletterHeld }

// HeldBecause says why.
func (p publisher) HeldBecause() catalogue.Sayable {
	return catalogue.HoldReason(p.Newsletter.HeldReason)
}

// Ended reports whether it has ended.
func (p publisher) Ended() bool { return p.Newsletter.State == digest.NewsletterEnded }

// Comes says when its letters come: "every day", "on Sundays".
func (p publisher) Comes() catalogue.Message { return daysView{p.Newsletter.Cadence}.Words() }

// A publishedPage is the newsletters that a reader publishes.
type publishedPage struct {
	Newsletters []published
	Ask         bool // they may begin one
}

// A published is a newsletter in that list.
type published struct{ store.NewsletterInfo }

// Stands says how it stands.
func (p published) Stands() catalogue.Message {
	switch p.State {
	case digest.NewsletterPending:
		return catalogue.Key("waiting for the operator’s approval").With()
	case digest.NewsletterHeld:
		return catalogue.Key("on hold").With()
	case digest.NewsletterEnded:
		return catalogue.Key("ended").With()
	}
	return daysView{p.Cadence}.Words()
}

// publishedPage lists what a reader publishes.
func (s *site) publishedPage(w http.ResponseWriter, r *http.Request, me reader) error {
	all, err := s.Store.NewslettersOf(r.Context(), me.ID)
	p := publishedPage{Ask: s.Publishing == PublishingAsk}
	for _, n := range all {
		p.Newsletters = append(p.Newsletters, published{n})
	}
	return s.showPage(w, r, err, "publisher_list", catalogue.Key("Newsletters"), p)
}

// A publisherPage is the overview of a newsletter.
type publisherPage struct {
	publisherFrame
	Members int
	Feeds   []store.SubscriptionInfo
	Letter  digest.NewsletterLetter // the next one
	Waits   nextPosts               // what has gathered for it
	Waiting []digest.Date           // of letters that wait for approval
	Letters []digest.Edition        // the latest
	Fenced  bool                    // whoever runs this has paused all of it
	Offered bool                    // to whoever looks, by its owner

	Programs int // that are told of its letters at the hub
}

// publisherPage shows how a newsletter stands.
func (s *site) publisherPage(w http.ResponseWriter, r *http.Request, me publisher) error {
	p := publisherPage{publisherFrame: s.publisherFrame(r, me, "approved", "released", "held", "ended")}
	n, ctx := me.Newsletter, r.Context()
	var err error
	if _, p.Letter, err = s.Store.NextLetter(ctx, n); err != nil {
		return err
	}
	if p.Waits, err = s.gathered(r, n); err != nil {
		return err
	}
	if p.Waiting, err = s.Store.LettersWaiting(ctx, n, s.Now()); err != nil {
		return err
	}
	if p.Feeds, err = s.Store.Subscriptions(ctx, n.ArchiveID); err != nil {
		return err
	}
	if p.Letters, err = s.Store.LettersLeft(r.Context(), n, s.Now(), lettersLatest); err != nil {
		return err
	}
	if p.Fenced, err = s.fenced(ctx); err != nil {
		return err
	}
	people, err := s.Store.Publishers(ctx, n.ID)
	if err != nil {
		return err
	}
	p.Offered = offered(people, me.ID)
	if p.Programs, err = s.Store.HubSubscriptions(ctx, n.ID, s.Now()); err != nil {
		return err
	}
	p.Members, err = s.Store.CountMembers(ctx, n.ID)
	return s.showPage(w, r, err, "publisher", n.Name, p)
}

const (
	lettersLatest = 5 // on the overview
	mostHeadlines = 3 // of posts that have gathered, there
)

// nextPosts is what has gathered for the next letter.
type nextPosts struct {
	Titles []string
	More   int // posts beyond those
}

// gathered reads what has gathered for a newsletter's next letter.
func (s *site) gathered(r *http.Request, n digest.Newsletter) (p nextPosts, err error) {
	refs, err := s.Store.WaitingPosts(r.Context(), n.ArchiveID)
	if err != nil {
		return p, err
	}
	p.More = max(0, len(refs)-mostHeadlines)
	posts, err := s.rehearsed(r, refs[:len(refs)-p.More])
	for _, post := range posts {
		p.Titles = append(p.Titles, shortened(post.Title))
	}
	return p, err
}

// Approval says how long a letter waits for approval: "2 hours after its member’s hour".
func (p publisher) Approval() catalogue.Message {
	wait := p.Newsletter.ApproveWithin
	if wait%time.Hour != 0 {
		return catalogue.Key("%d minutes after their usual time").With(int(wait / time.Minute))
	}
	return catalogue.Key("%d hours after their usual time").With(int(wait / time.Hour))
}
