package poller

import (
	"context"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// TestTLS holds that the poller uses HTTP/2 if possible, one connection for HEAD and GET, and a resumed
// session on the next day.
func TestTLS(t *testing.T) {
	var mu sync.Mutex
	var requests []*http.Request
	version := 1
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		requests = append(requests, r)
		w.Header().Set("ETag", `"x`+r.URL.Path+`"`)
		if r.Method == http.MethodGet {
			version++
			_, _ = w.Write([]byte(atom(version)))
		}
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	r := newReader(t, s.URL+"/feed", head(HeadAlways))
	if r.want(Failed); !strings.HasPrefix(r.feed.LastError, "the certificate is not valid: ") {
		t.Error(r.feed.LastError)
	}
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	r.p.transport.TLSClientConfig.RootCAs = roots
	r.want(Changed)
	r.feed.ETag = `"older"`
	r.want(Changed)
	if len(requests) != 3 || requests[1].Method != "HEAD" || requests[1].RemoteAddr != requests[2].RemoteAddr ||
		requests[0].RemoteAddr == requests[1].RemoteAddr {
		t.Fatalf("%d requests", len(requests))
	}
	for _, q := range requests {
		if q.ProtoMajor != 2 || q.Header.Get("Accept-Encoding") != acceptCodings || q.Header.Get("User-Agent") == "" {
			t.Errorf("%s %s %v", q.Method, q.Proto, q.Header)
		}
	}
	if !requests[1].TLS.DidResume {
		t.Error("the session of the day before was not resumed")
	}
}

// TestNotTLS polls https on a port with plain http.
func TestNotTLS(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	r := newReader(t, "https://"+s.Listener.Addr().String()+"/")
	if result := r.p.Poll(context.Background(), r.feed,
		1); result.Message != "the site does not support TLS on this port" {
		t.Error(result.Message)
	}
}
