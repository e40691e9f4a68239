package acceptance

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/certificate"
	"digest/test/program"
	"digest/test/tier"
)

// A tlsDoor is a reverse proxy with TLS before a process, as operators use.
func tlsDoor(t *testing.T, c certificate.Certificate, address string) (base string) {
	t.Helper()
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	s := httptest.NewUnstartedServer(proxy)
	s.TLS = c.Server()
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL
}

// TestOneHubFeedsAnother lets a reader of one instance follow the newsletter of another instance. The first instance
// finds the second's hub and subscribes with a secret. It receives the letter without a poll when it is sent, and its
// reader gets it at midnight.
func TestOneHubFeedsAnother(t *testing.T) {
	tier.Acceptance(t)
	storetest.EachAddress(t, func(t *testing.T, database string) {
		c := certificate.For(t, time.Now().AddDate(-1, 0, 0), time.Now().AddDate(1, 0, 0), "127.0.0.1")
		text, _ := c.PEM()
		trust := filepath.Join(t.TempDir(), "ca.pem")
		if err := os.WriteFile(trust, text, 0o600); err != nil {
			t.Fatal(err)
		}
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_,
				_ = io.WriteString(w, siegeFeed(1, false))
		}))
		defer site.Close()
		writer, reader := newHouse(t, database), newHouse(t, storetest.SQLite(t))
		writerAt, readerAt := program.FreeAddress(t), program.FreeAddress(t)
		writerBase, readerBase := tlsDoor(t, c, writerAt), tlsDoor(t, c, readerAt)
		for h, base := range map[*house]string{writer: writerBase, reader: readerBase} {
			h.set("DIGEST_BASE_URL="+base, "DIGEST_POLL_WINDOW=0", "DIGEST_HOST_INTERVAL=100ms",
				"DIGEST_LOG_LEVEL=error", "DIGEST_METRICS_TOKEN=secret-of-metrics", "SSL_CERT_FILE="+
					trust, "DIGEST_TRUSTED_PROXIES=127.0.0.1")
		}
		evening := time.Date(2026, 11, 24, 20, 0, 0, 0, time.UTC)
		writer.at(evening, "user", "add", "anna@example.org", "--time-zone", "Europe/Athens")
		writer.at(evening, "newsletter", "create", "anna", "--owner", "anna@example.org", "--feed", site.URL+
			"/feed.xml", "--name", "Anna writes", "--address-line", "Anna, 1 Quay, Whitby")
		topic := writerBase + "/n/anna/feed.xml"
		reader.at(evening, "user", "add", "bob@example.org", "--time-zone", "UTC")

		// Athens has its midnight two hours before UTC, so the letter is sent at 22:00.
		first := writer.hubServer(writerAt, evening.Add(time.Hour))
		reader.at(evening, "subscribe", "bob@example.org", topic)
		own := reader.hubServer(readerAt, evening.Add(time.Hour))
		awaitWord(t, "1 program subscribed at the hub",
			func() string { return writer.at(evening.Add(time.Hour), "newsletter", "show", "anna") })
		_ = first.Process.Signal(os.Interrupt)
		_ = first.Wait()

		begun := time.Now()
		second := writer.hubServer(writerAt, evening.Add(2*time.Hour-time.Second))
		reader.awaitMetric("http://"+readerAt, "digest_pushes_total", 1)
		t.Logf("the letter was pushed, and stored by the other instance, %v after it was due, its release included",
			(time.Since(begun) - time.Second).Round(time.Millisecond))
		for _, p := range []interface{ Signal(os.Signal) error }{second.Process, own.Process} {
			_ = p.Signal(os.Interrupt)
		}
		_, _ = second.Wait(), own.Wait()
		shown := reader.at(evening.Add(3*time.Hour), "feeds", topic)
		if !strings.Contains(shown, "its hub has pushed new posts since") {
			t.Errorf("digest feeds:\n%s", shown)
		}
		if got := newInbox(reader.maildir()).arrived(t); len(got) != 0 {
			t.Error("mail before midnight (I2)")
		}
		// The writer no longer runs: the edition can only contain pushed posts.
		reader.at(evening.Add(4*time.Hour), "tick")
		letters := newInbox(reader.maildir()).arrived(t)
		if len(letters) != 1 || !strings.Contains(letters[0].text, "Anna writes") ||
			!strings.Contains(letters[0].text, "Evening of 1") {
			t.Errorf("%d letters: %v", len(letters), letters)
		}
	})
}

func awaitWord(t *testing.T, word string, says func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		shown := says()
		if strings.Contains(shown, word) {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("not %q:\n%s", word, shown)
		case <-time.After(200 * time.Millisecond):
		}
	}
}
