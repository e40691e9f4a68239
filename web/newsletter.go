package web

import (
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/web/page"
	"digest/web/publisher"
)

// The public pages of a newsletter: its home page /n/SLUG with the form to join, and its issues,
// which are the editions of its archive. An issue is public after it was sent, not while it waits
// for approval.

type newsletterPage struct {
	page.NewsletterName
	page.Newcomer
	Letters []digest.Edition // newest first
	Older   bool             // there are older issues
	Asked   bool             // a confirmation email is on its way
}

const (
	lettersShown  = 12  // on the home page
	lettersListed = 400 // in the archive
)

// newsletterOf returns the newsletter in the request's path. It returns ErrNotFound for a
// newsletter that is not approved yet.
func (s *site) newsletterOf(r *http.Request) (page.NewsletterName, error) {
	n, err := s.Store.Newsletters.NewsletterBySlug(r.Context(), r.PathValue("slug"))
	if digest.KindOf(err) == digest.NotFound || err == nil && n.State == digest.NewsletterPending {
		return page.NewsletterName{}, page.ErrNotFound
	}
	return page.NewsletterName{Newsletter: n, BaseURL: s.BaseURL}, err
}

func (s *site) newsletterPage(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	p := newsletterPage{NewsletterName: n, Asked: r.URL.Query().Get("asked") == "1"}
	return s.showNewsletter(w, r, http.StatusOK, p)
}

func (s *site) showNewsletter(w http.ResponseWriter, r *http.Request, status int, p newsletterPage) error {
	letters, err := s.Store.Newsletters.LettersLeft(r.Context(), p.Newsletter, s.Now(), lettersShown+1)
	if err != nil {
		return err
	}
	p.Older, p.Letters = len(letters) > lettersShown, letters[:min(len(letters), lettersShown)]
	p.Action, p.TokenField = p.Path()+"/join", "return"
	return s.Show(w, r, status, "newsletter", p.Name, p)
}

type newsletterArchivePage struct {
	page.NewsletterName
	Months []page.Month
}

func (s *site) newsletterArchivePage(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	letters, err := s.Store.Newsletters.LettersLeft(r.Context(), n.Newsletter, s.Now(), lettersListed)
	p := newsletterArchivePage{n, page.ByMonth(letters)}
	return s.ShowPage(w, r, err, "newsletter_archive", publisher.Titled(catalogue.Key("All issues"), n.Name), p)
}

func (s *site) newsletterLetterPage(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	date, err := digest.ParseDate(r.PathValue("date"))
	if err != nil {
		return page.ErrNotFound
	}
	v, err := s.Store.Subscriptions.EditionView(r.Context(), n.ArchiveID, date, s.Now())
	if err != nil {
		return err
	}
	if v.SendAt.After(s.Now()) {
		return page.ErrNotFound
	}
	d, err := s.Store.Newsletters.LetterDelivery(r.Context(), n.Newsletter, v.Edition)
	if err != nil {
		return err
	}
	return s.showEdition(w, r, d, editionPage{Public: &n})
}
