package web

import (
	"net/http"
	"strings"

	"digest"
	"digest/internal/catalogue"
)

// The public pages of a newsletter: its home page /n/SLUG with the form to join, and its issues,
// which are the editions of its archive. An issue is public after it was sent, not while it waits
// for approval.

type newsletterPage struct {
	newsletterName
	newcomer
	Letters []digest.Edition // newest first
	Older   bool             // there are older issues
	Asked   bool             // a confirmation email is on its way
}

// A newsletterName is the part of a newsletter's view that all its pages share.
type newsletterName struct {
	digest.Newsletter
	BaseURL string
}

func (n newsletterName) nameplate() string { return n.Name }

// indexed lets search engines index the page.
func (newsletterName) indexed() bool { return true }

func (n newsletterName) Path() string { return "/n/" + n.Slug }

// Home returns the absolute address of the home page.
func (n newsletterName) Home() string { return n.BaseURL + n.Path() }

// Blurb returns the description in one line, for link previews.
func (n newsletterName) Blurb() string { return digest.Shortened(digest.OneLine(n.Description), 200) }

func (n newsletterName) Paragraphs() (all []string) {
	for p := range strings.SplitSeq(strings.ReplaceAll(n.Description, "\r\n", "\n"), "\n\n") {
		if p = digest.OneLine(p); p != "" {
			all = append(all, p)
		}
	}
	return all
}

func (n newsletterName) Open() bool {
	return n.State == digest.NewsletterActive || n.State == digest.NewsletterHeld
}

// Comes returns the days of the newsletter in words: "every day", "on Sundays".
func (n newsletterName) Comes() catalogue.Message { return daysView{n.Cadence}.Words() }

const (
	lettersShown  = 12  // on the home page
	lettersListed = 400 // in the archive
)

// newsletterOf returns the newsletter in the request's path. It returns errNotFound for a
// newsletter that is not approved yet.
func (s *site) newsletterOf(r *http.Request) (newsletterName, error) {
	n, err := s.Store.Newsletters.NewsletterBySlug(r.Context(), r.PathValue("slug"))
	if digest.KindOf(err) == digest.NotFound || err == nil && n.State == digest.NewsletterPending {
		return newsletterName{}, errNotFound
	}
	return newsletterName{n, s.BaseURL}, err
}

func (s *site) newsletterPage(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	p := newsletterPage{newsletterName: n, Asked: r.URL.Query().Get("asked") == "1"}
	return s.showNewsletter(w, r, http.StatusOK, p)
}

func (s *site) showNewsletter(w http.ResponseWriter, r *http.Request, status int, p newsletterPage) error {
	letters, err := s.Store.Newsletters.LettersLeft(r.Context(), p.Newsletter, s.Now(), lettersShown+1)
	if err != nil {
		return err
	}
	p.Older, p.Letters = len(letters) > lettersShown, letters[:min(len(letters), lettersShown)]
	p.Action, p.TokenField = p.Path()+"/join", "return"
	return s.show(w, r, status, "newsletter", p.Name, p)
}

type newsletterArchivePage struct {
	newsletterName
	Months []month
}

func (s *site) newsletterArchivePage(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	letters, err := s.Store.Newsletters.LettersLeft(r.Context(), n.Newsletter, s.Now(), lettersListed)
	p := newsletterArchivePage{n, byMonth(letters)}
	return s.showPage(w, r, err, "newsletter_archive", titled(catalogue.Key("All issues"), n.Name), p)
}

func (s *site) newsletterLetterPage(w http.ResponseWriter, r *http.Request) error {
	n, err := s.newsletterOf(r)
	if err != nil {
		return err
	}
	date, err := digest.ParseDate(r.PathValue("date"))
	if err != nil {
		return errNotFound
	}
	v, err := s.Store.Subscriptions.EditionView(r.Context(), n.ArchiveID, date, s.Now())
	if err != nil {
		return err
	}
	if v.SendAt.After(s.Now()) {
		return errNotFound
	}
	d, err := s.Store.Newsletters.LetterDelivery(r.Context(), n.Newsletter, v.Edition)
	if err != nil {
		return err
	}
	return s.showEdition(w, r, d, editionPage{Public: &n})
}
