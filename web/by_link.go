package web

import (
	"net/http"

	"digest"
	"digest/store"
)

// The links in emails act without a sign-in. Programs open every link they find, and some post to it, so a form behind a
// link acts only if it brings the field that its page has put into it.

// pressedField is the name of that field.
const pressedField = "pressed"

// byLink makes a handler of a form behind a link in an email. A form without its field changes nothing.
func byLink(h handler) handler {
	return withForm(func(w http.ResponseWriter, r *http.Request) error {
		if err := hasAll(r.PostForm, pressedField); err != nil {
			return err
		}
		return h(w, r)
	})
}

// changeByLink runs change on behalf of a link in an email of a user. change must use the store that it gets. Unless that
// user is signed in, the store records the change, and the user learns of it.
func (s *site) changeByLink(r *http.Request, user digest.UserID, by store.LinkUse, change func(*store.Store) error) error {
	u, err := s.signedIn(r)
	switch {
	case err != nil:
		return err
	case u.ID != 0 && u.ID == user:
		return change(s.Store)
	}
	return s.Store.ByLink(r.Context(), by, s.Now(), change)
}
