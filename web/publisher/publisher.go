package publisher

import (
	"net/http"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

// The pages of a newsletter's owner and editors are under /newsletters/SLUG. Everybody else gets ErrNotFound.

// A publisher is the visit of an owner or editor to a page of a newsletter.
type publisher struct {
	*page.Visit
	Newsletter digest.Newsletter
	Role       digest.Role
}

// forPublisher admits the owner and the editors of the newsletter in the path.
func (s *Site) forPublisher(h func(publisher) error) page.Handler {
	return s.AsReader(func(v *page.Visit) error {
		n, err := s.Store.Newsletters.NewsletterBySlug(v.Context(), v.PathValue("slug"))
		if digest.KindOf(err) == digest.NotFound {
			return page.ErrNotFound
		}
		if err != nil {
			return err
		}
		role, err := s.Store.Newsletters.RoleOf(v.Context(), n.ID, v.ID)
		if err == nil && role == digest.RoleNone {
			err = page.ErrNotFound
		}
		if err != nil {
			return err
		}
		return h(publisher{v, n, role})
	})
}

// forOwner admits only the owner. Editors get ErrOwnerOnly.
func forOwner(h func(publisher) error) func(publisher) error {
	return func(me publisher) error {
		if !me.Owns() {
			return page.ErrOwnerOnly
		}
		return h(me)
	}
}

// show is Visit.Show for a page with this heading.
func (p publisher) show(err error, name string, heading catalogue.Key, page any) error {
	p.Title = heading
	return p.Visit.Show(err, name, Titled(heading, p.Newsletter.Name), page)
}

// saved is Visit.SeeSaved for a path below the newsletter's overview.
func (p publisher) saved(err error, path, word string) error {
	return p.Visit.SeeSaved(err, p.Path()+path, word)
}

// Titled returns the title of a page of a newsletter, such as "Members · Anna writes".
func Titled(page catalogue.Key, newsletter string) catalogue.Message {
	return catalogue.Key("%s · %s").With(page, newsletter)
}

// Name returns the name of the newsletter.
func (p publisher) Name() string { return p.Newsletter.Name }

// Path returns the address of the newsletter's overview. Its other pages are below it.
func (p publisher) Path() string { return "/newsletters/" + p.Newsletter.Slug }

// Public returns the address of the newsletter's public page.
func (p publisher) Public() string { return "/n/" + p.Newsletter.Slug }

// Owns reports whether the reader owns the newsletter.
func (p publisher) Owns() bool { return p.Role == digest.RoleOwner }

// Pending reports whether the newsletter waits for the operator's approval.
func (p publisher) Pending() bool { return p.Newsletter.State == digest.NewsletterPending }

// Held reports whether the newsletter is on hold, so that no issue is sent.
func (p publisher) Held() bool { return p.Newsletter.State == digest.NewsletterHeld }

// HeldBecause returns the reason of the hold.
func (p publisher) HeldBecause() catalogue.Sayable {
	return catalogue.HoldReason(p.Newsletter.HeldReason)
}

// Ended reports whether the newsletter has ended.
func (p publisher) Ended() bool { return p.Newsletter.State == digest.NewsletterEnded }

// Comes returns the days on which issues are sent: "every day", "on Sundays".
func (p publisher) Comes() catalogue.Message {
	return page.DaysView{Cadence: p.Newsletter.Cadence}.Words()
}

type publishedPage struct {
	Newsletters []Published
	Ask         bool // the reader may create one
}

// A Published is a newsletter in a list of newsletters.
type Published struct{ store.NewsletterInfo }

// Stands returns the state of the newsletter; for an active one, its days.
func (p Published) Stands() catalogue.Message {
	switch p.State {
	case digest.NewsletterPending:
		return catalogue.Key("waiting for the operator’s approval").With()
	case digest.NewsletterHeld:
		return catalogue.Key("on hold").With()
	case digest.NewsletterEnded:
		return catalogue.Key("ended").With()
	}
	return page.DaysView{Cadence: p.Cadence}.Words()
}

func (s *Site) publishedPage(v *page.Visit) error {
	all, err := s.Store.Newsletters.NewslettersOf(v.Ctx, v.ID)
	p := publishedPage{Ask: s.Publishing == page.PublishingAsk}
	for _, n := range all {
		p.Newsletters = append(p.Newsletters, Published{n})
	}
	return v.Show(err, "publisher/publisher_list", catalogue.Key("Newsletters"), p)
}

type publisherPage struct {
	publisher
	Members int
	Feeds   []store.SubscriptionInfo
	Letter  digest.NewsletterLetter // the next issue
	Waits   nextPosts               // posts for the next issue
	Waiting []digest.Date           // dates of issues that wait for approval
	Letters []digest.Edition        // the latest issues
	Fenced  bool                    // a fence stops polling and sending
	Offered bool                    // its owner offers it to this editor
}

func (s *Site) publisherPage(me publisher) error {
	p := publisherPage{publisher: me}
	n, ctx := me.Newsletter, me.Ctx
	var err error
	if _, p.Letter, err = s.Store.Newsletters.NextLetter(ctx, n); err != nil {
		return err
	}
	if p.Waits, err = s.gathered(me.Request, n); err != nil {
		return err
	}
	if p.Waiting, err = s.Store.Newsletters.LettersWaiting(ctx, n, me.Now); err != nil {
		return err
	}
	if p.Feeds, err = s.Store.Subscriptions.Subscriptions(ctx, n.ArchiveID); err != nil {
		return err
	}
	if p.Letters, err = s.Store.Newsletters.LettersLeft(me.Ctx, n, me.Now, lettersLatest); err != nil {
		return err
	}
	if p.Fenced, err = s.Fenced(ctx); err != nil {
		return err
	}
	people, err := s.Store.Newsletters.Publishers(ctx, n.ID)
	if err != nil {
		return err
	}
	p.Offered = offered(people, me.ID)
	p.Members, err = s.Store.Newsletters.CountMembers(ctx, n.ID)
	return me.Visit.Show(err, "publisher/publisher", n.Name, p)
}

const (
	lettersLatest = 5 // issues on the overview
	mostHeadlines = 3 // headlines of the next issue on the overview
)

type nextPosts struct {
	Titles []string
	More   int // number of further posts
}

// gathered returns the posts that wait for a newsletter's next issue.
func (s *Site) gathered(r *http.Request, n digest.Newsletter) (p nextPosts, err error) {
	refs, err := s.Store.Editions.WaitingPosts(r.Context(), n.ArchiveID)
	if err != nil {
		return p, err
	}
	p.More = max(0, len(refs)-mostHeadlines)
	posts, err := s.Rehearsed(r, refs[:len(refs)-p.More])
	for _, post := range posts {
		p.Titles = append(p.Titles, page.Shortened(post.Title))
	}
	return p, err
}

// Approval returns how long an issue waits for approval: "2 hours after their usual time".
func (p publisher) Approval() catalogue.Message {
	wait := p.Newsletter.ApproveWithin
	if wait%time.Hour != 0 {
		return catalogue.Key("%d minutes after their usual time").With(int(wait / time.Minute))
	}
	return catalogue.Key("%d hours after their usual time").With(int(wait / time.Hour))
}
