package web

// feedRoutes is the sites that a reader takes.
func (s *site) feedRoutes() table { return table{} }
