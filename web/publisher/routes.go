package publisher

import "digest/web/page"

// routes returns the routes of a newsletter's owner and editors.
func (s *Site) routes() map[string]page.Handler {
	return map[string]page.Handler{
		"GET /newsletters":        s.AsReader(s.publishedPage),
		"GET /newsletters/new":    s.AsReader(s.newPage),
		"POST /newsletters/new":   s.AsReader(s.newPage),
		"GET /newsletters/{slug}": s.forPublisher(s.publisherPage),

		"POST /newsletters/{slug}/hold":    s.forOwner(s.holdNewsletter),
		"POST /newsletters/{slug}/release": s.forOwner(s.releaseNewsletter),
		"GET /newsletters/{slug}/end":      s.forOwner(s.endPage),
		"POST /newsletters/{slug}/end":     s.forOwner(s.endPage),

		"GET /newsletters/{slug}/settings":              s.forPublisher(s.settingsPage),
		"POST /newsletters/{slug}/settings":             s.forPublisher(s.settingsPage),
		"GET /newsletters/{slug}/logo":                  s.forPublisher(s.logoPage),
		"POST /newsletters/{slug}/logo":                 s.forPublisher(s.setLogo),
		"POST /newsletters/{slug}/logo/remove":          s.forPublisher(s.removeLogo),
		"GET /newsletters/{slug}/logo/{file}":           s.forPublisher(s.logo),
		"GET /newsletters/{slug}/domain":                s.forPublisher(s.withDomains(s.domainPage)),
		"POST /newsletters/{slug}/domain":               s.forOwner(s.withDomains(s.nameDomain)),
		"POST /newsletters/{slug}/domain/check":         s.forPublisher(s.withDomains(s.lookAtDomain)),
		"POST /newsletters/{slug}/domain/remove":        s.forOwner(s.withDomains(s.removeDomain)),
		"GET /newsletters/{slug}/feeds":                 s.forPublisher(s.feedsPage),
		"POST /newsletters/{slug}/feeds":                s.forPublisher(s.feedsPage),
		"POST /newsletters/{slug}/feeds/{id}/remove":    s.forPublisher(s.removeNewsletterFeed),
		"GET /newsletters/{slug}/people":                s.forPublisher(s.peoplePage),
		"POST /newsletters/{slug}/people":               s.forOwner(s.peoplePage),
		"POST /newsletters/{slug}/people/{id}/remove":   s.forPublisher(s.removeEditor),
		"POST /newsletters/{slug}/people/{id}/owner":    s.forOwner(s.offerNewsletter),
		"POST /newsletters/{slug}/people/{id}/withdraw": s.forOwner(s.withdrawOffer),
		"POST /newsletters/{slug}/people/accept":        s.forPublisher(s.acceptOffer),
		"POST /newsletters/{slug}/people/decline":       s.forPublisher(s.declineOffer),

		"GET /newsletters/{slug}/members":             s.forPublisher(s.membersPage),
		"GET /newsletters/{slug}/members.zip":         s.forPublisher(s.exportMembers),
		"GET /newsletters/{slug}/members/add":         s.forPublisher(s.joinPage),
		"POST /newsletters/{slug}/members/add":        s.forPublisher(s.joinPage),
		"GET /newsletters/{slug}/members/import":      s.forPublisher(s.importPage),
		"POST /newsletters/{slug}/members/import":     s.forPublisher(s.importMembers),
		"GET /newsletters/{slug}/members/{id}":        s.forPublisher(s.memberPage),
		"POST /newsletters/{slug}/members/{id}/leave": s.forPublisher(s.letMemberLeave),

		"GET /newsletters/{slug}/numbers": s.forPublisher(s.numbersPage),

		"GET /newsletters/{slug}/tokens":              s.forPublisher(s.tokensPage),
		"POST /newsletters/{slug}/tokens":             s.forPublisher(s.tokensPage),
		"POST /newsletters/{slug}/tokens/{id}/remove": s.forPublisher(s.removeNewsletterToken),

		"GET /newsletters/{slug}/next":                    s.forPublisher(s.nextPage),
		"POST /newsletters/{slug}/next":                   s.forPublisher(s.setNext),
		"GET /newsletters/{slug}/next/preview":            s.forPublisher(s.nextShown),
		"POST /newsletters/{slug}/next/test":              s.forPublisher(s.sendTest),
		"POST /newsletters/{slug}/posts/{id}/pull":        s.forPublisher(s.pullPost),
		"POST /newsletters/{slug}/posts/{id}/unpull":      s.forPublisher(s.unpullPost),
		"GET /newsletters/{slug}/letters":                 s.forPublisher(s.lettersPage),
		"GET /newsletters/{slug}/letters/{date}":          s.forPublisher(s.letterPage),
		"POST /newsletters/{slug}/letters/{date}":         s.forPublisher(s.setLetter),
		"GET /newsletters/{slug}/letters/{date}/preview":  s.forPublisher(s.letterShown),
		"POST /newsletters/{slug}/letters/{date}/approve": s.forPublisher(s.approveLetter),
	}
}
