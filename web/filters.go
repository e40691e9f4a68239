package web

// filterRoutes is the words that a reader does not want to read.
func (s *site) filterRoutes() table { return table{} }
