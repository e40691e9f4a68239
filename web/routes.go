package web

import (
	"maps"
	"net/http"
)

// oneClick is the route that mail programs post to from anywhere (RFC 8058 §3.2).
const oneClick = "POST /unsubscribe/{token}"

// A table is routes by their pattern.
type table map[string]handler

// routes is every address of the web view. A GET never changes anything but for
// a ping, which asks for no more than a poll that is allowed anyway. Each part
// of the web view keeps its own table beside its handlers.
func (s *site) routes() *http.ServeMux {
	all := table{
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
	}
	for _, part := range []table{
		s.readingRoutes(),
		s.doorRoutes(),
		s.feedRoutes(),
		s.filterRoutes(),
		s.settingsRoutes(),
		s.savedRoutes(),
		s.operatorRoutes(),
	} {
		maps.Copy(all, part)
	}
	mux := http.NewServeMux()
	for pattern, h := range all {
		mux.Handle(pattern, s.handle(h))
	}
	return mux
}
