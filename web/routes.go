package web

import "net/http"

// oneClick is the route that mail programs post to from anywhere (RFC 8058 §3.2).
const oneClick = "POST /unsubscribe/{token}"

// routes is every address of the web view. A GET never changes anything but for
// a ping, which asks for no more than a poll that is allowed anyway.
func (s *site) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, h := range map[string]handler{
		"GET /{$}": s.home,

		"GET /sign-in":   s.signInPage,
		"POST /sign-in":  s.signIn,
		"POST /sign-out": s.signOut,

		"GET /editions":        s.archive,
		"GET /editions/{date}": s.edition,
		"GET /e/{token}":       s.linkedEdition,

		"GET /unsubscribe/{token}":       s.unsubscribePage,
		oneClick:                         s.unsubscribe,
		"POST /unsubscribe/{token}/undo": s.resubscribe,

		"POST /unsubscribe/{token}/pause":  s.pause,
		"POST /unsubscribe/{token}/resume": s.resume,
		"POST /unsubscribe/{token}/days":   s.days,

		"GET /image/{mac}/{address}": s.image,

		"GET /bot":    s.bot,
		"GET /status": s.status,
		"GET /ping":   s.ping,
		"POST /ping":  s.ping,
		"POST /RPC2":  s.call,

		"GET /healthz":       s.health,
		"GET /robots.txt":    s.robots,
		"GET /static/{name}": s.asset,
	} {
		mux.Handle(pattern, s.handle(h))
	}
	return mux
}
