package web

import (
	"net/http"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/web/page"
)

// A deletePage asks the reader to confirm the deletion of the account.
type deletePage struct {
	*page.Visit
	Alone bool // the reader is the only operator
}

// deletePage deletes the account permanently, if the reader typed their own address.
func (s *site) deletePage(v *page.Visit) error {
	p, typed := deletePage{Visit: v}, ""
	v.AddText(page.CodeKind, "address", &typed, 0)
	if v.Posted() && !strings.EqualFold(digest.NormalEmail(typed), digest.NormalEmail(v.Email)) {
		v.Reject("address", catalogue.Key("That’s not your email address. Nothing was deleted."))
	}
	if v.OK() {
		err := s.Store.Readers.RemoveUser(v.Ctx, v.ID, v.Now)
		if digest.KindOf(err) != digest.Conflict {
			if err != nil && digest.KindOf(err) != digest.NotFound {
				return err
			}
			s.LeaveBrowser(v.W)
			s.SetCookie(v.W, s.KnownCookie(), "", -1)
			return v.SeeOther("/goodbye")
		}
		v.Reject("address", catalogue.Refusal(err)) // the reader owns a newsletter
		v.Status = http.StatusConflict
	}
	if v.Operator {
		others, err := s.Store.Operator.OtherOperators(v.Ctx, v.ID)
		if p.Alone = others == 0; err != nil {
			return err
		}
	}
	return v.Show(nil, "settings_delete", catalogue.Key("Delete account"), p)
}

func (s *site) goodbyePage(w http.ResponseWriter, r *http.Request) error {
	if u, _ := s.SignedIn(r); u.ID != 0 {
		return page.SeeOther(w, r, "/")
	}
	return s.Show(w, r, http.StatusOK, "settings_delete_goodbye", catalogue.Key("Goodbye"), nil)
}
