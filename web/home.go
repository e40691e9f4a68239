package web

import (
	"net/http"
	"time"

	"digest"
	"digest/render"
	"digest/timezone"
)

// home is the reader's latest edition, or what this is for everyone else.
func (s *site) home(w http.ResponseWriter, r *http.Request) error {
	_, ok, err := s.signedIn(r)
	if err != nil {
		return err
	}
	if !ok {
		return s.show(w, r, http.StatusOK, "home_landing", render.DefaultName, nil)
	}
	return s.forReader(s.today)(w, r)
}

// today is the latest edition, or what there is to know before the first.
func (s *site) today(w http.ResponseWriter, r *http.Request, me reader) error {
	latest, err := s.Store.LatestEditions(r.Context(), me.Digest.ID, s.Now(), 1)
	if err != nil {
		return err
	}
	if len(latest) == 0 {
		return s.nothingYet(w, r, me)
	}
	return s.showOwn(w, r, me, latest[0])
}

// A standing is how a digest goes on, as its reader is told.
type standing struct {
	namedPage
	Next   digest.Date // that begins at the next midnight; zero if none is planned
	Zone   string      // by whose clock
	Paused bool
	Until  digest.Date // that the pause ends as it begins; zero: the reader says when
	Left   string      // path of the page that starts the digest again; "" while it runs
}

func (s *site) standing(d digest.Digest) standing {
	st := standing{namedPage: named(d), Zone: zoneName(d.TimeZone)}
	switch d.State {
	case digest.DigestActive:
		st.Next = localDate(d.NextDueAt, d.TimeZone)
	case digest.DigestPaused:
		st.Paused, st.Until = true, localDate(d.PausedUntil, d.TimeZone)
	case digest.DigestLeft:
		st.Left = "/unsubscribe/" + s.Signer.Sign(digest.ForUnsubscribe, int64(d.ID))
	}
	return st
}

// A homeFirstPage is what a reader sees before their first edition.
type homeFirstPage struct {
	standing
	Feeds int // that the digest subscribes to
}

func (s *site) nothingYet(w http.ResponseWriter, r *http.Request, me reader) error {
	subs, err := s.Store.Subscriptions(r.Context(), me.Digest.ID)
	if err != nil {
		return err
	}
	return s.show(w, r, http.StatusOK, "home_first", named(me.Digest).Name, homeFirstPage{s.standing(me.Digest), len(subs)})
}

// localDate is the date at t in a zone; zero if either is not known.
func localDate(t time.Time, zone string) digest.Date {
	loc, err := timezone.Load(zone)
	if err != nil || t.IsZero() {
		return digest.Date{}
	}
	return digest.DateOf(t.In(loc))
}
