// Package programs serves requests of programs. It receives pings and the pushes of hubs, serves the actor that signs
// requests to the fediverse, and sends the pictures and audio files of posts.
package programs

import (
	"embed"

	"digest/web/page"
)

//go:embed templates/*.html
var templateFiles embed.FS

type site struct {
	*page.Site
	images    *imageCache // nil: no pictures are shown
	listening listening
}

// New returns the routes of s for programs.
func New(s *page.Site) page.Part {
	of := &site{Site: s, images: newImageCache(s.Options)}
	return page.Part{Name: "programs", Routes: of.routes(), Templates: templateFiles}
}

func (s *site) routes() map[string]page.Handler {
	return map[string]page.Handler{
		"GET /ping":                  s.ping,
		"POST /ping":                 s.ping,
		"POST /RPC2":                 s.ping,
		"GET /websub/{token}":        s.verifyHub,
		"POST /websub/{token}":       s.receivePush,
		"GET /image/{mac}/{address}": s.imageAt,
		"GET /sound/{mac}/{address}": s.ForReader(s.sound),
		"GET /actor":                 s.actor,
		"GET /actor/outbox":          s.actorOutbox,
		"POST /actor/inbox":          s.actorInbox,
		"GET /.well-known/webfinger": s.webFinger,
	}
}
