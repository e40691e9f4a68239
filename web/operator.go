package web

// operatorRoutes is what whoever runs this instance sees.
func (s *site) operatorRoutes() table { return table{} }
