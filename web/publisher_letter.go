package web

import (
	"net/http"
	"slices"

	"digest"
	"digest/internal/catalogue"
)

// A publisherLetterPage is the page of one date's issue. A future issue can be changed; a created one is shown as its
// email looks.
type publisherLetterPage struct {
	publisherFrame
	Letter  digest.NewsletterLetter // as stored, or as typed
	Open    bool                    // it is in the future and can be changed
	Made    bool
	Waiting bool            // it was created, at least for some members, and waits for approval
	Left    bool            // everybody can see it
	Posts   []rehearsedPost // posts of a created issue that was not sent
	Frame   letterFrame
}

func (p publisher) letterPath(date digest.Date) string { return p.Path() + "/letters/" + date.String() }

// publisherLetter returns the issue of the date in the path. It returns errNotFound for a date that has begun without
// an issue.
func (s *site) publisherLetter(r *http.Request, me publisher) (p publisherLetterPage, e digest.Edition, err error) {
	date, err := digest.ParseDate(r.PathValue("date"))
	if err != nil {
		return p, e, errNotFound
	}
	ctx, n := r.Context(), me.Newsletter
	p = publisherLetterPage{publisherFrame: s.publisherFrame(r, me, "letter")}
	if p.Letter, err = s.Store.NewsletterLetter(ctx, n.ID, date); err != nil {
		return p, e, err
	}
	waiting, err := s.Store.LettersWaiting(ctx, n, s.Now())
	if err != nil {
		return p, e, err
	}
	p.Waiting = slices.Contains(waiting, date)
	e, err = s.Store.EditionOn(ctx, n.ArchiveID, date, s.Now())
	if digest.KindOf(err) == digest.NotFound {
		archive, err := s.Store.Digest(ctx, n.ArchiveID)
		first := s.firstOpen(archive)
		p.Open = !date.Before(first) && !first.Plus(daysDecided).Before(date) && !me.Ended()
		if err == nil && !p.Open && !p.Waiting {
			err = errNotFound
		}
		return p, e, err
	}
	p.Made, p.Left = err == nil, err == nil && !e.SendAt.After(s.Now())
	return p, e, err
}

// approveLetter approves the issue of a date, whether it waits already or is still to be created.
func (s *site) approveLetter(w http.ResponseWriter, r *http.Request, me publisher) error {
	p, _, err := s.publisherLetter(r, me)
	if err == nil {
		_, err = s.Store.ApproveNewsletterLetter(r.Context(), me.Newsletter.ID, p.Letter.LocalDate, s.Now())
	}
	return showSaved(w, r, err, me.Path(), "approved")
}

func (s *site) publisherLetterPage(w http.ResponseWriter, r *http.Request, me publisher) error {
	p, e, err := s.publisherLetter(r, me)
	if err != nil {
		return err
	}
	if p.Made && !p.Left {
		refs, err := s.Store.EditionPosts(r.Context(), []digest.Delivery{{Edition: e}})
		if err != nil {
			return err
		}
		if p.Posts, err = s.rehearsed(r, refs[e.ID]); err != nil {
			return err
		}
	}
	return s.showPublisherLetter(w, r, http.StatusOK, p)
}

func (s *site) showPublisherLetter(w http.ResponseWriter, r *http.Request, status int, p publisherLetterPage) error {
	if p.Made {
		path := p.letterPath(p.Letter.LocalDate)
		p.Frame = letterFrame{Page: path, Shown: path + "/preview", View: viewOf(r, p.Newsletter)}
		allowFrame(w)
	}
	return s.show(w, r, status, "publisher_letter", catalogue.Day("2 January 2006", p.Letter.LocalDate), p)
}

// letterShown serves the HTML or text of a created issue, for the frame on its page.
func (s *site) letterShown(w http.ResponseWriter, r *http.Request, me publisher) error {
	p, e, err := s.publisherLetter(r, me)
	if err == nil && !p.Made {
		err = errNotFound
	}
	if err != nil {
		return err
	}
	d, err := s.Store.LetterDelivery(r.Context(), me.Newsletter, e)
	if err != nil {
		return err
	}
	d.Look, d.Email = me.Newsletter.Look, me.Email
	view := viewOf(r, me.Newsletter)
	m, err := s.Editions.Made(r.Context(), d, digest.Layout(view.Layout))
	if err != nil {
		return err
	}
	return showLetter(w, view, m)
}

// setLetter changes the subject and the note of a future issue, or skips it.
func (s *site) setLetter(w http.ResponseWriter, r *http.Request, me publisher) error {
	p, _, err := s.publisherLetter(r, me)
	if err != nil {
		return err
	}
	if !p.Open {
		p.Wrong = catalogue.Key("This issue was already created.")
		return s.showPublisherLetter(w, r, http.StatusConflict, p)
	}
	if err := hasAny(r.PostForm, "subject", "note", "skip"); err != nil {
		return err
	}
	p.Letter = typedLetter(r, p.Letter)
	wrong, err := asSaid(s.Store.SetNewsletterLetter(r.Context(), p.Letter))
	if wrong != nil {
		p.Wrong = wrong
		return s.showPublisherLetter(w, r, http.StatusUnprocessableEntity, p)
	}
	return showSaved(w, r, err, me.letterPath(p.Letter.LocalDate), "letter")
}
