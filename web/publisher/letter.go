package publisher

import (
	"net/http"
	"slices"

	"digest"
	"digest/internal/catalogue"
	"digest/web/page"
)

// A letterPage is the page of one date's issue. A future issue can be changed; a created one is shown as its
// email looks.
type letterPage struct {
	publisher
	Letter  digest.NewsletterLetter // as stored, or as typed
	Open    bool                    // it is in the future and can be changed
	Made    bool
	Waiting bool            // it was created, at least for some members, and waits for approval
	Left    bool            // everybody can see it
	Posts   []rehearsedPost // posts of a created issue that was not sent
	Frame   letterFrame
}

func (p publisher) letterPath(date digest.Date) string { return p.Path() + "/letters/" + date.String() }

// letter returns the issue of the date in the path. It returns ErrNotFound for a date that has begun without
// an issue.
func (s *Site) letter(me publisher) (p letterPage, e digest.Edition, err error) {
	date, err := digest.ParseDate(me.PathValue("date"))
	if err != nil {
		return p, e, page.ErrNotFound
	}
	ctx, n := me.Ctx, me.Newsletter
	p = letterPage{publisher: me}
	if p.Letter, err = s.Store.Newsletters.NewsletterLetter(ctx, n.ID, date); err != nil {
		return p, e, err
	}
	waiting, err := s.Store.Newsletters.LettersWaiting(ctx, n, me.Now)
	if err != nil {
		return p, e, err
	}
	p.Waiting = slices.Contains(waiting, date)
	e, err = s.Store.Editions.EditionOn(ctx, n.ArchiveID, date, me.Now)
	if digest.KindOf(err) == digest.NotFound {
		archive, err := s.Store.Readers.Digest(ctx, n.ArchiveID)
		first := s.firstOpen(archive)
		p.Open = !date.Before(first) && !first.Plus(daysDecided).Before(date) && !me.Ended()
		if err == nil && !p.Open && !p.Waiting {
			err = page.ErrNotFound
		}
		return p, e, err
	}
	p.Made, p.Left = err == nil, err == nil && !e.SendAt.After(me.Now)
	return p, e, err
}

// approveLetter approves the issue of a date, whether it waits already or is still to be created.
func (s *Site) approveLetter(me publisher) error {
	p, _, err := s.letter(me)
	if err == nil {
		_, err = s.Store.Newsletters.ApproveNewsletterLetter(me.Ctx, me.Newsletter.ID, p.Letter.LocalDate, me.Now)
	}
	return me.saved(err, "", "approved")
}

func (s *Site) letterPage(me publisher) error {
	p, e, err := s.letter(me)
	if err != nil {
		return err
	}
	if p.Made && !p.Left {
		refs, err := s.Store.Editions.EditionPosts(me.Ctx, []digest.Delivery{{Edition: e}})
		if err != nil {
			return err
		}
		if p.Posts, err = s.Rehearsed(me.Request, refs[e.ID]); err != nil {
			return err
		}
	}
	return s.showPublisherLetter(p)
}

func (s *Site) showPublisherLetter(p letterPage) error {
	if p.Made {
		path := p.letterPath(p.Letter.LocalDate)
		p.Frame = letterFrame{Page: path, Shown: path + "/preview", View: viewOf(p.Request, p.Newsletter)}
		allowFrame(p.W)
	}
	return p.Visit.Show(nil, "publisher/letter", catalogue.Day("2 January 2006", p.Letter.LocalDate), p)
}

// letterShown serves the HTML or text of a created issue, for the frame on its page.
func (s *Site) letterShown(me publisher) error {
	p, e, err := s.letter(me)
	if err == nil && !p.Made {
		err = page.ErrNotFound
	}
	if err != nil {
		return err
	}
	d, err := s.Store.Newsletters.LetterDelivery(me.Ctx, me.Newsletter, e)
	if err != nil {
		return err
	}
	d.Look, d.Email = me.Newsletter.Look, me.Email
	view := viewOf(me.Request, me.Newsletter)
	m, err := s.Editions.Made(me.Ctx, d, digest.Layout(view.Layout))
	if err != nil {
		return err
	}
	return showLetter(me.W, view, m)
}

// setLetter changes the subject and the note of a future issue, or skips it.
func (s *Site) setLetter(me publisher) error {
	p, _, err := s.letter(me)
	if err != nil {
		return err
	}
	if !p.Open {
		me.Wrong, me.Status = catalogue.Key("This issue was already created."), http.StatusConflict
		return s.showPublisherLetter(p)
	}
	if err := page.HasAny(me.PostForm, "subject", "note", "skip"); err != nil {
		return err
	}
	p.Letter = typedLetter(me.Request, p.Letter)
	err = s.Store.Newsletters.SetNewsletterLetter(me.Ctx, p.Letter)
	if me.Refused(err, "") {
		return s.showPublisherLetter(p)
	}
	return me.saved(err, "/letters/"+p.Letter.LocalDate.String(), "letter")
}
