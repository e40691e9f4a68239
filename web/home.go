package web

import (
	"net/http"

	"digest/render"
	"digest/web/page"
)

// home shows the reader's latest edition, or the landing page without a session.
func (s *site) home(w http.ResponseWriter, r *http.Request) error {
	u, err := s.SignedIn(r)
	if err != nil {
		return err
	}
	if u.ID == 0 {
		return s.Show(w, r, http.StatusOK, "home_landing", render.DefaultName, s.landing())
	}
	return s.ForReader(s.forOwnDigest(s.today))(w, r)
}

type landingPage struct {
	SignUp  bool // anyone can sign up
	Invited bool // sign-up needs an invitation
}

// landing offers no sign-up if no mail can be sent, because sign-up needs a confirmation link.
func (s *site) landing() landingPage {
	return landingPage{SignUp: s.Mails() && s.SignUp == page.SignUpOpen, Invited: s.Mails() &&
		s.SignUp == page.SignUpInvitation}
}

func (s *site) today(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	v, err := s.Store.Subscriptions.TodayView(r.Context(), me.Digest.ID, s.Now())
	if err != nil {
		return err
	}
	if v.Latest == nil {
		return s.nothingYet(w, r, me, v.Subscriptions)
	}
	return s.showOwn(w, r, me, *v.Latest)
}
