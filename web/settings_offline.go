package web

import "digest/internal/catalogue"

// Budgets returns the choices of storage on a device, in MB.
func (v *visit) Budgets() []int { return []int{25, 50, 100, 250} }

// offlineSettingsPage asks whether this browser stores editions. static/offline/page.js stores the setting in the
// browser, because readers decide it for each device.
func (s *site) offlineSettingsPage(v *visit) error {
	if !s.Offline {
		return errNotFound
	}
	return v.show(nil, "settings_offline", catalogue.Key("Offline reading"), v)
}
