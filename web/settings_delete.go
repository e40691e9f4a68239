package web

import (
	"net/http"
	"strings"

	"digest"
	"digest/internal/catalogue"
)

// A deletePage asks the reader to confirm the deletion of the account.
type deletePage struct {
	settingsFrame
	Typed string // the typed address
	Alone bool   // the reader is the only operator
}

func (s *site) deletePageOf(r *http.Request, me reader) (deletePage, error) {
	p := deletePage{settingsFrame: s.frame(r, me)}
	if !me.Operator {
		return p, nil
	}
	others, err := s.Store.OtherOperators(r.Context(), me.ID)
	p.Alone = others == 0
	return p, err
}

func (s *site) deletePage(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.deletePageOf(r, me)
	return s.showPage(w, r, err, "settings_delete", catalogue.Key("Delete account"), p)
}

// deleteAccount deletes the account permanently, if the reader typed their own address.
func (s *site) deleteAccount(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.deletePageOf(r, me)
	if err != nil {
		return err
	}
	p.Typed = r.PostForm.Get("address")
	if !strings.EqualFold(digest.NormalEmail(p.Typed), digest.NormalEmail(me.Email)) {
		p.Wrong = catalogue.Key("That’s not your email address. Nothing was deleted.")
		return s.show(w, r, http.StatusUnprocessableEntity, "settings_delete", catalogue.Key("Delete account"), p)
	}
	err = s.Store.RemoveUser(r.Context(), me.ID, s.Now())
	if digest.KindOf(err) == digest.Conflict { // the reader owns a newsletter
		p.Wrong = catalogue.Refusal(err)
		return s.show(w, r, http.StatusConflict, "settings_delete", catalogue.Key("Delete account"), p)
	}
	if err != nil && digest.KindOf(err) != digest.NotFound {
		return err
	}
	s.leaveBrowser(w)
	s.setCookie(w, s.knownCookie(), "", -1)
	return seeOther(w, r, "/goodbye")
}

func (s *site) goodbyePage(w http.ResponseWriter, r *http.Request) error {
	if u, _ := s.signedIn(r); u.ID != 0 {
		return seeOther(w, r, "/")
	}
	return s.show(w, r, http.StatusOK, "settings_delete_goodbye", catalogue.Key("Goodbye"), nil)
}
