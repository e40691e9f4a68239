package web

// doorRoutes is the way in and out.
func (s *site) doorRoutes() table {
	return table{
		"GET /sign-in":   s.signInPage,
		"POST /sign-in":  s.signIn,
		"POST /sign-out": s.signOut,
	}
}
