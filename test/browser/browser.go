// Package browser finds Chromium for the tests that look at pages in it, and
// gives what a page writes about itself.
package browser

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest/test/tier"
)

// Patience is how long one thing may take in the browser before the test takes
// it for stuck. It is no measure of speed: a busy machine needs seconds, and a
// browser that hangs never ends.
const Patience = 5 * time.Minute

// Find gives the path of Chromium. Tests in a browser belong to make acceptance.
func Find(t testing.TB) string {
	t.Helper()
	tier.Acceptance(t)
	var path string
	var err error
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err = exec.LookPath(name); err == nil {
			return path
		}
	}
	tier.Missing(t, "Chromium", err)
	return ""
}

// NoSandbox reports whether Chromium's sandbox must be off: it refuses root.
func NoSandbox() bool { return os.Geteuid() == 0 }

// Written opens a path of a site and gives the text of the page's <pre>, into
// which a script of the page writes. Flags are for Chromium.
func Written(t testing.TB, site http.Handler, path string, flags ...string) string {
	t.Helper()
	dom := run(t, site, path, append(flags, "--dump-dom")...)
	_, rest, _ := strings.Cut(string(dom), "<pre>")
	text, _, found := strings.Cut(rest, "</pre>")
	if !found {
		t.Fatalf("nothing was written into %q", dom)
	}
	return text
}

// Printed prints a path of a site, and gives the PDF.
func Printed(t testing.TB, site http.Handler, path string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "printed.pdf")
	run(t, site, path, "--no-pdf-header-footer", "--print-to-pdf="+file)
	pdf, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("reading what was printed: %v", err)
	}
	return pdf
}

// run opens a path of a site, and gives what Chromium says.
func run(t testing.TB, site http.Handler, path string, flags ...string) []byte {
	t.Helper()
	chromium := Find(t)
	server := httptest.NewServer(site)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	args := append(flags,
		"--headless", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir="+t.TempDir(), server.URL+path,
	)
	if NoSandbox() {
		args = append([]string{"--no-sandbox"}, args...)
	}
	out, err := exec.CommandContext(ctx, chromium, args...).Output()
	if err != nil {
		t.Fatalf("running %s: %v", chromium, err)
	}
	return out
}
