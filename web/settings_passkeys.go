package web

import (
	"net/http"
)

// A passkeysPage lists the reader's passkeys.
type passkeysPage struct {
	settingsFrame
	Can  bool // passkeys can be used at this address
	Keys []passkeyRow
}

type passkeyRow struct {
	ID                int64
	Name, Added, Used string
}

func (s *site) passkeysPage(w http.ResponseWriter, r *http.Request, me reader) error {
	keys, err := s.Store.Passkeys(r.Context(), me.ID)
	if err != nil {
		return err
	}
	p := passkeysPage{settingsFrame: s.frame(r, me), Can: s.relying != nil}
	if done := r.URL.Query().Get("done"); done == "added" || done == "removed" {
		p.Saved = done
	}
	zone := zoneOr(me.Digest.TimeZone)
	for _, k := range keys {
		row := passkeyRow{ID: k.ID, Name: k.Name, Added: k.CreatedAt.In(zone).Format("2 January 2006")}
		if !k.UsedAt.IsZero() {
			row.Used = k.UsedAt.In(zone).Format("2 January 2006")
		}
		p.Keys = append(p.Keys, row)
	}
	return s.show(w, r, http.StatusOK, "settings_passkeys", "Passkeys", p)
}

func (s *site) removePasskey(w http.ResponseWriter, r *http.Request, me reader) error {
	id, err := pathKey(r)
	if err != nil {
		return err
	}
	if err := s.Store.RemovePasskey(r.Context(), me.ID, id, s.sessionHash(r)); err != nil {
		return err
	}
	return seeOther(w, r, "/settings/passkeys?done=removed")
}
