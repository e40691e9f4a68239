package web

import (
	"digest/internal/catalogue"
	"digest/web/api"
	"digest/web/operator"
	"digest/web/page"
	"digest/web/programs"
	"digest/web/publisher"
)

// oneClick is the route to which mail programs post from any origin (RFC 8058 §3.2).
const oneClick = "POST /unsubscribe/{token}"

// parts returns all pages and routes. The handler and the template of "GET /settings/zone" are in settings_zone.go and
// templates/settings_zone.html.
//
// ForReader admits only signed-in readers, ForOperator only operators. Both parse a posted form, as WithForm does. A
// GET changes nothing, with two exceptions: a ping only queues a poll that is allowed anyway, and a hub confirms a
// subscription (WebSub).
func (s *site) parts() []page.Part {
	publishers := publisher.New(s.Site)
	return append([]page.Part{
		{Routes: s.publicRoutes(), Templates: templateFiles}, {Routes: s.readerRoutes()}, {Routes: s.settingsRoutes()},
		{Routes: s.fileRoutes()}, {Routes: formRoutes()}, {Routes: movedRoutes()}, programs.New(s.Site),
		operator.New(s.Site), api.New(publishers),
	}, publishers.Parts()...)
}

// publicRoutes returns the routes that need no session: the public pages, sign-in, and the links of emails.
func (s *site) publicRoutes() map[string]page.Handler {
	return map[string]page.Handler{
		"GET /{$}":       s.home,
		"GET /help":      s.helpPage,
		"GET /bot":       s.botPage,
		"GET /bot/site":  s.aboutSitePage,
		"POST /bot/site": page.WithForm(s.lookAtSite),
		"GET /status":    s.statusPage,
		"GET /e/{token}": s.linkedEditionPage,

		"GET /go/{name}/{token}": s.followClick,

		"GET /n/{slug}":             s.newsletterPage,
		"GET /n/{slug}/letters":     s.newsletterArchivePage,
		"GET /n/{slug}/feed.xml":    s.newsletterFeed,
		"GET /n/{slug}/{date}":      s.newsletterLetterPage,
		"GET /n/{slug}/look/{file}": s.newsletterLook,
		joinRoute:                   page.WithForm(s.requestJoin),
		"GET /n/{slug}/confirm":     s.confirmJoinPage,
		"POST /n/{slug}/confirm":    page.WithForm(s.confirmJoin),

		"GET /links":     s.links, // for a reader's session or access token
		"OPTIONS /links": s.linksPreflight,

		"GET /sign-in":           s.signInPage,
		"POST /sign-in":          page.WithForm(s.signIn),
		"POST /sign-in/email":    page.WithForm(s.requestSignIn),
		"POST /sign-in/operator": page.WithForm(s.useOperatorLink),
		"POST /sign-out":         s.signOut,
		"GET /sign-up":           s.signUpPage,
		"POST /sign-up":          page.WithForm(s.requestSignUp),
		"GET /sign-up/confirm":   s.confirmSignUpPage,
		"POST /sign-up/confirm":  page.WithForm(s.confirmSignUp),
		"GET /goodbye":           s.goodbyePage,

		"POST /passkeys/sign-in/begin":   s.passkeyJSON(s.beginPasskey),
		"POST /passkeys/sign-in/finish":  s.passkeyJSON(s.finishPasskey),
		"POST /passkeys/register/begin":  s.forReaderJSON(s.beginRegister),
		"POST /passkeys/register/finish": s.forReaderJSON(s.finishRegister),

		"GET /unsubscribe/{token}":         s.unsubscribePage,
		"GET /unsubscribe/{token}/{form}":  toLinkPage,
		oneClick:                           s.unsubscribe,
		"POST /unsubscribe/{token}/leave":  byLink(s.unsubscribeByButton),
		"POST /unsubscribe/{token}/undo":   byLink(s.resubscribe),
		"POST /unsubscribe/{token}/pause":  s.changeDigest(catalogue.Key("Paused"), s.pauseDigest),
		"POST /unsubscribe/{token}/resume": s.changeDigest(catalogue.Key("Welcome back"), s.resumeDigest),
		"POST /unsubscribe/{token}/days":   s.changeDigest(catalogue.Key("Schedule"), s.setDigestDays),
		"GET /moved/{token}":               s.movedPage,
		"POST /moved/{token}":              byLink(s.goBack),
		"GET /undo/{token}":                s.undoPage,
		"POST /undo/{token}":               byLink(s.undo),
		"GET /remedies/{token}":            s.remediesPage,
		"GET /remedies/{token}/{form}":     toLinkPage,
		"POST /remedies/{token}/find":      s.remedy(s.lookAgain),
		"POST /remedies/{token}/add":       s.remedy(s.subscribeOffered),
		"POST /remedies/{token}/pause":     s.remedy(s.pauseFailing),
		"POST /remedies/{token}/resume":    s.remedy(s.resumeFailing),
		"POST /remedies/{token}/leave":     s.remedy(s.leaveFailing),
		"POST /remedies/{token}/back":      s.remedy(s.returnFailing),
		"GET /trial/{token}/{answer}":      s.trialPage,
		"POST /trial/{token}/keep":         s.answer(s.keepByLink),
		"POST /trial/{token}/stop":         s.answer(s.leaveFailing),
		"POST /trial/{token}/back":         s.answer(s.returnFailing),
		"GET /save/{token}":                s.letterSavePage,
		"GET /save/{token}/{form}":         toLinkPage,
		"POST /save/{token}/add":           byLink(s.saveByLetter),
		"POST /save/{token}/undo":          byLink(s.unsaveByLetter),
		"GET /site/{token}":                s.letterSitePage,
		"GET /site/{token}/{form}":         toLinkPage,
		"POST /site/{token}/display":       s.onLetterSite(s.displayByLetter),
		"POST /site/{token}/pause":         s.onLetterSite(s.pauseByLetter),
		"POST /site/{token}/resume":        s.onLetterSite(s.resumeByLetter),
		"POST /site/{token}/leave":         s.onLetterSite(s.leaveByLetter),
		"POST /site/{token}/back":          s.onLetterSite(s.returnByLetter),
		"GET /settings/address/confirm":    s.confirmAddressPage,
		"POST /settings/address/confirm":   page.WithForm(s.confirmAddress),
	}
}

// fileRoutes returns the routes of the files that pages load, and of the files for crawlers and monitors.
func (s *site) fileRoutes() map[string]page.Handler {
	return map[string]page.Handler{
		"GET /static/{name}":        s.Asset,
		"GET /worker.js":            s.worker,
		"GET /manifest.webmanifest": s.manifest,
		"GET /robots.txt":           s.robots,
		"GET /healthz":              s.health,
		"GET /metrics":              s.metrics,
	}
}

// readerRoutes returns the routes with which readers read and manage feeds.
func (s *site) readerRoutes() map[string]page.Handler {
	return page.Routes(s.ForReader, map[string]page.ReaderHandler{
		"POST /memberships/feeds":           s.setShared,
		"GET /memberships":                  s.membershipsPage,
		"GET /letters/{slug}/{date}":        s.receivedPage,
		"POST /first":                       s.forOwnDigest(s.sendFirst),
		"GET /tomorrow":                     s.forOwnDigest(s.tomorrowPage),
		"POST /tomorrow":                    s.forOwnDigest(s.showTomorrow),
		"GET /editions":                     s.forOwnDigest(s.editionsPage),
		"GET /editions/{date}":              s.editionPage,
		"GET /editions/{date}/print":        s.printedEditionPage,
		"GET /editions/{date}/why":          s.whyPage,
		"GET /offline":                      s.offlinePage,
		"GET /offline.json":                 s.offlineEditions,
		"GET /editions/{date}/offline.json": s.offlineEdition,
		"GET /posts/{id}":                   s.postPage,
		"GET /posts/{id}/versions/{at}":     s.versionPage,
		"POST /posts/{id}/save":             s.save,
		"POST /posts/{id}/unsave":           s.unsave,
		"GET /saved":                        s.savedPage,
		"GET /search":                       s.searchPage,
		"GET /feeds":                        s.forOwnDigest(s.feedsPage),
		"POST /feeds/find":                  s.forOwnDigest(s.findFeeds),
		"POST /feeds/add":                   s.forOwnDigest(s.addFeeds),
		"GET /feeds/add":                    s.forOwnDigest(s.feedsAddPage),
		"GET /feeds/share":                  s.forOwnDigest(s.feedsSharePage),
		"GET /feeds/import":                 s.forOwnDigest(s.feedsImportPage),
		"POST /feeds/import":                s.forOwnDigest(s.importList),
		"GET /feeds/import/report":          s.forOwnDigest(s.importReportPage),
		"GET /feeds/export":                 s.forOwnDigest(s.exportList),
		"POST /feeds/export":                s.forOwnDigest(s.exportList),
		"POST /feeds/return":                s.forOwnDigest(s.returnFeeds),
		"GET /feeds/{id}":                   s.forOwnDigest(s.feedPage),
		"GET /feeds/{id}/posts":             s.forOwnDigest(s.feedPostsPage),
		"POST /feeds/{id}":                  s.forOwnDigest(s.setFeed),
		"POST /feeds/{id}/pause":            s.forOwnDigest(s.pauseFeed),
		"POST /feeds/{id}/credential":       s.forOwnDigest(s.setCredential),
		"POST /feeds/{id}/resume":           s.forOwnDigest(s.resumeFeed),
		"POST /feeds/{id}/leave":            s.forOwnDigest(s.unsubscribeFeed),
		"POST /feeds/{id}/unfold":           s.forOwnDigest(s.unfoldFeed),
		"POST /feeds/{id}/keep":             s.forOwnDigest(s.keepFeed),
		"GET /feeds/several":                s.forOwnDigest(s.feedsSeveralPage),
		"POST /feeds/several/folder":        s.forOwnDigest(s.onSeveral(s.moveFeeds)),
		"POST /feeds/several/display":       s.forOwnDigest(s.onSeveral(s.displayFeeds)),
		"POST /feeds/several/pause":         s.forOwnDigest(s.onSeveral(s.pauseFeeds)),
		"POST /feeds/several/resume":        s.forOwnDigest(s.onSeveral(s.resumeFeeds)),
		"POST /feeds/several/leave":         s.forOwnDigest(s.leaveSeveral),
		"GET /filters":                      s.forOwnDigest(s.filtersPage),
		"POST /filters":                     s.forOwnDigest(s.addFilter),
		"POST /filters/{id}/remove":         s.forOwnDigest(s.removeFilter),
		"GET /filtered":                     s.forOwnDigest(s.heldPage),
		"GET /settings/data.zip":            s.downloadData,
	})
}

// formRoutes returns the addresses of forms, which browsers request again after a reload.
func formRoutes() map[string]page.Handler {
	return map[string]page.Handler{
		"GET /first":                 toHome,
		"GET /feeds/find":            toFeeds,
		"GET /feeds/return":          toFeeds,
		"GET /feeds/{id}/leave":      toFeeds,
		"GET /feeds/several/folder":  toFeeds,
		"GET /feeds/several/display": toFeeds,
		"GET /feeds/several/pause":   toFeeds,
		"GET /feeds/several/resume":  toFeeds,
	}
}

// settingsRoutes returns the routes of a reader's settings. The form of each page posts to the page's own address.
func (s *site) settingsRoutes() map[string]page.Handler {
	return page.Routes(s.AsReader, map[string]func(*page.Visit) error{
		"GET /settings":             s.settingsPage,
		"POST /settings/start":      s.startAgain,
		"GET /sign-out/everywhere":  s.signOutPage,
		"POST /sign-out/everywhere": s.signOutEverywhere,

		"GET /settings/zone":           s.zonePage,
		"POST /settings/zone":          s.zonePage,
		"GET /settings/schedule":       s.schedulePage,
		"POST /settings/schedule":      s.schedulePage,
		"GET /settings/pause":          s.pausePage,
		"POST /settings/pause":         s.pausePage,
		"POST /settings/pause/end":     s.endPause,
		"GET /settings/travel":         s.travelPage,
		"POST /settings/travel":        s.travelPage,
		"POST /settings/travel/remove": s.removeStay,
		"GET /settings/appearance":     s.appearancePage,
		"POST /settings/appearance":    s.appearancePage,
		"GET /settings/language":       s.languagePage,
		"POST /settings/language":      s.setLanguage,
		"GET /settings/offline":        s.offlineSettingsPage,

		"POST /settings/pages/edition": s.setWeb, // for pages that are open during an upgrade

		"GET /settings/address":               s.addressPage,
		"POST /settings/address":              s.requestAddress,
		"POST /settings/address/cancel":       s.cancelAddress,
		"GET /settings/passkeys":              s.passkeysPage,
		"POST /settings/passkeys/{id}/remove": s.removePasskey,

		"GET /settings/token":         s.tokenPage,
		"POST /settings/token":        s.tokenPage,
		"POST /settings/token/remove": s.removeToken,

		"GET /settings/links":   s.linksPage,
		"POST /settings/links":  s.voidLinks,
		"GET /settings/data":    s.dataPage,
		"GET /settings/delete":  s.deletePage,
		"POST /settings/delete": s.deletePage,
	})
}
