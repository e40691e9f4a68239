package page

import (
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"digest/internal/logo"

	"github.com/klauspost/compress/gzhttp"
)

// MaxBody is the maximum body of a form in bytes.
const MaxBody = 64 << 10

// ContentPolicy allows only resources of this site, so that nothing in a feed can run, send data
// elsewhere or frame our pages.
const ContentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; media-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard wraps all routes with security headers, body limits and the rejection of forms from other
// sites. It shows our own error page where the mux would respond with plain text.
func (s *Site) guard(mux *http.ServeMux, fromAnywhere []string) http.Handler {
	origin := http.NewCrossOriginProtection()
	for _, route := range fromAnywhere {
		origin.AddInsecureBypassPattern(route)
	}
	origin.SetDenyHandler(s.Handle(func(http.ResponseWriter, *http.Request) error { return errForeignForm }))
	inner := s.withSession(s.withLeaving(origin.Handler(s.orProblem(mux))))
	return s.observed(mux, compressed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.watchProxies(r)
		s.secure(w.Header(), s.withoutTLS(r))
		r.Body = &boundedBody{ReadCloser: http.MaxBytesReader(w, r.Body, s.bodyLimit(r)), whole: r.Body}
		inner.ServeHTTP(w, r)
	})))
}

// compressed compresses text responses. It adds random bytes, because the exact length of a page
// that echoes input would let a network attacker guess the rest of the page (BREACH).
func compressed(h http.Handler) http.Handler {
	const leastSize, jitter = 1 << 10, 32
	isText := func(contentType string) bool {
		return strings.HasPrefix(contentType, "text/") || strings.HasPrefix(contentType, "image/svg+xml")
	}
	wrap, err := gzhttp.NewWrapper(gzhttp.EnableZstd(false), gzhttp.MinSize(leastSize),
		gzhttp.RandomJitter(jitter, 0, false), gzhttp.ContentTypeFilter(isText))
	if err != nil {
		panic(err) // only for contradictory options
	}
	text := wrap(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// shared caches should store one variant of each picture; audio is streamed
		if strings.HasPrefix(r.URL.Path, "/image/") || strings.HasPrefix(r.URL.Path, "/sound/") {
			h.ServeHTTP(w, r)
			return
		}
		text.ServeHTTP(w, r)
	})
}

// bodyLimit returns the maximum body of a request in bytes. Uploads may be larger.
func (s *Site) bodyLimit(r *http.Request) int64 {
	switch path := r.URL.Path; {
	case bringsList(path):
		return MaxList + MaxBody
	case bringsLogo(path), strings.HasPrefix(path, APIRoot) && strings.HasSuffix(path, "/logo"):
		return logo.MaxBytes + MaxBody
	case strings.HasPrefix(path, PushRoot):
		return maxPush
	case strings.HasPrefix(path, "/feeds/"), path == "/filters":
		return maxNames
	}
	return MaxBody
}

func bringsFile(path string) bool { return bringsList(path) || bringsLogo(path) }

func bringsList(path string) bool {
	return path == "/feeds/import" || strings.HasPrefix(path, "/newsletters/") &&
		strings.HasSuffix(path, "/members/import")
}

func bringsLogo(path string) bool {
	return strings.HasPrefix(path, "/newsletters/") && strings.HasSuffix(path, "/logo")
}

// maxNames is the maximum body of a form with a name. It is large, so that the error page for a
// long name can show the shortened name.
const maxNames = 8 << 20

// A boundedBody is a request body with a limit. whole is the body without the limit.
type boundedBody struct {
	io.ReadCloser
	whole io.Reader
	begun bool
	long  *longForm // nil for bodies that do not count
}

func (b *boundedBody) Read(p []byte) (int, error) {
	b.begun = true
	n, err := b.ReadCloser.Read(p)
	if full := b.long.grow(n); full != nil {
		return 0, full
	}
	return n, err
}

// CountBody counts the body of a request against the limit of all long bodies, until the returned function is called.
func (s *Site) CountBody(r *http.Request) (end func()) {
	body, ok := r.Body.(*boundedBody)
	if !ok {
		return func() {}
	}
	body.long = s.long.begin()
	return body.long.end
}

const maxDrained = 128 << 20

// Drain reads and discards the rest of a body that was too large. Browsers show the response only
// after they have sent the whole body, and not at all if the connection is closed before. A client
// that waits for 100 Continue sends no body.
func Drain(r *http.Request) {
	b, ok := r.Body.(*boundedBody)
	if !ok || !b.begun && strings.EqualFold(r.Header.Get("Expect"), "100-continue") {
		return
	}
	_, _ = io.CopyN(io.Discard, b.whole, maxDrained) // a client that has disconnected needs no response
}

// secure sets the headers of all responses. Responses are private by default. If the request came
// without TLS (inClear), it must not send Strict-Transport-Security (RFC 6797 §7.2).
func (s *Site) secure(h http.Header, inClear bool) {
	h.Set("Content-Security-Policy", ContentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	// With no-referrer, browsers send "Origin: null" with forms. Over plain HTTP this looks like a
	// form of another site.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	if s.IsTLS() && !inClear { // browsers ignore both without TLS
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// orProblem serves mux. If no route matches, it shows our error page with the status from mux: 404,
// or 405 with its Allow header. A GET of a form's address, after a reload, redirects to the page
// above it.
func (s *Site) orProblem(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		answer := statusOnly{header: http.Header{}, status: http.StatusNotFound}
		h.ServeHTTP(&answer, r)
		s.Handle(func(http.ResponseWriter, *http.Request) error {
			if page := s.PageAbove(url.URL{Path: r.URL.Path}); answer.status == http.StatusMethodNotAllowed &&
				IsForm(r) && page.Path != "/" {
				return SeeOther(w, r, page.String())
			}
			// mux redirects to the cleaned path with Location
			for _, name := range [...]string{"Allow", "Location"} {
				if value, ok := answer.header[name]; ok {
					w.Header()[name] = value
				}
			}
			return problemWith(answer.status)
		}).ServeHTTP(w, r)
	})
}

// IsForm reports whether a browser, not a program, may have sent a GET for a form's address.
func IsForm(r *http.Request) bool {
	isGet := r.Method == http.MethodGet || r.Method == http.MethodHead
	return isGet && !strings.HasPrefix(r.URL.Path, APIRoot) && !strings.HasPrefix(r.URL.Path, "/actor/")
}

// A statusOnly records the status and the headers of a response and discards the body.
type statusOnly struct {
	header http.Header
	status int
}

func (a *statusOnly) Header() http.Header         { return a.header }
func (a *statusOnly) WriteHeader(status int)      { a.status = status }
func (a *statusOnly) Write(b []byte) (int, error) { return len(b), nil }

// NewServer returns a server for h with timeouts and a limit for headers.
func NewServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
