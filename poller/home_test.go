package poller

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"digest"
)

// A neighbourhood has a public site, outside.example, and a home site in a private network that the
// operator allows, as nas.example and by its address.
type neighbourhood struct {
	*reader
	outside, home *site
	turned        bool // outside.example resolves to the home site
}

func newNeighbourhood(t *testing.T, address string) *neighbourhood {
	n := &neighbourhood{outside: newSite(t, nil),
		home: newSiteAt(t, "127.0.0.2:0", good(1))}
	allow := []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}
	n.reader = newReader(t, strings.ReplaceAll(address, "HOME", n.home.address),
		func(o *Options) { o.AllowNetworks = allow })
	n.p.transport, n.p.public = n.through(allow), n.through(nil)
	n.p.guard.lookup = lookup
	return n
}

func lookup(_ context.Context, _, host string) ([]netip.Addr, error) {
	if host == "nas.example" {
		return []netip.Addr{netip.MustParseAddr("127.0.0.2")}, nil
	}
	return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
}

// through returns a transport that reaches outside.example and all addresses that the guard allows.
func (n *neighbourhood) through(allow []netip.Prefix) *http.Transport {
	g := newGuard(allow)
	g.lookup = lookup
	return newTransport(func(ctx context.Context, network, address string) (net.Conn, error) {
		switch {
		case address == "outside.example:80" && n.turned:
			address = n.home.address
		case address == "outside.example:80":
			return new(net.Dialer).DialContext(ctx, network, n.outside.address)
		}
		return g.DialContext(ctx, network, address)
	}, time.Minute)
}

func (n *neighbourhood) homes() []string {
	_, port, _ := strings.Cut(n.home.address, ":")
	return []string{"http://" + n.home.address + "/feed", "http://nas.example:" + port + "/feed"}
}

// TestI7_NoRedirectHome holds that a public site cannot redirect to a private network, even an allowed one.
// No request is sent there, and no feed moves there.
func TestI7_NoRedirectHome(t *testing.T) {
	for _, status := range []int{301, 302, 307, 308} {
		n := newNeighbourhood(t, "http://outside.example/feed")
		for _, to := range n.homes() {
			n.outside.says(status, "", "Location: "+to)
			for range 3 { // a permanent redirect is confirmed after a day
				if result := n.want(Failed); result.Message != errNotPublic.Error() || n.feed.MovedTo != "" {
					t.Errorf("%d to %s: %s, to move to %q", status, to, result.Message, n.feed.MovedTo)
				}
			}
		}
		asked(t, n.home, "")
	}
}

// TestI7_HomeAndBack holds that a typed home address may redirect to another home address. After a redirect
// to a public site, no redirect returns to the home network.
func TestI7_HomeAndBack(t *testing.T) {
	n := newNeighbourhood(t, "http://HOME/start")
	feed := good(1)
	to := n.homes()[1]
	n.home.answers(func(r request) string {
		if r.target == "/start" {
			return reply(r, 302, "", "Location: "+to)
		}
		return feed(r)
	})
	n.want(Changed)
	asked(t, n.home, "GET GET")
	to = "http://outside.example/feed"
	n.outside.says(302, "", "Location: "+n.homes()[0])
	if result := n.want(Failed); result.Message != errNotPublic.Error() {
		t.Error(result.Message)
	}
	asked(t, n.home, "HEAD")
}

// TestI7_NoConnectionIsShared holds that a redirect from a public site cannot use an idle connection to a
// home address.
func TestI7_NoConnectionIsShared(t *testing.T) {
	n := newNeighbourhood(t, "http://HOME/feed")
	n.want(Changed)
	asked(t, n.home, "GET")
	n.outside.says(302, "", "Location: "+n.homes()[0])
	res := n.p.Poll(t.Context(), digest.Feed{ID: 2, URL: "http://outside.example/feed", Host: "outside.example"}, 1)
	if res.Outcome != Failed || res.Message != errNotPublic.Error() {
		t.Errorf("%s: %s", res.Outcome, res.Message)
	}
	asked(t, n.home, "")
}

// TestI7_RobotsAtHome holds that a robots.txt is read where its feed may be, and cannot be reached by
// redirects from elsewhere.
func TestI7_RobotsAtHome(t *testing.T) {
	n := newNeighbourhood(t, "http://outside.example/feed")
	n.p.robots = newRobotsReader(&shelf{})
	feed := good(1)
	n.outside.answers(func(r request) string {
		if r.target == "/robots.txt" {
			return reply(r, 302, "", "Location: "+n.homes()[0])
		}
		return feed(r)
	})
	n.poll()
	asked(t, n.home, "")
	n.feed = digest.Feed{ID: 2, URL: n.homes()[0], Host: "127.0.0.2", State: digest.FeedActive}
	n.want(Changed)
	if log := targets(n.home.log()); log != "GET/robots.txt GET/feed" {
		t.Errorf("at home was asked: %s", log)
	}
}

// TestI7_OffersOfAPage holds that home addresses on a public page are neither requested nor shown. A page
// in the home network may offer them.
func TestI7_OffersOfAPage(t *testing.T) {
	n := newNeighbourhood(t, "http://outside.example/")
	homes := n.homes()
	n.outside.answers(paths(map[string]string{"/": page(homes[0], homes[1], "/feed", homes[0]+"?2", homes[1]+
		"?2", "/other"), "/feed": atom(1)}))
	n.home.answers(paths(map[string]string{"/": page("/feed", homes[1]), "/feed": atom(1)}))
	nothing := nobody
	found, err := n.p.Find(t.Context(), "http://outside.example/", nothing)
	var got []string
	for _, c := range found.Feeds {
		got = append(got, c.URL)
	}
	if err != nil || strings.Join(got, " ") != "http://outside.example/feed http://outside.example/other" {
		t.Errorf("offered: %q, %v", got, err)
	}
	asked(t, n.home, "")
	found, err = n.p.Find(t.Context(), "http://"+n.home.address, nothing)
	if err != nil || len(found.Feeds) != 2 || found.Feeds[1].URL != homes[1] {
		t.Errorf("at home: %+v, %v", found.Feeds, err)
	}
	asked(t, n.home, "GET GET")
}

// TestI7_NoPictureFromHome holds that pictures are fetched from public addresses only, since no person
// typed the address.
func TestI7_NoPictureFromHome(t *testing.T) {
	n := newNeighbourhood(t, "http://HOME/feed")
	n.want(Changed) // its connection stays open
	asked(t, n.home, "GET")
	n.home.says(200, pictures["image/png"])
	n.outside.says(302, "", "Location: "+n.homes()[0])
	for _, address := range append(n.homes(), "http://outside.example/i.png") {
		if _, err := n.p.Picture(t.Context(), address); digest.KindOf(err) != digest.NotFound {
			t.Errorf("%s: %v", address, err)
		}
	}
	asked(t, n.home, "")
	n.outside.says(200, pictures["image/png"])
	if _, err := n.p.Picture(t.Context(), "http://outside.example/i.png"); err != nil {
		t.Error(err)
	}
}

// TestI7_NameThatTurnsHome holds that a public feed is not followed when its name later resolves to a home
// address. A feed that a person typed at home stays reachable there, whatever it redirects to.
func TestI7_NameThatTurnsHome(t *testing.T) {
	n := newNeighbourhood(t, "http://outside.example/feed")
	n.outside.answers(good(1))
	n.want(Changed)
	n.turned = true
	n.p.Close() // as after a day
	if result := n.want(Failed); result.Message != errNotPublic.Error() {
		t.Error(result.Message)
	}
	asked(t, n.home, "")

	n = newNeighbourhood(t, "http://HOME/start")
	n.outside.answers(good(1))
	n.home.says(302, "", "Location: http://outside.example/feed")
	n.want(Changed)
	n.p.Close()
	if n.want(Unchanged); n.feed.PublicOnly {
		t.Error("a feed that begins at home counts as one of the Internet")
	}
}
