package api

import "digest/web/page"

// routes returns the routes of the publisher API, which need a token. openapi.json describes them.
func (s *site) routes() map[string]page.Handler {
	const n = page.APIRoot + "{slug}"
	return page.Routes(s.forToken, map[string]apiHandler{
		"GET " + n:                              s.show,
		"PATCH " + n:                            s.change,
		"PUT " + n + "/logo":                    s.setLogo,
		"DELETE " + n + "/logo":                 s.removeLogo,
		"POST " + n + "/hold":                   ownersOnly(s.hold),
		"POST " + n + "/release":                ownersOnly(s.release),
		"GET " + n + "/days":                    s.days,
		"GET " + n + "/clicks":                  s.listClicks,
		"GET " + n + "/members":                 s.listMembers,
		"POST " + n + "/members":                s.join,
		"GET " + n + "/members/{id}":            s.member,
		"DELETE " + n + "/members/{id}":         s.leave,
		"GET " + n + "/letters":                 s.listLetters,
		"GET " + n + "/letters/next":            s.next,
		"PATCH " + n + "/letters/{date}":        s.changeLetter,
		"POST " + n + "/letters/{date}/approve": s.approve,
		"POST " + n + "/posts/{id}/pull":        s.pull,
		"POST " + n + "/posts/{id}/unpull":      s.unpull,
	})
}
