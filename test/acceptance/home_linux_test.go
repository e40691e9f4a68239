package acceptance

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"digest/test/program"
	"digest/test/tier"
)

// ownNetwork is set in a process with its own network namespace.
const ownNetwork = "DIGEST_TEST_OWN_NETWORK"

// outside is a public address, which in the own network namespace is this machine.
const outside = "93.184.216.34"

// TestI7_InAWorldOfItsOwn runs the program in its own network namespace, with a public site and a site in the home
// network. Responses of the public site must never cause requests to the home site, although the operator allowed its
// network and a person entered its address.
func TestI7_InAWorldOfItsOwn(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	if os.Getenv(ownNetwork) == "" {
		inOwnNetwork(t)
		return
	}
	w := newTwoWorlds(t)
	h := newHouse(t, filepath.Join(t.TempDir(), "digest.db"))
	begin := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	h.at(begin, "user", "add", "ann@example.org", "--time-zone", "UTC", "--subject", "date")
	h.at(begin, "user", "set", "ann@example.org", "--layout", "full", "--images", "proxy")
	const refused = "the address is private"
	for _, status := range []string{"301", "302", "303", "307", "308"} {
		w.refused(h, begin, "http://"+outside+"/"+status, refused)
	}
	w.refused(h, begin, "http://127.0.0.1:22/", "80 and 443, or 1024 and above")
	if found := h.at(begin, "subscribe", "ann@example.org", "http://"+outside+"/offers-home"); !strings.Contains(found,
		"Of outside") {
		t.Errorf("behind a page that offers a feed at home there is %q", found)
	}
	if asked := w.asked(); slices.Contains(asked, "home /feed") || !slices.Contains(asked, "outside /feed") {
		t.Errorf("a page that offers a feed at home led to %q", asked)
	}
	h.at(begin, "subscribe", "ann@example.org", w.home+"/redirects")
	w.asks(t, "home /redirects, home /feed")

	h.tick(begin.Add(16 * time.Hour)) // the first edition
	w.set(true)
	for day := range 3 { // one permanent redirect is not enough
		h.tick(begin.Add(time.Duration(40+24*day) * time.Hour))
	}
	for _, asked := range w.asked() {
		if !slices.Contains([]string{"outside /feed", "outside /p.gif", "home /redirects", "home /feed"}, asked) {
			t.Errorf("asked: %s", asked)
		}
	}
	if found := h.run("feeds"); !strings.Contains(found, "http://"+outside+"/feed") ||
		!strings.Contains(found, refused) {
		t.Errorf("feeds:\n%s", found)
	}
	w.pictures(t, h, begin.Add(90*time.Hour))
}

// pictures requests the pictures in the first mail like a mail program.
func (w *twoWorlds) pictures(t *testing.T, h *house, now time.Time) {
	t.Helper()
	letters := newLetterbox(h).arrived(t)
	if len(letters) == 0 {
		t.Fatal("no mail came")
	}
	got := map[string]int{}
	base := program.FreeAddress(t)
	server := h.Start(base, "--now", instant(now), "--listen", base, "serve")
	picture := regexp.MustCompile(`"http://[^/"]*(/image/[^/"]+/([^/"]+))"`)
	for _, m := range picture.FindAllStringSubmatch(letters[0].HTML, -1) {
		address, err := base64.RawURLEncoding.DecodeString(m[2])
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.Get("http://" + base + m[1])
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		got[string(address)] = res.StatusCode
	}
	server.Stop()
	if want := map[string]int{"http://" + outside + "/p.gif": http.StatusOK, w.home + "/p.gif": http.StatusOK,
		w.home + "/private.gif": http.StatusForbidden}; !maps.Equal(got, want) { // the public feed names the last
		t.Errorf("pictures: %v, want %v", got, want)
	}
	w.asks(t, "outside /p.gif, home /p.gif")
}

// inOwnNetwork runs this test in a process with its own network namespace. It skips the test if it cannot create one.
func inOwnNetwork(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skipf("ip is not here, and a network of its own was not made: %v", err)
	}
	script := "ip link set lo up && ip address add " + outside + `/32 dev lo || exit 97; exec "$0" "$@"`
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", script, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), ownNetwork+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	switch {
	case cmd.ProcessState == nil, cmd.ProcessState.ExitCode() == 97:
		t.Skipf("a network of its own cannot be made here: %v\n%s", err, out)
	case err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()):
		t.Fatalf("in a network of its own: %v\n%s", err, out)
	}
}

// twoWorlds is a public site and a site at home.
type twoWorlds struct {
	home string

	mu    sync.Mutex
	moved bool // the public feed redirects home
	log   []string
}

func newTwoWorlds(t *testing.T) *twoWorlds {
	w := &twoWorlds{}
	for name, address := range map[string]string{"outside": outside + ":80", "home": "127.0.0.1:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{ReadHeaderTimeout: time.Minute,
			Handler: http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) { w.answer(out, r, name) })}
		t.Cleanup(func() { server.Close() })
		if name == "home" {
			w.home = "http://" + l.Addr().String()
		}
		go server.Serve(l)
	}
	return w
}

func (w *twoWorlds) answer(out http.ResponseWriter, r *http.Request, name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.URL.Path != "/robots.txt" && r.Method == http.MethodGet {
		w.log = append(w.log, name+" "+r.URL.Path)
	}
	var status int
	_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
	switch {
	case name == "outside" && status != 0, name == "outside" && w.moved && r.URL.Path == "/feed":
		http.Redirect(out, r, w.home+"/feed", max(status, http.StatusMovedPermanently))
	case r.URL.Path == "/redirects":
		http.Redirect(out, r, "/feed", http.StatusFound)
	case r.URL.Path == "/offers-home":
		fmt.Fprintf(out, `<!doctype html><link rel="alternate" type="application/rss+xml" href="%s/feed"><p>Hello.`,
			w.home)
	case r.URL.Path == "/p.gif", r.URL.Path == "/private.gif":
		fmt.Fprint(out, "GIF89a\x01\x00\x01\x00")
	case r.URL.Path == "/feed":
		out.Header().Set("Content-Type", "application/rss+xml")
		out.Header().Set("ETag", `"1"`)
		picture := map[string]string{"home": "p.gif", "outside": "private.gif"}[name]
		fmt.Fprintf(out, `<rss version="2.0"><channel><title>Of %s</title><item><guid>%[1]s</guid><title>A `+
			`post</title><link>http://%s/1</link>`+
			`<description>&lt;p&gt;With pictures.&lt;/p&gt;&lt;img src="http://%[2]s/p.gif"&gt;&lt;img `+
			`src="%s/%s"&gt;</description></item></channel></rss>`, name, outside, w.home, picture)
	default:
		http.NotFound(out, r)
	}
}

func (w *twoWorlds) set(moved bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moved = moved
}

// asked returns the requests since the previous call.
func (w *twoWorlds) asked() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	log := w.log
	w.log = nil
	return log
}

func (w *twoWorlds) asks(t *testing.T, want string) {
	t.Helper()
	if got := strings.Join(w.asked(), ", "); got != want {
		t.Errorf("asked: %s, want %s", got, want)
	}
}

// refused checks that a subscription fails without a request to the home site.
func (w *twoWorlds) refused(h *house, now time.Time, address, why string) {
	h.t.Helper()
	o := h.try(h.t.Context(), "--now", instant(now), "subscribe", "ann@example.org", address)
	if o.status != 1 || !strings.Contains(o.stderr, why) {
		h.t.Errorf("%s: status %d, %q, want %q", address, o.status, o.stderr, why)
	}
	if slices.ContainsFunc(w.asked(), func(asked string) bool { return strings.HasPrefix(asked, "home") }) {
		h.t.Errorf("%s led home", address)
	}
}
