package poller

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"digest"
)

func account(did, handle string) string {
	return fmt.Sprintf(`{"feed":[{"post":{"uri":"at://%[1]s/app.bsky.feed.post/3k","author":{"did":%[1]q,"handle":%[2]q,"displayName":"Ann"},
		"record":{"text":"Hello","createdAt":"2026-11-19T00:00:00Z"},"indexedAt":"2026-11-19T00:00:00Z"}}]}`, did,
		handle)
}

// bluesky returns a poller for which every name resolves to one TLS server, and whose TXT records are
// texts.
func bluesky(t *testing.T, texts map[string][]string, answer http.HandlerFunc) *reader {
	s := httptest.NewTLSServer(answer)
	t.Cleanup(s.Close)
	r := newReader(t, "https://public.api.bsky.app/", func(o *Options) {
		o.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.Listener.Addr().String())
		}
	})
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	r.p.transport.TLSClientConfig.RootCAs, r.p.transport.TLSClientConfig.ServerName = roots, "example.com"
	r.p.guard.lookupTXT = func(_ context.Context, name string) ([]string, error) {
		if found := texts[name]; found != nil {
			return found, nil
		}
		return nil, errors.New("no such host")
	}
	return r
}

func TestFindAccount(t *testing.T) {
	const feed = "https://public.api.bsky.app/xrpc/app.bsky.feed.getAuthorFeed?actor=did%3Aplc%3Aa7&filter=posts_and_author_threads&limit=50"
	texts := map[string][]string{"_atproto.ann.example": {"v=spf1", "did=did:plc:a7"},
		"_atproto.two.example": {"did=did:plc:a7", "did=did:plc:b7"}}
	for _, test := range []struct{ typed, title, log, wrong string }{
		{"@ann.example", "Ann", "public.api.bsky.app", ""},
		{"https://bsky.app/profile/did:plc:a7", "Ann", "public.api.bsky.app", ""},
		{"at://ann.bsky.social", "Ann", "ann.bsky.social public.api.bsky.app",
			"the account there is called @ann.example"},
		{"ann.example", "Ann", "ann.example public.api.bsky.app", ""},
		{"https://ann.example/", "", "ann.example", "could not read"},
		{"@two.example", "", "two.example", "its host names none"},
		{"@nobody.example", "", "nobody.example", "404"},
	} {
		var log []string
		r := bluesky(t, texts, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				http.NotFound(w, r)
				return
			}
			if !slices.Contains(log, r.Host) {
				log = append(log, r.Host)
			}
			switch {
			case r.Host == "public.api.bsky.app" && r.URL.Query().Get("actor") == "did:plc:a7":
				fmt.Fprint(w, account("did:plc:a7", "ann.example"))
			case r.Host == "ann.bsky.social" && r.URL.Path == "/.well-known/atproto-did":
				fmt.Fprint(w, "did:plc:a7\n")
			case r.Host == "two.example":
				fmt.Fprint(w, "<html>nothing of the kind")
			default:
				http.NotFound(w, r)
			}
		})
		found, err := find(r.p, test.typed)
		if got := strings.Join(log, " "); got != test.log {
			t.Errorf("%s asks %s, want %s", test.typed, got, test.log)
		}
		if test.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("%s: %v, want %s", test.typed, err, test.wrong)
			}
			continue
		}
		if err != nil || found.Feed.URL != feed || found.Feed.Title != test.title || found.Feed.Kind != "atproto" ||
			found.Feed.Host != "public.api.bsky.app" {
			t.Errorf("%s: %+v %v", test.typed, found.Feed, err)
		}
	}
}

// TestFindKnownAccount holds that a search sends no request for a known account, whatever its spelling.
func TestFindKnownAccount(t *testing.T) {
	r := bluesky(t, map[string][]string{"_atproto.ann.example": {"did=did:plc:a7"}},
		func(_ http.ResponseWriter, r *http.Request) { t.Error("asked", r.Host) })
	known := func(_ context.Context, address string) (digest.Feed, bool) {
		return digest.Feed{ID: 7, URL: address}, strings.Contains(address, "did%3Aplc%3Aa7")
	}
	c, err := r.p.Find(context.Background(), "@ann.example", known)
	if err != nil || c.Read.Feed.ID != 7 {
		t.Errorf("%+v %v", c, err)
	}
}
