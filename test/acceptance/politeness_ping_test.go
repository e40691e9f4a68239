package acceptance

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"digest/test/program"
	"digest/test/tier"
)

// serve runs the program's server at a time during do.
func (h *house) serve(now time.Time, do func(base string)) {
	h.t.Helper()
	address := program.FreeAddress(h.t)
	h.set("DIGEST_LISTEN=" + address)
	cmd := h.command(h.t.Context(), "--now", instant(now), "serve")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	patientDial(h.t, address).Close()
	do("http://" + address)
	cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		h.t.Errorf("serve: %v\n%s", err, &out)
	}
}

func fetch(t *testing.T, address string) (status int, body string) {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// TestPing checks that pings are accepted for any address, and that the site gets one request, not before its gap and
// its own hints allow it (S18).
func TestPing(t *testing.T) {
	t.Parallel()
	calm := saying(day, "Cache-Control", "max-age=86400")
	limited := troubled("429 for two days", 12*time.Hour, 60*time.Hour,
		reply{status: 429, fields: [][2]string{{"Retry-After", "86400"}}, rest: day, why: "429"})
	w := smallWorld(t, 5, both("usual"), calm, limited)
	w.until(0, 1)
	last := w.ticks[0]
	before := len(w.recorder.entries(0))
	w.recorder.set(last.Add(20 * time.Minute))
	w.serve(last.Add(20*time.Minute), func(base string) {
		for range 3 {
			answers := map[string]bool{}
			for _, address := range []string{w.plots[0].address(), w.plots[1].address(), w.plots[2].address(),
				"http://127.77.99.99/never-heard-of.xml"} {
				res, err := http.PostForm(base+"/ping", url.Values{"url": {address}})
				if err != nil {
					t.Fatal(err)
				}
				b, _ := io.ReadAll(res.Body)
				res.Body.Close()
				answers[fmt.Sprint(res.StatusCode, string(b))] = true
			}
			if len(answers) != 1 {
				t.Errorf("pings tell what is known: %v", answers)
			}
		}
		<-time.After(500 * time.Millisecond) // for requests that must not come
		w.looksAtStatus(base)
	})
	if n := len(w.recorder.entries(before)); n != 0 {
		t.Errorf("%d requests for pings within the gap", n)
	}
	for i, want := range []int{1, 0, 0} {
		p := w.plots[i]
		w.recorder.set(last.Add(90 * time.Minute))
		w.tick(last.Add(90 * time.Minute))
		if n := w.asked(p, before); n != want {
			t.Errorf("%s: %d requests for a ping, an hour later; want %d", p.name, n, want)
		}
	}
	// The others, when they may be polled.
	now := last.Add(26 * time.Hour)
	w.recorder.set(now)
	w.tick(now)
	for _, p := range w.plots {
		w.recorder.set(now)
		if n := w.asked(p, before); n < 1 || n > 2 {
			t.Errorf("%s: %d requests in a day after a ping", p.name, n)
		}
	}
}

func (w *world) looksAtStatus(base string) {
	w.t.Helper()
	for _, p := range w.plots {
		status, page := fetch(w.t, base+"/status?url="+url.QueryEscape(p.address()))
		if status != http.StatusOK || !strings.Contains(page, "<svg") {
			w.t.Errorf("the status page of %s: %d", p.name, status)
		}
		if strings.Contains(page, "one@example.org") || strings.Contains(page, "Europe/Paris") {
			w.t.Errorf("the status page of %s names its reader", p.name)
		}
		if p.trouble != nil && !strings.Contains(page, "429") {
			w.t.Errorf("the status page of %s does not say why it waits", p.name)
		}
	}
	if status, _ := fetch(w.t, base+"/status?url=http%3A%2F%2Fnowhere.example%2Ffeed"); status != http.StatusNotFound {
		w.t.Errorf("the status of a feed that nobody has: %d", status)
	}
	_, robots := fetch(w.t, base+"/robots.txt")
	status, page := fetch(w.t, base+"/bot")
	if status != http.StatusOK || !strings.Contains(robots, "/bot") {
		w.t.Errorf("/bot: %d; robots.txt: %q", status, robots)
	}
	for _, word := range []string{"429", "Retry-After", "410", "robots.txt", "max-age", "ttl", "/ping",
		"digest@localhost"} {
		if !strings.Contains(page, word) {
			w.t.Errorf("/bot does not speak of %s", word)
		}
	}
}

// TestSpacing checks that requests for two feeds of one host are sequential and two seconds apart, by the real clock,
// for any cause (S34).
func TestSpacing(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	one, other, third := both("one"), both("other"), both("third")
	one.shares, other.shares, third.shares = "h", "h", "h"
	w := newWorld(t, []time.Time{runBegin()})
	w.settle([]manner{one, other, third}, runBegin().Add(day))
	w.run1("user", "add", "one@example.org", "--time-zone", "UTC")
	done := make(chan outcome)
	for _, p := range w.plots[:2] {
		go func() { done <- w.try(t.Context(), "subscribe", "one@example.org", p.address()) }()
	}
	first, second := <-done, <-done
	if first.status != 0 || second.status != 0 {
		t.Errorf("%+v\n%+v", first, second)
	}
	w.run1("subscribe", "one@example.org", w.plots[2].address(), w.plots[4].address())
	last := map[*door]time.Time{}
	for _, e := range w.recorder.entries(0) {
		if before := last[e.door]; !before.IsZero() && e.wall.Sub(before) < 1900*time.Millisecond {
			t.Errorf("%s %s came %s after the last request to this host", e.req.Method, e.req.RequestURI,
				e.wall.Sub(before))
		}
		last[e.door] = e.wall
		if e.inFlight > 1 {
			t.Errorf("%d requests at once", e.inFlight)
		}
	}
}

// TestRobots checks that the program obeys a group for its own name, in any case, and ignores others (RFC 9309).
func TestRobots(t *testing.T) {
	t.Parallel()
	cases := []struct {
		text    string
		allowed bool
	}{
		{"User-agent: digest\nDisallow: /", false},
		{"USER-AGENT: DIGEST\r\nDISALLOW: /\r\n", false},
		{"\ufeffUser-agent: digest # us\nDisallow: /feed # all", false},
		{"User-agent: other\nUser-agent: Digest\nDisallow: /", false},
		{"User-agent: digest\n\nDisallow: /feed/", false},
		{"User-agent: digest\nDisallow: /\nAllow: /feed/", true},
		{"User-agent: digest\nAllow: /feed\nDisallow: /feed/", false},
		{"User-agent: digest\nDisallow: /*.xml$", false},
		{"User-agent: digest\nDisallow: /*.xm$", true},
		{"User-agent: digest\nDisallow: /a\n\nUser-agent: digest\nDisallow: /feed", false},
		{"User-agent: digest\nDisallow:", true},
		{"User-agent: *\nDisallow: /", true},
		{"User-agent: digestive\nDisallow: /", true},
		{"User-agent: mydigest\nDisallow: /", true},
		{"User-agent: *\nDisallow: /\n\nUser-agent: digest\nCrawl-delay: 10", true},
		{"Disallow: /\nUser-agent: other\nDisallow: /", true},
		{"<html><body>User-agent: digest Disallow: /</body></html>", true},
	}
	var manners []manner
	for i, c := range cases {
		m := both(fmt.Sprint("robots.txt ", i))
		m.robots = func(time.Time) string { return c.text }
		manners = append(manners, m)
	}
	w := newWorld(t, []time.Time{runBegin()})
	w.settle(manners, runBegin().Add(day))
	w.at(runBegin(), "user", "add", "one@example.org", "--time-zone", "UTC")
	for i, c := range cases {
		p := w.plots[2*i]
		o := w.try(t.Context(), "--now", instant(runBegin()), "subscribe", "one@example.org", p.address())
		asked := w.asked(p, 0)
		switch {
		case c.allowed && (o.status != 0 || asked != 1):
			t.Errorf("%q: exit status %d, %d requests: %s", c.text, o.status, asked, o.stderr)
		case !c.allowed && (asked != 0 || !strings.Contains(o.stdout+o.stderr, "robots.txt")):
			t.Errorf("%q: exit status %d, %d requests: %s%s", c.text, o.status, asked, o.stdout, o.stderr)
		}
	}
}
