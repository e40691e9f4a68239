package web

import (
	"digest/store"
	"net/http"
	"time"
)

// A passkeysPage lists the reader's passkeys.
type passkeysPage struct {
	settingsFrame
	Can  bool // passkeys can be used at this address
	Keys []store.Passkey
}

// Date is the day of a time, by the reader's clock.
func (p passkeysPage) Date(t time.Time) string { return t.In(p.zone()).Format("2 January 2006") }

func (s *site) passkeysPage(w http.ResponseWriter, r *http.Request, me reader) error {
	keys, err := s.Store.Passkeys(r.Context(), me.ID)
	p := passkeysPage{settingsFrame: s.frame(r, me, "added", "removed"), Can: s.relying != nil, Keys: keys}
	return s.showPage(w, r, err, "settings_passkeys", "Passkeys", p)
}

func (s *site) removePasskey(w http.ResponseWriter, r *http.Request, me reader) error {
	id, err := pathKey(r)
	if err != nil {
		return err
	}
	return showSaved(w, r, s.Store.RemovePasskey(r.Context(), me.ID, id, s.sessionHash(r)), "/settings/passkeys", "removed")
}
