package api

import "digest/web/page"

// routes returns the routes of the publisher API, which need a token. openapi.json describes them.
func (s *site) routes() map[string]page.Handler {
	const n = page.APIRoot + "{slug}"
	return map[string]page.Handler{
		"GET /api/openapi.json": s.document,

		"GET " + n:                              s.forToken(s.show),
		"PATCH " + n:                            s.forToken(s.change),
		"PUT " + n + "/logo":                    s.forToken(s.setLogo),
		"DELETE " + n + "/logo":                 s.forToken(s.removeLogo),
		"POST " + n + "/hold":                   s.forToken(ownersOnly(s.hold)),
		"POST " + n + "/release":                s.forToken(ownersOnly(s.release)),
		"GET " + n + "/days":                    s.forToken(s.days),
		"GET " + n + "/clicks":                  s.forToken(s.listClicks),
		"GET " + n + "/members":                 s.forToken(s.listMembers),
		"POST " + n + "/members":                s.forToken(s.join),
		"GET " + n + "/members/{id}":            s.forToken(s.member),
		"DELETE " + n + "/members/{id}":         s.forToken(s.leave),
		"GET " + n + "/letters":                 s.forToken(s.listLetters),
		"GET " + n + "/letters/next":            s.forToken(s.next),
		"PATCH " + n + "/letters/{date}":        s.forToken(s.changeLetter),
		"POST " + n + "/letters/{date}/approve": s.forToken(s.approve),
		"POST " + n + "/posts/{id}/pull":        s.forToken(s.pull),
		"POST " + n + "/posts/{id}/unpull":      s.forToken(s.unpull),
	}
}
