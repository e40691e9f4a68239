package web

import (
	"net/http"
	"time"

	"digest"
)

// An unsubscribeView is the page behind an unsubscribe link, and those that its
// forms lead to.
type unsubscribeView struct {
	Name   string // of the digest
	Token  string
	Left   bool // mail has stopped
	Paused bool // it rests, or did before it was left: the way back leads there
	Gone   bool // with its reader: there is no way back
	Was    string

	Days  daysView // on which it appears
	Until string   // the day on which a pause ends; "" if it has no end
	Next  string   // the day of the next edition; "" if there is none
	Zone  string   // the reader's

	// What was changed just now.
	WasPaused bool
	Before    daysView // other than Days; zero if those are as before
}

// formWas is the field by which the page of a digest that was paused carries
// its pause to the way back. The state itself does not: a digest is left,
// whatever it was before.
const formWas = "was"

// unsubscribePage shows a button and changes nothing: link scanners open every
// link in a mail.
func (s *site) unsubscribePage(w http.ResponseWriter, r *http.Request) error {
	d, err := s.tokenDigest(r)
	if err != nil {
		return err
	}
	if d.State == digest.DigestLeft {
		return s.showUnsubscribed(w, r, d)
	}
	return s.show(w, r, http.StatusOK, "unsubscribe", "Unsubscribe", s.viewOf(r, d))
}

// unsubscribe acts at once, and answers the same however often it is asked. It
// takes the button, and the one-click POST of mail programs (RFC 8058 §3.2): no
// cookie, no redirect, any body, for all that matters is the token in the path.
func (s *site) unsubscribe(w http.ResponseWriter, r *http.Request) error {
	d, err := s.tokenDigest(r)
	if err != nil {
		return err
	}
	view := s.viewOf(r, d)
	if d.ID != 0 {
		if err := s.Store.SetDigestState(r.Context(), d.ID, digest.DigestLeft, s.Now()); err != nil {
			return err
		}
		view.Left = true
	}
	return s.show(w, r, http.StatusOK, "unsubscribe_done", "Unsubscribed", view)
}

// resubscribe is the way back. It brings back only what was left: a digest
// paused by its reader stays so, and one that was paused when it was left is
// paused again.
func (s *site) resubscribe(w http.ResponseWriter, r *http.Request) error {
	d, err := s.tokenDigest(r)
	if err != nil {
		return err
	}
	if d.ID == 0 {
		return errNotFound
	}
	if d.State == digest.DigestPaused {
		return s.unsubscribePage(w, r)
	}
	if d.State == digest.DigestLeft {
		if err := s.bringBack(r, d.ID); err != nil {
			return err
		}
	}
	if d, err = s.Store.Digest(r.Context(), d.ID); err != nil {
		return err
	}
	return s.show(w, r, http.StatusOK, "unsubscribe_done", "Welcome back", s.viewOf(r, d))
}

// bringBack makes a digest what it was before it was left.
func (s *site) bringBack(r *http.Request, id digest.DigestID) error {
	if err := s.Store.SetDigestState(r.Context(), id, digest.DigestActive, s.Now()); err != nil {
		return err
	}
	if until, paused := s.carriedPause(r); paused {
		return s.Store.PauseDigest(r.Context(), id, until, s.Now())
	}
	return nil
}

// carriedPause is the pause that a form carries.
func (s *site) carriedPause(r *http.Request) (until time.Time, paused bool) {
	if r.Method != http.MethodPost {
		return time.Time{}, false
	}
	return readPause(r.PostFormValue(formWas), s.Now())
}

func (s *site) viewOf(r *http.Request, d digest.Digest) unsubscribeView {
	v := unsubscribeView{
		Name: paperOf(d), Token: r.PathValue("token"),
		Left:   d.State == digest.DigestLeft,
		Paused: d.State == digest.DigestPaused,
		Gone:   d.ID == 0,
		Was:    pauseText(d),
	}
	if v.Left {
		if until, paused := s.carriedPause(r); paused {
			d.State, d.PausedUntil = digest.DigestPaused, until
			v.Paused, v.Was = true, pauseText(d)
		}
		return v
	}
	v.describePause(d, s.Now())
	return v
}

func (s *site) showUnsubscribed(w http.ResponseWriter, r *http.Request, d digest.Digest) error {
	return s.show(w, r, http.StatusOK, "unsubscribe_done", "Unsubscribed", s.viewOf(r, d))
}

// tokenDigest gives the digest of an unsubscribe link. If the digest is no more,
// there is nothing left to stop, and it counts as left.
func (s *site) tokenDigest(r *http.Request) (digest.Digest, error) {
	id, ok := s.Signer.Verify(digest.ForUnsubscribe, r.PathValue("token"))
	if !ok {
		return digest.Digest{}, errNotFound
	}
	d, err := s.Store.Digest(r.Context(), digest.DigestID(id))
	if digest.KindOf(err) == digest.NotFound {
		return digest.Digest{State: digest.DigestLeft}, nil
	}
	return d, err
}
