package web

import (
	"net/http"
	"slices"
	"time"

	"digest"
	"digest/render"
	"digest/timezone"
)

// maxArchive is the most editions an archive lists: more than DIGEST_KEEP days.
const maxArchive = 1000

// An editionPage is one edition as a front page.
type editionPage struct {
	render.Page
	Contents bool        // there are enough sites for a list of them
	Own      bool        // the reader is signed in: the archive is theirs to walk
	Earlier  digest.Date // of the edition before; zero: none
	Later    digest.Date
}

// minContents is the least number of sites worth a list of them.
const minContents = 4

// home is the reader's latest edition, or what this is for everyone else.
func (s *site) home(w http.ResponseWriter, r *http.Request) error {
	user, ok, err := s.visitor(r)
	if err != nil {
		return err
	}
	if !ok {
		return s.show(w, r, http.StatusOK, "landing", render.DefaultName, nil)
	}
	d, list, err := s.editionsOf(r, user)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return s.showArchive(w, r, d, list)
	}
	return s.showOwn(w, r, d, list, 0)
}

// archive lists all of the reader's editions.
func (s *site) archive(w http.ResponseWriter, r *http.Request) error {
	user, ok, err := s.visitor(r)
	if err != nil || !ok {
		return orSignIn(w, r, err)
	}
	d, list, err := s.editionsOf(r, user)
	if err != nil {
		return err
	}
	return s.showArchive(w, r, d, list)
}

// edition is the reader's own edition of one date; nobody else's has an address here.
func (s *site) edition(w http.ResponseWriter, r *http.Request) error {
	user, ok, err := s.visitor(r)
	if err != nil || !ok {
		return orSignIn(w, r, err)
	}
	date, err := digest.ParseDate(r.PathValue("date"))
	if err != nil {
		return errNotFound
	}
	d, list, err := s.editionsOf(r, user)
	if err != nil {
		return err
	}
	for i := range list {
		if list[i].LocalDate == date {
			return s.showOwn(w, r, d, list, i)
		}
	}
	return errNotFound
}

// linkedEdition is the edition that a link from a mail speaks of. The link
// alone opens it, so it leads nowhere else.
func (s *site) linkedEdition(w http.ResponseWriter, r *http.Request) error {
	id, ok := s.Signer.Verify(digest.ForEdition, r.PathValue("token"))
	if !ok {
		return errNotFound
	}
	e, err := s.Store.Edition(r.Context(), digest.EditionID(id))
	if err != nil {
		return err
	}
	d, err := s.Store.Digest(r.Context(), e.DigestID)
	if err != nil {
		return err
	}
	return s.showEdition(w, r, delivery(d, e), editionPage{})
}

// orSignIn sends a visitor who is not signed in to the sign-in page.
func orSignIn(w http.ResponseWriter, r *http.Request, err error) error {
	if err == nil {
		http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
	}
	return err
}

// editionsOf gives a reader's digest and its editions that are out, newest
// first. One that another clock has made already is not out before its midnight.
func (s *site) editionsOf(r *http.Request, user digest.User) (digest.Digest, []digest.Edition, error) {
	d, err := s.Store.DigestOf(r.Context(), user.ID)
	if err != nil {
		return d, nil, err
	}
	list, err := s.Store.Editions(r.Context(), d.ID, maxArchive)
	ahead := func(e digest.Edition) bool { return s.Now().Before(e.DueAt) }
	return d, slices.DeleteFunc(list, ahead), err
}

// showOwn shows the i-th of the reader's editions, with the way to its neighbours.
func (s *site) showOwn(w http.ResponseWriter, r *http.Request, d digest.Digest, list []digest.Edition, i int) error {
	p := editionPage{Own: true}
	if i+1 < len(list) {
		p.Earlier = list[i+1].LocalDate
	}
	if i > 0 {
		p.Later = list[i-1].LocalDate
	}
	return s.showEdition(w, r, delivery(d, list[i]), p)
}

// showEdition fills p with the edition's posts and shows it.
func (s *site) showEdition(w http.ResponseWriter, r *http.Request, d digest.Delivery, p editionPage) error {
	if s.Now().Before(d.DueAt) {
		return errNotFound // reachable by nobody before its midnight (I2)
	}
	var err error
	if p.Page, err = s.Editions.Page(r.Context(), d); err != nil {
		return err
	}
	p.Contents = len(p.Sites) >= minContents
	return s.show(w, r, http.StatusOK, "edition", p.Date.Format("Monday 2 January 2006"), p)
}

// delivery is an edition with what its page tells of its digest.
func delivery(d digest.Digest, e digest.Edition) digest.Delivery {
	return digest.Delivery{Edition: e, UserID: d.UserID, TimeZone: d.TimeZone, DigestName: d.Name}
}

// An archivePage is all editions of a digest, by month.
type archivePage struct {
	Name   string // of the digest
	Months []month
	Next   digest.Date // local date that begins at the next midnight; zero if none is planned
	Left   string      // path of the page that starts the digest again; "" while it runs
}

type month struct {
	Name     string // "November 2026"
	Editions []digest.Edition
}

func (s *site) showArchive(w http.ResponseWriter, r *http.Request, d digest.Digest, list []digest.Edition) error {
	p := archivePage{Name: paperOf(d), Months: byMonth(list)}
	switch d.State {
	case digest.DigestActive:
		p.Next = localDate(d.NextDueAt, d.TimeZone)
	case digest.DigestLeft:
		p.Left = "/unsubscribe/" + s.Signer.Sign(digest.ForUnsubscribe, int64(d.ID))
	}
	return s.show(w, r, http.StatusOK, "editions", "All editions", p)
}

// byMonth splits editions, already in order of date, into months.
func byMonth(list []digest.Edition) []month {
	var months []month
	for _, e := range list {
		name := e.LocalDate.Format("January 2006")
		if n := len(months); n == 0 || months[n-1].Name != name {
			months = append(months, month{Name: name})
		}
		last := &months[len(months)-1]
		last.Editions = append(last.Editions, e)
	}
	return months
}

// localDate is the date at t in a zone; zero if either is not known.
func localDate(t time.Time, zone string) digest.Date {
	loc, err := timezone.Load(zone)
	if err != nil || t.IsZero() {
		return digest.Date{}
	}
	return digest.DateOf(t.In(loc))
}
