package poller

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"digest"
)

// TestBeginningOfPicture: a look requests a few kilobytes, reads at most lookBytes, and recognises pictures that
// Picture would refuse.
func TestBeginningOfPicture(t *testing.T) {
	png := pictures["image/png"]
	long := png + string(zeros(2*lookBytes))
	headless := "\xff\xd8\xff\xe1\xff\xff" + string(zeros(2*lookBytes)) // its size comes after 64 KiB
	for name, c := range map[string]struct {
		status int
		body   string
		header string
		length int
		kind   digest.Kind
	}{
		"a part":             {206, png, "Content-Range: bytes 0-32/5000", len(png), ""},
		"a range is ignored": {200, long, "X: y", lookBytes, ""},
		"a small one":        {200, png, "X: y", len(png), ""},
		"its size is late":   {200, headless, "X: y", lookBytes, ""},
		"it has no size":     {200, "\xff\xd8\xff\xe0\x00\x04..", "X: y", 0, digest.NotFound},
		"a part, too large":  {206, png, "Content-Range: bytes 0-32/5242881", 0, digest.NotFound},
		"too large":          {200, png, "Content-Length: 5242881", 0, digest.NotFound},
		"a page":             {200, "<!doctype html>", "X: y", 0, digest.NotFound},
		"gone":               {404, "", "X: y", 0, digest.NotFound},
		"an empty file":      {416, "", "X: y", 0, digest.NotFound},
		"broken":             {502, "", "X: y", 0, digest.Unavailable},
	} {
		s := newSite(t, func(r request) string { return reply(r, c.status, c.body, "Connection: close", c.header) })
		p := newReader(t, s.url("/"), asPublic).p
		got, err := p.BeginningOfPicture(t.Context(), s.url("/i"))
		if len(got.Bytes) != c.length || digest.KindOf(err) != c.kind || IsDeadPicture(err) != (c.kind != "") {
			t.Errorf("%s: %d bytes, %v", name, len(got.Bytes), err)
		}
		log := asked(t, s, "GET")
		if part, _ := log[0].get("Range"); part != "bytes=0-32767" {
			t.Errorf("%s: Range %q", name, part)
		}
	}
}

// TestNotDead: a host that limits requests and a robots.txt that forbids them do not make a picture dead.
func TestNotDead(t *testing.T) {
	s := newSite(t, func(r request) string { return reply(r, 429, "", "Retry-After: 60") })
	cache := &shelf{}
	p := newReader(t, s.url("/"), asPublic, withRobots(cache)).p
	for range 2 { // the second look comes during the pause
		if _, err := p.BeginningOfPicture(t.Context(), s.url("/i")); err == nil || IsDeadPicture(err) {
			t.Error(err)
		}
	}
	asked(t, s, "GET")
	r, err := routeTo(s.url("/i"))
	if err != nil {
		t.Fatal(err)
	}
	p = newReader(t, s.url("/"), asPublic, withRobots(cache)).p
	p.robots.remember(digest.Robots{Origin: r.origin(), Rules: "disallow /i\n", FetchedAt: p.now()})
	if _, err := p.BeginningOfPicture(t.Context(), s.url("/i")); err == nil || IsDeadPicture(err) {
		t.Error(err)
	}
	asked(t, s, "")
}

// TestI7_PicturesAtHome: a picture in an allowed network is requested only if a feed at the same host and port published
// it. A redirect from there does not reach another private host.
func TestI7_PicturesAtHome(t *testing.T) {
	n := newNeighbourhood(t, "http://HOME/feed")
	other := newSiteAt(t, "127.0.0.2:0", func(r request) string { return reply(r, 200, pictures["image/png"]) })
	published := n.home.url("/i.png")
	n.p.homePicture = func(_ context.Context, host, picture string) ([]string, error) {
		if host == "127.0.0.2" && (picture == published || picture == other.url("/i.png")) {
			return []string{n.home.url("/feed")}, nil
		}
		return nil, nil
	}
	answers := func(r request) string { return reply(r, 200, pictures["image/png"]) }
	n.home.answers(answers)
	for address, want := range map[string]bool{published: true, n.home.url("/j.png"): false,
		other.url("/i.png"): false, strings.Replace(published, "127.0.0.2", "nas.example", 1): false} {
		_, err := n.p.Picture(t.Context(), address)
		if (err == nil) != want || !want && !IsNotPublic(err) {
			t.Errorf("%s: %v", address, err)
		}
	}
	n.home.answers(func(r request) string { return reply(r, http.StatusFound, "", "Location: "+other.url("/i.png")) })
	if _, err := n.p.BeginningOfPicture(t.Context(), published); err == nil || !IsNotPublic(err) {
		t.Errorf("redirected: %v", err)
	}
	asked(t, other, "")
	if _, err := newReader(t, "", func(o *Options) { o.AllowNetworks = []netip.Prefix{} }).p.Picture(t.Context(),
		published); err == nil {
		t.Error("no network is allowed")
	}
}
