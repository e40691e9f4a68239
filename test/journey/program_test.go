package journey

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/program"

	chromium "digest/test/browser"
)

func TestMain(m *testing.M) {
	storetest.Main(m, built.Remove)
}

var built program.Workshop

// A house is an installation of the program at one address.
type house struct {
	*program.House
	t    *testing.T
	base string          // http://localhost:PORT
	used map[string]bool // links that tests have followed

	now     time.Time // the time of the running server
	serving *exec.Cmd
	said    chan string
	heard   []string
	ended   chan error
}

func newHouse(t *testing.T, database string, settings ...string) *house {
	t.Helper()
	address := program.FreeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	h := &house{House: built.House(t, database), t: t, used: map[string]bool{}, base: "http://localhost:" + port}
	h.Set("DIGEST_LISTEN="+address, "DIGEST_BASE_URL="+h.base, "DIGEST_POLL_WINDOW=0", "DIGEST_HOST_INTERVAL=10ms")
	h.Set(settings...)
	t.Cleanup(h.stop)
	return h
}

func (h *house) run(args ...string) string {
	h.t.Helper()
	out, err := h.Command(h.t.Context(), args...).CombinedOutput()
	if err != nil {
		h.t.Fatalf("digest %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// at serves the program with its clock beginning at a time.
func (h *house) at(now time.Time) {
	h.t.Helper()
	h.stop()
	h.now = now.UTC()
	h.begin("serve", "--now", h.now.Format(time.RFC3339))
	h.hears("the web view is at")
	h.awake()
}

// begin starts a command in the background and reads its output.
func (h *house) begin(args ...string) {
	h.t.Helper()
	h.serving = h.Command(context.Background(), args...)
	h.serving.Stderr = h.t.Output()
	out, err := h.serving.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.serving.Start(); err != nil {
		h.t.Fatal(err)
	}
	lines, ended := make(chan string, 100), make(chan error, 1)
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
		close(lines)
		ended <- h.serving.Wait()
	}()
	h.said, h.heard, h.ended = lines, nil, ended
}

// hears waits for a line of the program that contains the words, and returns it.
func (h *house) hears(words string) string {
	h.t.Helper()
	for _, line := range h.heard {
		if strings.Contains(line, words) {
			return line
		}
	}
	late := time.After(chromium.Patience)
	for {
		select {
		case line, more := <-h.said:
			h.heard = append(h.heard, line)
			if more && strings.Contains(line, words) {
				return line
			}
			if !more {
				h.t.Fatalf("digest serve ended and never said %q but %q", words, h.heard)
			}
		case <-late:
			h.t.Fatalf("digest serve never said %q but %q", words, h.heard)
		}
	}
}

func (h *house) awake() {
	h.t.Helper()
	resp, err := http.Get(h.base + "/healthz")
	if err != nil {
		h.t.Fatal(err)
	}
	resp.Body.Close()
}

func (h *house) stop() {
	if h.serving == nil {
		return
	}
	_ = h.serving.Process.Signal(syscall.SIGTERM)
	<-h.ended
	h.serving = nil
}
