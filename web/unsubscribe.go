package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/calendar"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

// An unsubscribePage is the page behind an unsubscribe link, and the result of its forms.
type unsubscribePage struct {
	page.OwnDigest
	Token string
	Gone  bool           // its reader was deleted, so it cannot be restored
	Most  digest.Cadence // the most frequent cadence to offer: a newsletter sets its own

	// The last change.
	WasPaused bool
	Before    page.DaysView // the former days if they changed, zero otherwise
}

// unsubscribePage shows a button and changes nothing, because link scanners open every link in an email.
func (s *site) unsubscribePage(w http.ResponseWriter, r *http.Request) error {
	d, err := s.tokenDigest(r)
	if err == page.ErrOldLink {
		return s.orOwn(w, r, d, s.UnsubscribePath(d))
	}
	if err != nil {
		return err
	}
	if d.State == digest.DigestLeft {
		return s.showUnsubscribed(w, r, d)
	}
	return s.Show(w, r, http.StatusOK, "unsubscribe", catalogue.Key("Unsubscribe"), s.viewOf(r, d))
}

// unsubscribe handles the POST of a mail program's unsubscribe button (RFC 8058 §3.2). It unsubscribes immediately,
// without a cookie or a redirect, and repeats its response on every further POST. Without the body that the RFC
// requires it only shows the page, because some gateways post to every link of an email. The link in the text of an
// email also only shows the page: a forwarded email contains that link, and one-click notifies nobody.
func (s *site) unsubscribe(w http.ResponseWriter, r *http.Request) error {
	d, err := s.tokenDigest(r)
	if err != nil {
		return err
	}
	isOneClick, err := hasOneClick(r)
	if _, email := unsubscribeToken(r); email != 0 {
		isOneClick = false
	}
	switch {
	case err != nil:
		return err
	case !isOneClick && d.State != digest.DigestLeft:
		return s.Show(w, r, http.StatusBadRequest, "unsubscribe", catalogue.Key("Unsubscribe"), s.viewOf(r, d))
	case !isOneClick:
		return s.showUnsubscribed(w, r, d)
	}
	return s.leaveDigest(w, r, d, true)
}

// hasOneClick reports whether a form has the field that List-Unsubscribe-Post announces, in either encoding.
func hasOneClick(r *http.Request) (bool, error) {
	for _, parse := range []func() error{r.ParseForm, func() error { return r.ParseMultipartForm(page.MaxBody) }} {
		if err := parse(); err != nil && page.AsProblem(err) == page.ErrTooLarge {
			return false, page.ErrTooLarge
		}
	}
	return r.PostForm.Get("List-Unsubscribe") == "One-Click", nil
}

func (s *site) unsubscribeByButton(w http.ResponseWriter, r *http.Request) error {
	d, err := s.tokenDigest(r)
	if err != nil {
		return err
	}
	return s.leaveDigest(w, r, d, false)
}

func (s *site) leaveDigest(w http.ResponseWriter, r *http.Request, d digest.Digest, oneClick bool) error {
	if d.ID == 0 {
		return s.showUnsubscribed(w, r, d)
	}
	err := s.changeDigestByLink(r, d, oneClick, func(st *store.Store) error {
		return st.Readers.SetDigestState(r.Context(), d.ID, digest.DigestLeft, s.Now())
	})
	if err == nil {
		d, err = s.tokenDigest(r) // with the pause that it had
	}
	if err != nil {
		return err
	}
	return s.showUnsubscribed(w, r, d)
}

// changeDigestByLink is changeByLink for the link in the request's path.
func (s *site) changeDigestByLink(r *http.Request, d digest.Digest, oneClick bool,
	change func(*store.Store) error) error {
	by := store.LinkUse{DigestID: d.ID, OneClick: oneClick}
	if _, email := unsubscribeToken(r); email != 0 {
		e, err := s.Store.Editions.Edition(r.Context(), email)
		if err != nil && digest.KindOf(err) != digest.NotFound {
			return err
		}
		if e.DigestID == d.ID {
			by.EmailDate = e.LocalDate
		}
	}
	return s.changeByLink(r, d.UserID, by, change)
}

// resubscribe undoes unsubscribing. A digest that was paused before is paused again. A digest that its reader paused
// since then stays paused.
func (s *site) resubscribe(w http.ResponseWriter, r *http.Request) error {
	d, err := s.tokenDigest(r)
	if err != nil {
		return err
	}
	id, wasLeft := d.ID, false
	err = s.changeDigestByLink(r, d, false, func(st *store.Store) (err error) {
		d, wasLeft, err = st.Readers.BringBack(r.Context(), id, s.Now())
		return err
	})
	if err != nil {
		return err
	}
	if d.State == digest.DigestPaused && !wasLeft {
		return s.Show(w, r, http.StatusOK, "unsubscribe", catalogue.Key("Unsubscribe"), s.viewOf(r, d))
	}
	return s.Show(w, r, http.StatusOK, "unsubscribe_done", catalogue.Key("Welcome back"), s.viewOf(r, d))
}

func (s *site) viewOf(r *http.Request, d digest.Digest) unsubscribePage {
	return unsubscribePage{OwnDigest: s.OwnDigest(d), Token: r.PathValue("token"), Gone: d.ID == 0,
		Most: s.mostOften(r, d)}
}

// BackToPause reports whether resubscribing restores a pause.
func (p unsubscribePage) BackToPause() bool { return p.Of.ReturnsToPause(p.Now) }

// MailedTo returns the reader who got the email with the link.
func (p unsubscribePage) MailedTo() digest.UserID { return p.Of.UserID }

// EveryDay returns the name of the daily cadence.
func (p unsubscribePage) EveryDay() catalogue.Sayable {
	return page.DaysView{Cadence: digest.Daily}.Words()
}

// Workdays returns the name of the cadence from Monday to Friday.
func (p unsubscribePage) Workdays() catalogue.Sayable {
	return page.DaysView{Cadence: digest.Workdays}.Words()
}

// mostOften returns the most frequent cadence that the digest may have.
func (s *site) mostOften(r *http.Request, d digest.Digest) digest.Cadence {
	if d.NewsletterID == 0 {
		return digest.Daily
	}
	n, err := s.Store.Newsletters.Newsletter(r.Context(), d.NewsletterID)
	if err != nil { // offer nothing more frequent than now
		return d.Cadence
	}
	return n.Cadence
}

// Offers reports whether the page offers a cadence: the digest has another one, and may have this one. It offers no
// second monthly cadence.
func (p unsubscribePage) Offers(text string) (bool, error) {
	c, err := digest.ParseCadence(text)
	has := c == p.Of.Cadence || c.IsMonthly() && p.Of.Cadence.IsMonthly()
	return !has && c.AsCalmAs(p.Most), err
}

func (s *site) showUnsubscribed(w http.ResponseWriter, r *http.Request, d digest.Digest) error {
	return s.Show(w, r, http.StatusOK, "unsubscribe_done", catalogue.Key("You’re unsubscribed"), s.viewOf(r, d))
}

// unsubscribeToken returns the parts of an unsubscribe link: the token of the digest and, for the link in the text of
// an email, the edition in that email. The number of the edition is not signed.
func unsubscribeToken(r *http.Request) (token string, email digest.EditionID) {
	token, number, _ := strings.Cut(r.PathValue("token"), "-")
	id, _ := strconv.ParseInt(number, 10, 64) // 0 if it is not a number; no edition has the number 0
	return token, digest.EditionID(id)
}

// tokenDigest returns the digest of an unsubscribe link. A deleted digest counts as unsubscribed. If the reader has
// turned off old links, it returns ErrOldLink and the digest.
func (s *site) tokenDigest(r *http.Request) (digest.Digest, error) {
	token, _ := unsubscribeToken(r)
	number, ok := s.Signer.Verify(digest.ForUnsubscribe, token)
	if !ok {
		return digest.Digest{}, page.ErrNotFound
	}
	id, round := digest.OfRound(number)
	d, err := s.Store.Readers.Digest(r.Context(), digest.DigestID(id))
	if digest.KindOf(err) == digest.NotFound {
		return digest.Digest{State: digest.DigestLeft}, nil
	}
	if err == nil && d.LinkRound != round {
		err = page.ErrOldLink
	}
	return d, err
}

// Besides unsubscribing, a reader can pause the digest or get fewer emails. The forms for that are on the page behind
// the unsubscribe link, and have its token. Like all forms except one-click, they are accepted only from this site.

// changeDigest returns a handler that changes the digest of a link. The page shows the schedule after the change.
// It does not change a digest from which the reader has unsubscribed.
func (s *site) changeDigest(title catalogue.Sayable,
	change func(*http.Request, *store.Store, digest.Digest) error) page.Handler {
	return byLink(func(w http.ResponseWriter, r *http.Request) error {
		was, err := s.tokenDigest(r)
		if err != nil || was.State == digest.DigestLeft {
			if err != nil {
				return err
			}
			return s.showUnsubscribed(w, r, was)
		}
		err = s.changeDigestByLink(r, was, false, func(st *store.Store) error { return change(r, st, was) })
		if err != nil && digest.KindOf(err) != digest.Conflict {
			return err // after a Conflict the page shows that the reader has unsubscribed
		}
		d, err := s.Store.Readers.Digest(r.Context(), was.ID)
		if err != nil || d.State == digest.DigestLeft {
			if err != nil {
				return err
			}
			return s.showUnsubscribed(w, r, d)
		}
		view := s.viewOf(r, d)
		view.WasPaused = was.State == digest.DigestPaused
		if was.Cadence != d.Cadence {
			view.Before = page.DaysView{Cadence: was.Cadence}
		}
		return s.Show(w, r, http.StatusOK, "unsubscribe_changed", title, view)
	})
}

func (s *site) pauseDigest(r *http.Request, st *store.Store, d digest.Digest) error {
	zone, now, until := page.ZoneOr(d.TimeZone), s.Now(), time.Time{}
	switch r.PostForm.Get("for") {
	case "week":
		until = calendar.InWeeks(1, now, zone)
	case "fortnight":
		until = calendar.InWeeks(2, now, zone)
	case "month":
		until = calendar.InAMonth(now, zone)
	default:
		return page.ErrBadForm
	}
	return st.Readers.PauseDigest(r.Context(), d.ID, until, now)
}

// resumeDigest ends a pause. It does not resume an unsubscribed digest.
func (s *site) resumeDigest(r *http.Request, st *store.Store, d digest.Digest) error {
	return st.Readers.ResumeDigest(r.Context(), d.ID, s.Now())
}

// setDigestDays changes the days on which a digest appears, or undoes such a change.
func (s *site) setDigestDays(r *http.Request, st *store.Store, d digest.Digest) error {
	days, err := digest.ParseCadence(r.PostForm.Get("days"))
	if err != nil {
		return page.ErrBadForm
	}
	err = st.Readers.SetCadence(r.Context(), d.ID, days, s.Now())
	if digest.KindOf(err) == digest.Invalid {
		return page.ErrBadForm
	}
	return err
}
