package web

import (
	"net/http"

	"digest/render"
)

// home is the reader's latest edition, or what this is for everyone else.
func (s *site) home(w http.ResponseWriter, r *http.Request) error {
	u, err := s.signedIn(r)
	if err != nil {
		return err
	}
	if u.ID == 0 {
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

// A homeFirstPage is what a reader sees before their first edition.
type homeFirstPage struct {
	standing
	Feeds int // that the digest subscribes to
}

func (s *site) nothingYet(w http.ResponseWriter, r *http.Request, me reader) error {
	subs, err := s.Store.Subscriptions(r.Context(), me.Digest.ID)
	return s.showPage(w, r, err, "home_first", named(me.Digest).Name, homeFirstPage{s.standing(me.Digest), len(subs)})
}
