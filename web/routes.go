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
	return []page.Part{
		{Routes: s.publicRoutes(), Templates: templateFiles}, {Routes: s.readerRoutes()}, {Routes: s.settingsRoutes()},
		{Routes: s.fileRoutes()}, {Routes: movedRoutes()}, programs.New(s.Site), operator.New(s.Site),
		publishers.Part(), api.New(publishers),
	}
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
	return map[string]page.Handler{
		"POST /memberships/feeds":    s.ForReader(s.setShared),
		"GET /memberships":           s.ForReader(s.membershipsPage),
		"GET /letters/{slug}/{date}": s.ForReader(s.receivedPage),
		"POST /first":                s.ForReader(s.forOwnDigest(s.sendFirst)),
		"GET /first":                 toHome,
		"GET /tomorrow":              s.ForReader(s.forOwnDigest(s.tomorrowPage)),
		"POST /tomorrow":             s.ForReader(s.forOwnDigest(s.showTomorrow)),
		"GET /editions":              s.ForReader(s.forOwnDigest(s.editionsPage)),
		"GET /editions/{date}":       s.ForReader(s.editionPage),
		"GET /editions/{date}/print": s.ForReader(s.printedEditionPage),
		"GET /offline":               s.ForReader(s.offlinePage),
		"GET /offline.json":          s.ForReader(s.offlineEditions),

		"GET /editions/{date}/offline.json": s.ForReader(s.offlineEdition),

		"GET /posts/{id}":               s.ForReader(s.postPage),
		"GET /posts/{id}/versions/{at}": s.ForReader(s.versionPage),
		"POST /posts/{id}/save":         s.ForReader(s.save),
		"POST /posts/{id}/unsave":       s.ForReader(s.unsave),
		"GET /saved":                    s.ForReader(s.savedPage),
		"GET /search":                   s.ForReader(s.searchPage),

		"GET /feeds":                  s.ForReader(s.forOwnDigest(s.feedsPage)),
		"POST /feeds/find":            s.ForReader(s.forOwnDigest(s.findFeeds)),
		"GET /feeds/find":             toFeeds,
		"POST /feeds/add":             s.ForReader(s.forOwnDigest(s.addFeeds)),
		"GET /feeds/add":              s.ForReader(s.forOwnDigest(s.feedsAddPage)),
		"GET /feeds/share":            s.ForReader(s.forOwnDigest(s.feedsSharePage)),
		"GET /feeds/import":           s.ForReader(s.forOwnDigest(s.feedsImportPage)),
		"POST /feeds/import":          s.ForReader(s.forOwnDigest(s.importList)),
		"GET /feeds/import/report":    s.ForReader(s.forOwnDigest(s.importReportPage)),
		"GET /feeds/export":           s.ForReader(s.forOwnDigest(s.exportList)),
		"POST /feeds/export":          s.ForReader(s.forOwnDigest(s.exportList)),
		"POST /feeds/return":          s.ForReader(s.forOwnDigest(s.returnFeeds)),
		"GET /feeds/return":           toFeeds,
		"GET /feeds/{id}":             s.ForReader(s.forOwnDigest(s.feedPage)),
		"GET /feeds/{id}/posts":       s.ForReader(s.forOwnDigest(s.feedPostsPage)),
		"POST /feeds/{id}":            s.ForReader(s.forOwnDigest(s.setFeed)),
		"POST /feeds/{id}/pause":      s.ForReader(s.forOwnDigest(s.pauseFeed)),
		"POST /feeds/{id}/credential": s.ForReader(s.forOwnDigest(s.setCredential)),
		"POST /feeds/{id}/resume":     s.ForReader(s.forOwnDigest(s.resumeFeed)),
		"POST /feeds/{id}/leave":      s.ForReader(s.forOwnDigest(s.unsubscribeFeed)),
		"GET /feeds/{id}/leave":       toFeeds,

		"GET /feeds/several":          s.ForReader(s.forOwnDigest(s.feedsSeveralPage)),
		"POST /feeds/several/folder":  s.ForReader(s.forOwnDigest(s.onSeveral(s.moveFeeds))),
		"POST /feeds/several/display": s.ForReader(s.forOwnDigest(s.onSeveral(s.displayFeeds))),
		"POST /feeds/several/pause":   s.ForReader(s.forOwnDigest(s.onSeveral(s.pauseFeeds))),
		"POST /feeds/several/resume":  s.ForReader(s.forOwnDigest(s.onSeveral(s.resumeFeeds))),
		"POST /feeds/several/leave":   s.ForReader(s.forOwnDigest(s.leaveSeveral)),
		"GET /feeds/several/folder":   toFeeds,
		"GET /feeds/several/display":  toFeeds,
		"GET /feeds/several/pause":    toFeeds,
		"GET /feeds/several/resume":   toFeeds,

		"GET /filters":              s.ForReader(s.forOwnDigest(s.filtersPage)),
		"POST /filters":             s.ForReader(s.forOwnDigest(s.addFilter)),
		"POST /filters/{id}/remove": s.ForReader(s.forOwnDigest(s.removeFilter)),
		"GET /filtered":             s.ForReader(s.forOwnDigest(s.heldPage)),
	}
}

// settingsRoutes returns the routes of a reader's settings. The form of each page posts to the page's own address.
func (s *site) settingsRoutes() map[string]page.Handler {
	return map[string]page.Handler{
		"GET /settings":             s.AsReader(s.settingsPage),
		"POST /settings/start":      s.AsReader(s.startAgain),
		"GET /sign-out/everywhere":  s.AsReader(s.signOutPage),
		"POST /sign-out/everywhere": s.AsReader(s.signOutEverywhere),

		"GET /settings/zone":           s.AsReader(s.zonePage),
		"POST /settings/zone":          s.AsReader(s.zonePage),
		"GET /settings/schedule":       s.AsReader(s.schedulePage),
		"POST /settings/schedule":      s.AsReader(s.schedulePage),
		"GET /settings/pause":          s.AsReader(s.pausePage),
		"POST /settings/pause":         s.AsReader(s.pausePage),
		"POST /settings/pause/end":     s.AsReader(s.endPause),
		"GET /settings/travel":         s.AsReader(s.travelPage),
		"POST /settings/travel":        s.AsReader(s.travelPage),
		"POST /settings/travel/remove": s.AsReader(s.removeStay),
		"GET /settings/appearance":     s.AsReader(s.appearancePage),
		"POST /settings/appearance":    s.AsReader(s.appearancePage),
		"GET /settings/language":       s.AsReader(s.languagePage),
		"POST /settings/language":      s.AsReader(s.setLanguage),
		"GET /settings/offline":        s.AsReader(s.offlineSettingsPage),

		"POST /settings/pages/edition": s.AsReader(s.setWeb), // for pages that are open during an upgrade

		"GET /settings/address":               s.AsReader(s.addressPage),
		"POST /settings/address":              s.AsReader(s.requestAddress),
		"POST /settings/address/cancel":       s.AsReader(s.cancelAddress),
		"GET /settings/passkeys":              s.AsReader(s.passkeysPage),
		"POST /settings/passkeys/{id}/remove": s.AsReader(s.removePasskey),

		"GET /settings/token":         s.AsReader(s.tokenPage),
		"POST /settings/token":        s.AsReader(s.tokenPage),
		"POST /settings/token/remove": s.AsReader(s.removeToken),

		"GET /settings/links":    s.AsReader(s.linksPage),
		"POST /settings/links":   s.AsReader(s.voidLinks),
		"GET /settings/data":     s.AsReader(s.dataPage),
		"GET /settings/data.zip": s.ForReader(s.downloadData),
		"GET /settings/delete":   s.AsReader(s.deletePage),
		"POST /settings/delete":  s.AsReader(s.deletePage),
	}
}
