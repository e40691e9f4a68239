package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestServeBySocket checks that the web view and the metrics listen at Unix sockets, replace abandoned sockets, and
// remove their own at the end. Clients of the socket may name the visitor's address if the settings trust the socket.
func TestServeBySocket(t *testing.T) {
	for trusted, want := range map[string]int{"unix": http.StatusNotFound, "127.0.0.1": http.StatusTooManyRequests} {
		t.Run(trusted, func(t *testing.T) {
			t.Chdir(t.TempDir())
			dir, err := os.MkdirTemp("", "s") // t.TempDir() is too long for a socket
			must(t, err)
			defer os.RemoveAll(dir)
			path, metrics := filepath.Join(dir, "web"), filepath.Join(dir, "metrics")
			left, err := net.Listen("unix", path)
			must(t, err)
			left.(*net.UnixListener).SetUnlinkOnClose(false)
			left.Close()

			soft, stop := context.WithCancel(t.Context())
			defer stop()
			out := &lineWith{what: "(listening on unix:" + path + ")", seen: make(chan string, 1)}
			done := make(chan int)
			go func() {
				done <- run(soft, t.Context(), strings.Fields("serve --listen unix:"+path+" --metrics-listen unix:"+
					metrics+" --trusted-proxies "+trusted), out, t.Output())
			}()
			select {
			case <-out.seen:
			case status := <-done:
				t.Fatalf("it ended with status %d", status)
			}
			if got := askBySocket(t, metrics, "/metrics", ""); got != http.StatusOK {
				t.Errorf("the metrics answer %d", got)
			}
			for range 60 { // from one client
				if got := askBySocket(t, path, "/status?url=https://a.example/",
					"198.51.100.1"); got != http.StatusNotFound {
					t.Fatalf("it answers %d", got)
				}
			}
			if got := askBySocket(t, path, "/status?url=https://a.example/", "203.0.113.1"); got != want {
				t.Errorf("another client is answered %d, want %d", got, want)
			}
			if said := complaint(t, "serve --listen unix:"+path+" --database "+filepath.Join(t.TempDir(), "other.db"),
				exitFailed); !strings.Contains(said, "another process listens at") {
				t.Errorf("a second one says %s", said)
			}
			if got := askBySocket(t, path, "/healthz", ""); got != http.StatusOK {
				t.Errorf("the first answers %d", got)
			}
			stop()
			if status := <-done; status != exitDone {
				t.Errorf("exit status %d", status)
			}
			if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
				t.Errorf("%v, %v are left behind", files, err)
			}
		})
	}
}

func askBySocket(t *testing.T, path, address, client string) int {
	t.Helper()
	out := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	defer out.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), "GET", "http://digest"+address, nil)
	must(t, err)
	if client != "" {
		req.Header.Set("X-Forwarded-For", client)
	}
	res, err := (&http.Client{Transport: out}).Do(req)
	must(t, err)
	res.Body.Close()
	return res.StatusCode
}
