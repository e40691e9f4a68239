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
		return s.show(w, r, http.StatusOK, "home_landing", render.DefaultName, s.landing())
	}
	return s.forReader(s.forOwnDigest(s.today))(w, r)
}

// A landingPage says what this is, and offers the ways in that there are.
type landingPage struct {
	SignUp  bool // strangers can sign up
	Invited bool // if they have an invitation
}

// landing offers no sign-up where none is possible: a link that confirms it has to be mailed.
func (s *site) landing() landingPage {
	return landingPage{SignUp: s.mails() && s.SignUp == SignUpOpen, Invited: s.mails() && s.SignUp == SignUpInvitation}
}

// today is the latest edition, or what there is to know before the first.
func (s *site) today(w http.ResponseWriter, r *http.Request, me reader) error {
	v, err := s.Store.TodayView(r.Context(), me.Digest.ID, s.Now())
	if err != nil {
		return err
	}
	if v.Latest == nil {
		return s.nothingYet(w, r, me, v.Subscriptions)
	}
	return s.showOwn(w, r, me, *v.Latest)
}
