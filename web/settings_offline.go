package web

import (
	"net/http"

	"digest/internal/catalogue"
)

// An offlineSettingsPage asks whether this browser keeps editions. It is the browser that remembers it, by
// static/offline/page.js: what is stored where others may read it is decided for each device.
type offlineSettingsPage struct{ settingsFrame }

// Budgets are what a reader may have a device keep, in MB.
func (p offlineSettingsPage) Budgets() []int { return []int{25, 50, 100, 250} }

func (s *site) offlineSettingsPage(w http.ResponseWriter, r *http.Request, me reader) error {
	if !s.Offline {
		return errNotFound
	}
	return s.show(w, r, http.StatusOK, "settings_offline", catalogue.Key("Offline reading"),
		offlineSettingsPage{s.frame(r, me)})
}
