package web_test

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"digest/store/storetest"
	"digest/web/page"
)

func TestServerHasLimits(t *testing.T) {
	each(t, func(r *room) {
		server := page.NewServer(r.handler, slog.New(slog.DiscardHandler))
		for name, limit := range map[string]int64{
			"header": int64(server.ReadHeaderTimeout), "read": int64(server.ReadTimeout),
			"write": int64(server.WriteTimeout),
			"idle":  int64(server.IdleTimeout), "bytes": int64(server.MaxHeaderBytes),
		} {
			if limit <= 0 {
				r.t.Errorf("no limit for %s", name)
			}
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			r.t.Fatal(err)
		}
		go func() { _ = server.Serve(l) }()
		r.t.Cleanup(func() { _ = server.Close() })
		r.base = "http://" + l.Addr().String()
		r.visitor().get("/").status(http.StatusOK)
		r.visitor().get("/" + strings.Repeat("a", 64<<10)).status(http.StatusRequestHeaderFieldsTooLarge)
	})
}

// FuzzRequest checks that no path, method or body crashes a page or causes an internal error.
func FuzzRequest(f *testing.F) {
	for _, path := range []string{"/", "/sign-in", "/sign-out", "/editions/2026-11-20",
		"/e/aaaaaaaaaaaaadqaaxecf5yu3gyprkfb7", "/unsubscribe/x/undo", "/unsubscribe/x/pause", "/unsubscribe/x/days",
		"/image/x/aHR0cHM", "/static/..", "//x", "/%2e%2e/%00", "/editions/{date}", "/sign-in?token=%zz",
		"/status?url=https://u:p@a.example/?a=1&b=2", "/status?url=%zz;", "/ping?url=https://a.example/", "/RPC2"} {
		f.Add("GET", path, "")
		f.Add("POST", path, "token=x&List-Unsubscribe=One-Click")
	}
	r := newRoom(f, storetest.Open(f, storetest.SQLite(f)))
	f.Fuzz(func(t *testing.T, method, path, body string) {
		u, err := url.ParseRequestURI(path)
		if err != nil {
			t.Skip()
		}
		req := httptest.NewRequest("GET", "/", strings.NewReader(body))
		req.Method, req.URL = method, u
		req.Header.Set("Content-Type", urlencoded)
		w := httptest.NewRecorder()
		r.handler.ServeHTTP(w, req)
		page, _ := io.ReadAll(w.Body)
		if w.Code >= 500 {
			t.Errorf("%s %q: status %d", method, path, w.Code)
		}
		if to := w.Header().Get("Location"); strings.HasPrefix(to, "//") || strings.Contains(to, "://") {
			t.Errorf("%s %q leads to %q", method, path, to)
		}
		if strings.Contains(string(page), "<script") {
			t.Errorf("%s %q: a script", method, path)
		}
	})
}
