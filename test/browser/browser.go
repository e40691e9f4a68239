// Package browser runs Chromium for tests that display pages, and returns the output of pages.
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

// Patience is the time after which a test considers a browser action stuck. It does not measure speed: a busy machine
// needs seconds, and a browser that hangs never ends.
const Patience = 5 * time.Minute

// Find returns the path of Chromium. It skips the test outside of make acceptance.
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

// NoSandbox reports whether Chromium's sandbox must be off: it does not run as root.
func NoSandbox() bool { return os.Geteuid() == 0 }

// Written opens a path of a site and returns the text that a script of the page writes into its <pre>. The flags are
// Chromium's.
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

// Printed returns a path of a site printed as PDF.
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
