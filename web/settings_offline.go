package web

import (
	"net/http"

	"digest/internal/catalogue"
)

// An offlineSettingsPage asks whether this browser stores editions. static/offline/page.js stores the setting in the
// browser, because readers decide it for each device.
type offlineSettingsPage struct{ settingsFrame }

// Budgets returns the choices of storage on a device, in MB.
func (p offlineSettingsPage) Budgets() []int { return []int{25, 50, 100, 250} }

func (s *site) offlineSettingsPage(w http.ResponseWriter, r *http.Request, me reader) error {
	if !s.Offline {
		return errNotFound
	}
	return s.show(w, r, http.StatusOK, "settings_offline", catalogue.Key("Offline reading"),
		offlineSettingsPage{s.frame(r, me)})
}
