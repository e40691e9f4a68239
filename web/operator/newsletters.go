package operator

import (
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/newsletter"
	"digest/store"
	"digest/web/page"
	"digest/web/publisher"
)

// An newslettersPage lists all newsletters, first the ones that wait for approval.
type newslettersPage struct {
	*page.Visit
	Ask     bool // readers may request a newsletter
	Pending []operatedNewsletter
	Others  []operatedNewsletter
}

// An operatedNewsletter is a newsletter with its email counts.
type operatedNewsletter struct {
	store.NewsletterInfo
	Counts newsletter.LetterCounts  // of the last digest.CountedDays
	Feeds  []store.SubscriptionInfo // if it waits for approval
}

func (n operatedNewsletter) HeldBecause() catalogue.Sayable {
	return catalogue.HoldReason(n.HeldReason)
}

func (n operatedNewsletter) Stands() catalogue.Message {
	return publisher.Published{NewsletterInfo: n.NewsletterInfo}.Stands()
}

func (n operatedNewsletter) Sentence() catalogue.Sayable {
	return catalogue.Key("last 30 days: emails %d, complaints %d, bounces %d").With(n.Counts.Sent, n.Counts.Complained,
		n.Counts.Bounced)
}

func (s *site) newslettersPage(v *page.Visit) error {
	all, err := s.Store.Newsletters.Newsletters(v.Ctx)
	if err != nil {
		return err
	}
	counts, err := s.Store.Newsletters.LetterCounts(v.Ctx, digest.DateOf(v.Now.UTC()).Plus(1-newsletter.CountedDays))
	if err != nil {
		return err
	}
	p := newslettersPage{Visit: v, Ask: s.Publishing == page.PublishingAsk}
	for _, n := range all {
		o := operatedNewsletter{n, counts[n.ID], nil}
		if n.State == digest.NewsletterPending || n.NamesWait() {
			if o.Feeds, err = s.Store.Subscriptions.Subscriptions(v.Ctx, n.ArchiveID); err != nil {
				return err
			}
			p.Pending = append(p.Pending, o)
		}
		if n.State != digest.NewsletterPending {
			p.Others = append(p.Others, o)
		}
	}
	return v.Show(nil, "operator/newsletters", catalogue.Key("Newsletters"), p)
}

// operates returns a handler for an operator's change of the newsletter in the path. If do returns
// no saved word, it shows the form again and requests a reason.
func (s *site) operates(do func(r *http.Request, n digest.Newsletter, owner store.Publisher) (saved string,
	err error)) page.Handler {
	return s.AsOperator(func(v *page.Visit) error {
		n, err := s.Store.Newsletters.NewsletterBySlug(v.Ctx, v.PathValue("slug"))
		if err != nil {
			return err
		}
		who, err := s.Store.Newsletters.Publishers(v.Ctx, n.ID) // the owner is first
		if err != nil {
			return err
		}
		var owner store.Publisher
		if len(who) > 0 {
			owner = who[0]
		}
		saved, err := do(v.Request, n, owner)
		if err == nil && saved == "" {
			v.Wrong = catalogue.Key("Enter a reason. The publishers see it.")
			return s.newslettersPage(v)
		}
		return v.SeeSaved(err, "/operator/newsletters", saved)
	})
}

// namesOf returns n with the waiting names from the form. It returns false if the form is not about
// names.
func namesOf(r *http.Request, n digest.Newsletter) (digest.Newsletter, bool) {
	if !r.PostForm.Has("names") {
		return n, false
	}
	n.WantedName, n.WantedFromName = r.PostForm.Get("names"), r.PostForm.Get("from")
	return n, true
}

func (s *site) approveNewsletter(r *http.Request, n digest.Newsletter, owner store.Publisher) (string, error) {
	if seen, ok := namesOf(r, n); ok {
		err := s.Store.Newsletters.DecideNames(r.Context(), seen, true)
		if err == nil {
			s.MailPlainly(owner.Email, NamesApprovedLetter(catalogue.Of(owner.Language), s.BaseURL, seen.Wanted()))
		}
		return "approved-name", err
	}
	if n.State != digest.NewsletterPending {
		return "", page.ErrBadForm
	}
	err := s.Store.Newsletters.ChangeNewsletterState(r.Context(), n, digest.NewsletterActive, "", s.Now())
	if err == nil {
		s.MailPlainly(owner.Email, ApprovedLetter(catalogue.Of(owner.Language), s.BaseURL, n))
	}
	return "approved", err
}

// refuseNewsletter rejects a waiting newsletter or waiting names, and sends the reason to the
// owner.
func (s *site) refuseNewsletter(r *http.Request, n digest.Newsletter, owner store.Publisher) (string, error) {
	reason := digest.Shortened(digest.OneLine(r.PostForm.Get("reason")), MostReason)
	seen, names := namesOf(r, n)
	switch {
	case n.State != digest.NewsletterPending && !names:
		return "", page.ErrBadForm
	case reason == "":
		return "", nil
	case names:
		err := s.Store.Newsletters.DecideNames(r.Context(), seen, false)
		if err == nil {
			s.MailPlainly(owner.Email, NamesRefusedLetter(catalogue.Of(owner.Language), s.BaseURL, n, reason))
		}
		return "refused-name", err
	}
	err := s.Store.Newsletters.RefuseNewsletter(r.Context(), n.ID)
	if err == nil {
		s.MailPlainly(owner.Email, RefusedLetter(catalogue.Of(owner.Language), s.BaseURL, n, reason))
	}
	return "refused", err
}

// MostReason is the maximum length in characters of a reason that the operator sends to a
// publisher.
const MostReason = 300

func (s *site) holdFor(r *http.Request, n digest.Newsletter, _ store.Publisher) (string, error) {
	reason := digest.Shortened(digest.OneLine(r.PostForm.Get("reason")), MostReason)
	switch {
	case n.State != digest.NewsletterActive:
		return "", page.ErrBadForm
	case reason == "" || reason == digest.HeldByPublisher:
		return "", nil
	}
	return "held", s.Store.Newsletters.ChangeNewsletterState(r.Context(), n, digest.NewsletterHeld, reason, s.Now())
}

func (s *site) releaseFor(r *http.Request, n digest.Newsletter, _ store.Publisher) (string, error) {
	if n.State != digest.NewsletterHeld {
		return "", page.ErrBadForm
	}
	return "released", s.Store.Newsletters.ChangeNewsletterState(r.Context(), n, digest.NewsletterActive, "", s.Now())
}
