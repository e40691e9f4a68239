package poller

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"digest"
)

func TestParseWish(t *testing.T) {
	const base = "https://Read.example.net/"
	week := 7 * 24 * time.Hour
	for text, want := range map[string]any{
		"":                                           nil,
		"block":                                      nil, // names no instance
		"read.example.net block":                     Wish{Blocked: true},
		"https://read.example.net/ block":            Wish{Blocked: true},
		"READ.EXAMPLE.NET: block":                    Wish{Blocked: true},
		"https://read.example.net: allow":            Wish{},
		"* block":                                    Wish{Blocked: true},
		"\ufeffread.example.net allow\r\n":           Wish{},
		"  read.example.net\tinterval  7d  ":         Wish{Interval: week},
		"read.example.net interval 36h":              Wish{Interval: 36 * time.Hour},
		"read.example.net.evil.example block":        nil,
		"evil.example block\nxread.example.net x":    nil,
		"<html><p>read.example.net block</p></html>": nil,
		"read.example.net allow\n* interval 2h\nread.example.net interval 1h": Wish{
			Interval: 2 * time.Hour},
		"read.example.net interval 366d\nother.example allow\nread.example.net block\n\n": Wish{Blocked: true},

		"read.example.net":                  "read.example.net",
		"read.example.net stop":             "stop",
		"read.example.net block please":     "please",
		"read.example.net interval":         "interval",
		"read.example.net interval 30m":     "30m",
		"read.example.net interval 0h":      "0h",
		"read.example.net interval 367d":    "from 1h to 366d",
		"read.example.net interval -7d":     "-7d",
		"read.example.net interval 99999d":  "99999d",
		"read.example.net allow\n* nothing": "nothing",
	} {
		wish, err := ParseWish(text, base)
		switch want := want.(type) {
		case nil:
			if wish != nil || err != nil {
				t.Errorf("%q: %v, %v", text, wish, err)
			}
		case Wish:
			if err != nil || wish == nil || *wish != want {
				t.Errorf("%q: %v, %v; want %v", text, wish, err, want)
			}
		case string:
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, %v", text, wish, err)
			}
		}
	}
}

func FuzzParseWish(f *testing.F) {
	for _, s := range []string{"", "a.example block", "* interval 7d\na.example allow", "\ufeffa.example: block\r"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		wish, err := ParseWish(text, "https://a.example")
		if wish == nil {
			return
		}
		if err != nil || wish.Blocked && wish.Interval != 0 || wish.Interval != 0 &&
			(wish.Interval < leastWish || wish.Interval > mostWish) {
			t.Errorf("%+v, %v", wish, err)
		}
		if again, err := ParseWish(text+"\na.example block", "https://a.example/"); err != nil || again == nil ||
			!again.Blocked {
			t.Errorf("with a block: %+v, %v", again, err)
		}
	})
}

func owned(t *testing.T, texts map[string][]string, answer http.HandlerFunc) *Poller {
	s := httptest.NewTLSServer(answer)
	t.Cleanup(s.Close)
	p := New(Options{
		BaseURL: "https://read.example.net", NoWait: true,
		AllowNetworks: loopback(),
		HostBlocks: func(context.Context) ([]digest.HostRule, error) {
			return []digest.HostRule{{Host: "blocked.example", Blocked: true, ByOwner: true}}, nil
		},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if strings.HasSuffix(address, ":80") || strings.HasPrefix(address, "silent.") {
				return nil, errors.New("connection refused")
			}
			return new(net.Dialer).DialContext(ctx, network, s.Listener.Addr().String())
		},
	})
	t.Cleanup(p.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	p.transport.TLSClientConfig.RootCAs, p.transport.TLSClientConfig.ServerName = roots, "example.com"
	p.guard.lookupTXT = func(_ context.Context, name string) ([]string, error) {
		if found := texts[name]; found != nil {
			return found, nil
		}
		return nil, errors.New("no such host")
	}
	return p
}

// TestWish checks where wishes are read, and that only the owner of the host can publish one.
func TestWish(t *testing.T) {
	texts := map[string][]string{
		"_digest.dns.example":  {"v=spf1 -all", "read.example.net interval 7d"},
		"_digest.both.example": {"read.example.net interval 7d"},
		"_digest.bad.example":  {"read.example.net maybe"},
	}
	files := map[string]string{
		"file.example": "read.example.net block", "both.example": "read.example.net allow",
		"blocked.example": "read.example.net allow",
		"other.example":   "read.example.com block", "192.0.2.1": "* interval 2h",
	}
	var asked []string
	p := owned(t, texts, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Host+r.URL.Path)
		if !strings.Contains(r.UserAgent(), "asked by the owner of the site") {
			t.Errorf("asked as %s", r.UserAgent())
		}
		switch text, ok := files[r.Host]; {
		case r.Host == "away.example":
			http.Redirect(w, r, "https://file.example"+WishFile, http.StatusFound)
		case r.Host == "moved.example" && r.URL.Path == WishFile:
			http.Redirect(w, r, "/elsewhere.txt", http.StatusMovedPermanently)
		case r.Host == "moved.example":
			fmt.Fprint(w, "* block")
		case r.Host == "circle.example":
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
		case !ok:
			http.NotFound(w, r)
		default:
			fmt.Fprint(w, text)
		}
	})
	for address, want := range map[string]struct {
		wish *Wish
		why  string // part of the reasons of the places
	}{
		"file.example":                     {&Wish{Blocked: true}, "no line mentions read.example.net"},
		"https://file.example/blog?x#y":    {&Wish{Blocked: true}, ""},
		"https://ann:secret@file.example/": {&Wish{Blocked: true}, ""},
		"dns.example":                      {&Wish{Interval: 7 * oneDay}, "404 Not Found"},
		"both.example":                     {&Wish{Interval: 7 * oneDay}, ""}, // the stricter one
		"blocked.example":                  {&Wish{}, ""},                     // lifts the block
		"192.0.2.1":                        {&Wish{Interval: 2 * time.Hour}, ""},
		"moved.example":                    {&Wish{Blocked: true}, ""},
		"away.example":                     {nil, "redirects to file.example; put the file on the host itself"},
		"circle.example":                   {nil, "redirected more than"},
		"other.example":                    {nil, "no line mentions read.example.net"},
		"bad.example":                      {nil, "can’t read the line"},
		"silent.example":                   {nil, "connect"},
	} {
		host, wish, places, err := p.Wish(t.Context(), address, true)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if (wish == nil) != (want.wish == nil) || wish != nil && *wish != *want.wish {
			t.Errorf("%s (%s): %+v, want %+v", address, host, wish, want.wish)
		}
		if all := fmt.Sprint(places); !strings.Contains(all, want.why) || strings.Contains(all, "secret") {
			t.Errorf("%s: %s", address, all)
		}
	}
	for _, address := range []string{"", "no host", "ftp://file.example", "file:///etc/passwd"} {
		if _, _, _, err := p.Wish(t.Context(), address, true); err == nil {
			t.Errorf("%q is an address", address)
		}
	}
	for _, a := range asked {
		if strings.Contains(a, "robots.txt") {
			t.Errorf("%s was asked for", a)
		}
	}
}

// TestWishPort holds that a file on a special port does not count for the host, except in the allowed
// networks.
func TestWishPort(t *testing.T) {
	for addr, is := range map[string]bool{"127.0.0.0/8": true, "10.0.0.0/8": false} {
		p := owned(t, nil, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "* block") })
		p.guard.allow = []netip.Prefix{netip.MustParsePrefix(addr)}
		if _, wish, places, _ := p.Wish(t.Context(), "https://host.example:8443", true); (wish != nil) != is {
			t.Errorf("with %s allowed: %v", addr, places)
		}
	}
}

// TestBlocks holds that no request is sent to a blocked host, not even after a redirect, and that a lifted
// block has no effect.
func TestBlocks(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		blocked := []digest.HostRule{{Host: "no.example", Blocked: true, ByOwner: true}}
		no := n.site("img.no.example:80", says(200, atom(1)))
		n.site("yes.example:80", says(302, "", "Location: http://IMG.no.example.:80/feed"))
		r := n.reader(t, "http://yes.example/feed", func(o *Options) {
			o.HostBlocks = func(context.Context) ([]digest.HostRule, error) { return blocked, nil }
		})
		if r.want(Failed); !strings.Contains(r.feed.LastError, "the owner of no.example asked us") {
			t.Error(r.feed.LastError)
		}
		for _, address := range []string{"http://img.no.example/a.png", "http://yes.example/a.png"} {
			_, err := r.p.Picture(t.Context(), address)
			if digest.KindOf(err) != digest.NotFound || !strings.Contains(err.Error(), "asked us") {
				t.Errorf("a picture of %s: %v", address, err)
			}
			_, err = r.p.Sound(t.Context(), address, "")
			if digest.KindOf(err) != digest.NotFound || !strings.Contains(err.Error(), "asked us") {
				t.Errorf("a sound of %s: %v", address, err)
			}
		}
		if a := r.p.PostForm(t.Context(), Form{Address: "http://img.no.example/hub"}); a.Status != 0 ||
			!strings.Contains(a.Why, "asked us") {
			t.Errorf("a hub: %+v", a)
		}
		c, err := r.p.Find(t.Context(), "http://img.no.example/",
			nobody)
		if err == nil || !strings.Contains(err.Error(), "asked us") || !c.Read.Feed.NotBefore.IsZero() {
			t.Errorf("a search: %v, left alone until %v", err, c.Read.Feed.NotBefore)
		}
		asked(t, no, "")
		blocked = nil
		time.Sleep(blocksAge)
		if _, err := r.p.Find(t.Context(), "http://img.no.example/",
			nobody); err != nil {
			t.Errorf("after the block: %v", err)
		}
	})
}
