package web

import (
	"net/http"
	"strings"

	"digest"
	"digest/internal/catalogue"
)

// A deletePage asks the reader to confirm the deletion of the account.
type deletePage struct {
	*visit
	Alone bool // the reader is the only operator
}

// deletePage deletes the account permanently, if the reader typed their own address.
func (s *site) deletePage(v *visit) error {
	p, typed := deletePage{visit: v}, ""
	v.text(codeKind, "address", &typed, 0)
	if v.posted() && !strings.EqualFold(digest.NormalEmail(typed), digest.NormalEmail(v.Email)) {
		v.wrong("address", catalogue.Key("That’s not your email address. Nothing was deleted."))
	}
	if v.ok() {
		err := s.Store.Readers.RemoveUser(v.ctx, v.ID, v.now)
		if digest.KindOf(err) != digest.Conflict {
			if err != nil && digest.KindOf(err) != digest.NotFound {
				return err
			}
			s.leaveBrowser(v.w)
			s.setCookie(v.w, s.knownCookie(), "", -1)
			return v.seeOther("/goodbye")
		}
		v.wrong("address", catalogue.Refusal(err)) // the reader owns a newsletter
		v.status = http.StatusConflict
	}
	if v.Operator {
		others, err := s.Store.Operator.OtherOperators(v.ctx, v.ID)
		if p.Alone = others == 0; err != nil {
			return err
		}
	}
	return v.show(nil, "settings_delete", catalogue.Key("Delete account"), p)
}

func (s *site) goodbyePage(w http.ResponseWriter, r *http.Request) error {
	if u, _ := s.signedIn(r); u.ID != 0 {
		return seeOther(w, r, "/")
	}
	return s.show(w, r, http.StatusOK, "settings_delete_goodbye", catalogue.Key("Goodbye"), nil)
}
