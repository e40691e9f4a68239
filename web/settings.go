package web

// settingsRoutes is what a reader decides about their digest and account.
func (s *site) settingsRoutes() table { return table{} }
