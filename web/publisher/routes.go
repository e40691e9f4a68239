package publisher

import "digest/web/page"

// routes returns the routes of a newsletter's owner and editors.
func (s *Site) routes() map[string]page.Handler {
	return page.Routes(s.forPublisher, map[string]func(publisher) error{
		"GET /newsletters/{slug}": s.publisherPage,

		"POST /newsletters/{slug}/hold":    forOwner(s.holdNewsletter),
		"POST /newsletters/{slug}/release": forOwner(s.releaseNewsletter),
		"GET /newsletters/{slug}/end":      forOwner(s.endPage),
		"POST /newsletters/{slug}/end":     forOwner(s.endPage),

		"GET /newsletters/{slug}/settings":              s.settingsPage,
		"POST /newsletters/{slug}/settings":             s.settingsPage,
		"GET /newsletters/{slug}/logo":                  s.logoPage,
		"POST /newsletters/{slug}/logo":                 s.setLogo,
		"POST /newsletters/{slug}/logo/remove":          s.removeLogo,
		"GET /newsletters/{slug}/logo/{file}":           s.logo,
		"GET /newsletters/{slug}/domain":                s.withDomains(s.domainPage),
		"POST /newsletters/{slug}/domain":               forOwner(s.withDomains(s.nameDomain)),
		"POST /newsletters/{slug}/domain/check":         s.withDomains(s.lookAtDomain),
		"POST /newsletters/{slug}/domain/remove":        forOwner(s.withDomains(s.removeDomain)),
		"GET /newsletters/{slug}/feeds":                 s.feedsPage,
		"POST /newsletters/{slug}/feeds":                s.feedsPage,
		"POST /newsletters/{slug}/feeds/{id}/remove":    s.removeNewsletterFeed,
		"GET /newsletters/{slug}/people":                s.peoplePage,
		"POST /newsletters/{slug}/people":               forOwner(s.peoplePage),
		"POST /newsletters/{slug}/people/{id}/remove":   s.removeEditor,
		"POST /newsletters/{slug}/people/{id}/owner":    forOwner(s.offerNewsletter),
		"POST /newsletters/{slug}/people/{id}/withdraw": forOwner(s.withdrawOffer),
		"POST /newsletters/{slug}/people/accept":        s.acceptOffer,
		"POST /newsletters/{slug}/people/decline":       s.declineOffer,

		"GET /newsletters/{slug}/members":             s.membersPage,
		"GET /newsletters/{slug}/members.zip":         s.exportMembers,
		"GET /newsletters/{slug}/members/add":         s.joinPage,
		"POST /newsletters/{slug}/members/add":        s.joinPage,
		"GET /newsletters/{slug}/members/import":      s.importPage,
		"POST /newsletters/{slug}/members/import":     s.importMembers,
		"GET /newsletters/{slug}/members/{id}":        s.memberPage,
		"POST /newsletters/{slug}/members/{id}/leave": s.letMemberLeave,

		"GET /newsletters/{slug}/numbers": s.numbersPage,

		"GET /newsletters/{slug}/tokens":              s.tokensPage,
		"POST /newsletters/{slug}/tokens":             s.tokensPage,
		"POST /newsletters/{slug}/tokens/{id}/remove": s.removeNewsletterToken,

		"GET /newsletters/{slug}/next":                    s.nextPage,
		"POST /newsletters/{slug}/next":                   s.setNext,
		"GET /newsletters/{slug}/next/preview":            s.nextShown,
		"POST /newsletters/{slug}/next/test":              s.sendTest,
		"POST /newsletters/{slug}/posts/{id}/pull":        s.pullPost,
		"POST /newsletters/{slug}/posts/{id}/unpull":      s.unpullPost,
		"GET /newsletters/{slug}/letters":                 s.lettersPage,
		"GET /newsletters/{slug}/letters/{date}":          s.letterPage,
		"POST /newsletters/{slug}/letters/{date}":         s.setLetter,
		"GET /newsletters/{slug}/letters/{date}/preview":  s.letterShown,
		"POST /newsletters/{slug}/letters/{date}/approve": s.approveLetter,
	})
}

// readerRoutes returns the routes of all readers.
func (s *Site) readerRoutes() map[string]page.Handler {
	return page.Routes(s.AsReader, map[string]func(*page.Visit) error{
		"GET /newsletters":      s.publishedPage,
		"GET /newsletters/new":  s.newPage,
		"POST /newsletters/new": s.newPage,
	})
}
