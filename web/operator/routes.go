package operator

import "digest/web/page"

// routes returns the routes of the operator.
func (s *site) routes() map[string]page.Handler {
	return map[string]page.Handler{
		"GET /operator":                             s.AsOperator(s.operatorPage),
		"POST /operator/mail-again":                 s.AsOperator(s.mailAgain),
		"POST /operator/fence/release":              s.AsOperator(s.releaseFence),
		"POST /operator/test-mail":                  s.AsOperator(s.testMail),
		"POST /operator/mail/resume":                s.AsOperator(s.resumeMail),
		"GET /operator/feeds":                       s.ForOperator(s.feedsPage),
		"GET /operator/feeds/{id}":                  s.ForOperator(s.feedPage),
		"POST /operator/feeds/{id}/poll":            s.ForOperator(s.askFeed),
		"GET /operator/hosts":                       s.AsOperator(s.hostsPage),
		"POST /operator/hosts":                      s.AsOperator(s.hostsPage),
		"POST /operator/hosts/end":                  s.AsOperator(s.endHostRule),
		"GET /operator/readers":                     s.AsOperator(s.readersPage),
		"GET /operator/readers/{id}":                s.AsOperator(s.readerPage),
		"POST /operator/readers/{id}/resend":        s.AsOperator(s.resend),
		"POST /operator/readers/{id}/pause":         s.changesReader(s.pauseFor),
		"POST /operator/readers/{id}/resume":        s.changesReader(s.resumeFor),
		"POST /operator/readers/{id}/sign-in":       s.changesReader(s.mailSignIn),
		"POST /operator/readers/{id}/operator":      s.changesReader(s.makeOperator),
		"POST /operator/readers/{id}/operator/end":  s.changesReader(s.endOperator),
		"GET /operator/readers/{id}/remove":         s.AsOperator(s.removePage),
		"POST /operator/readers/{id}/remove":        s.AsOperator(s.removePage),
		"GET /operator/newsletters":                 s.AsOperator(s.newslettersPage),
		"POST /operator/newsletters/{slug}/approve": s.operates(s.approveNewsletter),
		"POST /operator/newsletters/{slug}/refuse":  s.operates(s.refuseNewsletter),
		"POST /operator/newsletters/{slug}/hold":    s.operates(s.holdFor),
		"POST /operator/newsletters/{slug}/release": s.operates(s.releaseFor),

		"GET /operator/dmarc": s.ForOperator(s.dmarcPage),

		"GET /operator/invitations":              s.AsOperator(s.invitationsPage),
		"POST /operator/invitations":             s.AsOperator(s.invitationsPage),
		"POST /operator/invitations/{id}/revoke": s.AsOperator(s.revokeInvitation),
	}
}
