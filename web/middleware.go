package web

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

// maxBody is the most a visitor may send, in bytes: the forms here are tiny.
const maxBody = 64 << 10

// contentPolicy lets a page load its own style sheet, scripts, pictures and sound and
// nothing else, its service worker and manifest too, so that nothing in a feed can run, phone home, or frame us.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; media-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard puts around all routes what no route may forget: security headers,
// body limits, the refusal of forms posted by other sites, and our own page
// where the mux would answer in plain text.
func (s *site) guard(mux *http.ServeMux) http.Handler {
	origin := http.NewCrossOriginProtection()
	origin.AddInsecureBypassPattern(oneClick)  // the token in the path is the proof; it needs no cookie
	origin.AddInsecureBypassPattern(joinRoute) // it only has a letter mailed that asks; it needs no cookie
	origin.SetDenyHandler(s.handle(func(http.ResponseWriter, *http.Request) error { return errForeignForm }))
	inner := s.withSession(s.withLeaving(origin.Handler(s.orProblem(mux))))
	return s.observed(mux, compressed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.watchProxies(r)
		s.secure(w.Header(), s.withoutTLS(r))
		r.Body = &boundedBody{ReadCloser: http.MaxBytesReader(w, r.Body, s.bodyLimit(r)), whole: r.Body}
		inner.ServeHTTP(w, r)
	})))
}

// compressed sends texts compressed to who accepts that. A few random bytes go
// along: from the exact length of a page that also says back what was asked,
// somebody on the line could else guess at the rest of it (BREACH).
func compressed(h http.Handler) http.Handler {
	const leastSize, jitter = 1 << 10, 32
	isText := func(contentType string) bool {
		return strings.HasPrefix(contentType, "text/") || strings.HasPrefix(contentType, "image/svg+xml")
	}
	wrap, err := gzhttp.NewWrapper(gzhttp.EnableZstd(false), gzhttp.MinSize(leastSize),
		gzhttp.RandomJitter(jitter, 0, false), gzhttp.ContentTypeFilter(isText))
	if err != nil {
		panic(err) // only options that contradict each other
	}
	text := wrap(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// caches shall hold one of each, whoever asks; sound is sent as it comes
		if strings.HasPrefix(r.URL.Path, "/image/") || strings.HasPrefix(r.URL.Path, "/sound/") {
			h.ServeHTTP(w, r)
			return
		}
		text.ServeHTTP(w, r)
	})
}

// bodyLimit is how many bytes a request may bring: more where a file is expected.
func (s *site) bodyLimit(r *http.Request) int64 {
	switch path := r.URL.Path; {
	case bringsList(path):
		return maxList + maxBody
	case bringsLogo(path), strings.HasPrefix(path, apiRoot) && strings.HasSuffix(path, "/logo"):
		return logo.MaxBytes + maxBody
	case strings.HasPrefix(path, pushRoot):
		return maxPush
	case strings.HasPrefix(path, "/feeds/"), path == "/filters":
		return maxNames
	}
	return maxBody
}

// bringsFile reports whether the form at a path brings a file.
func bringsFile(path string) bool { return bringsList(path) || bringsLogo(path) }

func bringsList(path string) bool {
	return path == "/feeds/import" || strings.HasPrefix(path, "/newsletters/") &&
		strings.HasSuffix(path, "/members/import")
}

func bringsLogo(path string) bool {
	return strings.HasPrefix(path, "/newsletters/") && strings.HasSuffix(path, "/logo")
}

// maxNames is the most that a form with a name in it may bring: one that is far
// too long is told so, and shown what is kept of it.
const maxNames = 8 << 20

// A boundedBody is the beginning of a request's body; whole gives the rest.
type boundedBody struct {
	io.ReadCloser
	whole io.Reader
	begun bool
	long  *longForm // nil: it is not long
}

func (b *boundedBody) Read(p []byte) (int, error) {
	b.begun = true
	n, err := b.ReadCloser.Read(p)
	if full := b.long.grow(n); full != nil {
		return 0, full
	}
	return n, err
}

// maxDrained is how much is read, and dropped, of what is too much.
const maxDrained = 128 << 20

// drain reads what is left of a request that was too large: a browser shows no
// answer before all is sent, and none at all if the connection ends meanwhile.
// Who waits to be told to go on (Expect: 100-continue) sends nothing.
func drain(r *http.Request) {
	b, ok := r.Body.(*boundedBody)
	if !ok || !b.begun && strings.EqualFold(r.Header.Get("Expect"), "100-continue") {
		return
	}
	_, _ = io.CopyN(io.Discard, b.whole, maxDrained) // who has left needs no answer
}

// secure sets the headers that every answer carries. Answers are private until
// a handler says otherwise. inClear: the request came without TLS, and nothing
// may be said of TLS then (RFC 6797 §7.2).
func (s *site) secure(h http.Header, inClear bool) {
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	// Not no-referrer: browsers then post forms with "Origin: null", which over
	// plain HTTP looks like another site's form.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	if s.isTLS() && !inClear { // browsers ignore both without it
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// orProblem serves mux, but where no route matches it answers with our page
// and the status that mux chose (404, or 405 with its Allow header). Who opens the
// answer to a form again, without sending it, is led to the page above it.
func (s *site) orProblem(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		answer := statusOnly{header: http.Header{}, status: http.StatusNotFound}
		h.ServeHTTP(&answer, r)
		s.handle(func(http.ResponseWriter, *http.Request) error {
			if page := s.pageAbove(url.URL{Path: r.URL.Path}); answer.status == http.StatusMethodNotAllowed &&
				isForm(r) && page.Path != "/" {
				return seeOther(w, r, page.String())
			}
			for _, name := range [...]string{"Allow", "Location"} { // Location: mux writes a path in its short form
				if value, ok := answer.header[name]; ok {
					w.Header()[name] = value
				}
			}
			return problemWith(answer.status)
		}).ServeHTTP(w, r)
	})
}

// isForm reports whether a request asks for an address as one does for the answer to a form, and not as programs do.
func isForm(r *http.Request) bool {
	isGet := r.Method == http.MethodGet || r.Method == http.MethodHead
	return isGet && !strings.HasPrefix(r.URL.Path, apiRoot) && !strings.HasPrefix(r.URL.Path, "/actor/")
}

// A statusOnly takes an answer's status and headers and drops its body.
type statusOnly struct {
	header http.Header
	status int
}

func (a *statusOnly) Header() http.Header         { return a.header }
func (a *statusOnly) WriteHeader(status int)      { a.status = status }
func (a *statusOnly) Write(b []byte) (int, error) { return len(b), nil }

// NewServer gives a server for h with limits on how long and how large a
// request may be.
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
