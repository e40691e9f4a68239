package web

import (
	"net/http"

	"digest"
	"digest/store"
	"digest/web/page"
)

// Links in emails work without a sign-in. Some mail scanners open every link, and some send a POST
// to it. The page behind a link therefore adds a field to its form, and the handler acts only on a
// request with this field.

// pressedField is the name of that field.
const pressedField = "pressed"

// byLink returns a handler for a form behind a link in an email. A request without the field
// changes nothing.
func byLink(h page.Handler) page.Handler {
	return page.WithForm(func(w http.ResponseWriter, r *http.Request) error {
		if err := page.HasAll(r.PostForm, pressedField); err != nil {
			return err
		}
		return h(w, r)
	})
}

// changeByLink runs change for a link in an email to a user. change must use the store that it
// gets. Unless that user is signed in, the store records the change and notifies the user.
func (s *site) changeByLink(r *http.Request, user digest.UserID, by store.LinkUse,
	change func(*store.Store) error) error {
	u, err := s.SignedIn(r)
	switch {
	case err != nil:
		return err
	case u.ID != 0 && u.ID == user:
		return change(s.Store)
	}
	return s.Store.ByLink(r.Context(), by, s.Now(), change)
}
