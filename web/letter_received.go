package web

import (
	"context"
	"net/http"

	"digest"
	"digest/store"
	"digest/web/page"
)

const mostAlso = 20

// A receivedLetter is an issue of a newsletter as a member received it.
type receivedLetter struct{ store.ReceivedLetter }

func (l receivedLetter) Path() string { return receivedPath(l.Slug, l.LocalDate) }

// receivedPath returns the address at which members read the issue of a date.
func receivedPath(slug string, date digest.Date) string {
	return "/letters/" + slug + "/" + date.String()
}

func (s *site) lettersBetween(r *http.Request, me page.Reader, first, last digest.Date, limit int) ([]receivedLetter,
	error) {
	found, err := s.Store.Members.ReceivedLetters(r.Context(), me.ID, first, last, s.Now(), limit)
	all := make([]receivedLetter, len(found))
	for i, l := range found {
		all[i] = receivedLetter{l}
	}
	return all, err
}

// farDate returns a date after all others.
func farDate() digest.Date { return digest.Date{Year: 9999, Month: 12, Day: 31} }

// receivedPage shows a member the issue of a date as they received it, with the actions for its
// posts.
func (s *site) receivedPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	date, err := digest.ParseDate(r.PathValue("date"))
	if err != nil {
		return page.ErrNotFound
	}
	n, err := s.Store.Newsletters.NewsletterBySlug(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	m, err := s.Store.Members.Member(r.Context(), n.ID, me.Email)
	if err != nil {
		return err
	}
	v, err := s.Store.Subscriptions.EditionView(r.Context(), m.DigestID, date, s.Now())
	if err != nil {
		return err
	}
	if v.SendAt.After(s.Now()) {
		return page.ErrNotFound
	}
	_, d, err := s.received(r.Context(), v.Edition)
	if err != nil {
		return err
	}
	letter := page.NewsletterName{Newsletter: n, BaseURL: s.BaseURL}
	return s.showEdition(w, r, d, editionPage{Own: true, Letter: &letter, Beside: v.Beside, playsHere: me.Player &&
		s.Sounds != nil, readHere: me.Digest.ReadHere})
}

// received returns the newsletter of an issue, and the issue as delivered to the member.
func (s *site) received(ctx context.Context, e digest.Edition) (n digest.Newsletter, d digest.Delivery, err error) {
	of, err := s.Store.Readers.Digest(ctx, e.DigestID)
	if err != nil {
		return n, d, err
	}
	if n, err = s.Store.Newsletters.Newsletter(ctx, of.NewsletterID); err != nil {
		return n, d, err
	}
	d = of.Delivery(e)
	d.Newsletter = &n
	d.Letter, err = s.Store.Newsletters.NewsletterLetter(ctx, n.ID, e.LocalDate)
	return n, d, err
}
