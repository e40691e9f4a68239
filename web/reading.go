package web

// readingRoutes is what is read: today, the archive, the posts.
func (s *site) readingRoutes() table {
	return table{
		"GET /{$}":             s.home,
		"GET /editions":        s.archive,
		"GET /editions/{date}": s.edition,
		"GET /e/{token}":       s.linkedEdition,
	}
}
