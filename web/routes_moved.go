package web

import (
	"net/http"
	"net/url"
	"strings"

	"digest/web/page"
)

// movedRoutes redirects the former addresses of pages and forms: old emails, bookmarks and pages that are open during
// an upgrade still have them. A form is sent again to the new address (308).
func movedRoutes() map[string]page.Handler {
	routes := map[string]page.Handler{}
	for from, to := range map[string]string{
		"GET /held":                  "/filtered",
		"GET /feeds/several/rest":    "/feeds/several/pause",
		"GET /feeds/several/wake":    "/feeds/several/resume",
		"GET /posts/{id}/later/{at}": "/posts/{id}/versions/{at}",

		"GET /newsletters/{slug}/next/shown":           "/newsletters/{slug}/next/preview",
		"GET /newsletters/{slug}/letters/{date}/shown": "/newsletters/{slug}/letters/{date}/preview",

		"POST /remedies/{token}/rest":   "/remedies/{token}/pause",
		"POST /remedies/{token}/wake":   "/remedies/{token}/resume",
		"POST /site/{token}/rest":       "/site/{token}/pause",
		"POST /site/{token}/wake":       "/site/{token}/resume",
		"POST /feeds/{id}/rest":         "/feeds/{id}/pause",
		"POST /feeds/{id}/wake":         "/feeds/{id}/resume",
		"POST /feeds/{id}/ask":          "/feeds/{id}/credential",
		"POST /operator/feeds/{id}/ask": "/operator/feeds/{id}/poll",
		"POST /sign-in/letter":          "/sign-in/email",
		"POST /sign-in/owner":           "/sign-in/operator",

		"GET /settings/days":          "/settings/schedule",
		"GET /settings/stays":         "/settings/travel",
		"GET /settings/mail":          "/settings/appearance",
		"GET /settings/pages":         "/settings/appearance",
		"GET /settings/pages/edition": "/settings/appearance",
		"GET /settings/front":         "/settings/appearance",
		"POST /settings/days":         "/settings/schedule",
		"POST /settings/mailed":       "/settings/schedule",
		"POST /settings/stays":        "/settings/travel",
		"POST /settings/stays/remove": "/settings/travel/remove",
		"POST /settings/mail":         "/settings/appearance",
		"POST /settings/pages":        "/settings/appearance",
		"POST /settings/front/name":   "/settings/appearance",
		"POST /settings/front/order":  "/settings/appearance",
		"POST /settings/front/lead":   "/settings/appearance",

		"POST /newsletters/{slug}/domain/look":      "/newsletters/{slug}/domain/check",
		"POST /newsletters/{slug}/people/{id}/keep": "/newsletters/{slug}/people/{id}/withdraw",
	} {
		routes[from] = redirectTo(to)
	}
	return routes
}

// redirectTo redirects to the path of pattern, with the wildcards and the query of the request.
func redirectTo(pattern string) page.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		parts := strings.Split(pattern, "/")
		for i, part := range parts {
			if name, ok := strings.CutPrefix(part, "{"); ok {
				parts[i] = url.PathEscape(r.PathValue(strings.TrimSuffix(name, "}")))
			}
		}
		to := strings.Join(parts, "/")
		if r.URL.RawQuery != "" {
			to += "?" + r.URL.RawQuery
		}
		status := http.StatusPermanentRedirect
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			status = http.StatusMovedPermanently
		}
		http.Redirect(w, r, to, status)
		return nil
	}
}
