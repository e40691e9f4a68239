package web

import (
	"digest/internal/catalogue"
	"digest/web/page"
)

// offlineSettingsPage asks whether this browser stores editions. page/static/offline/page.js stores the setting in the
// browser, because readers decide it for each device.
func (s *site) offlineSettingsPage(v *page.Visit) error {
	if !s.Offline {
		return page.ErrNotFound
	}
	return v.Show(nil, "settings_offline", catalogue.Key("Offline reading"), v)
}
