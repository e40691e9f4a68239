package poller

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestIsHome is a table of addresses in the allowed networks and outside.
func TestIsHome(t *testing.T) {
	p := New(Options{AllowNetworks: loopback()})
	defer p.Close()
	for address, home := range map[string]bool{"127.0.0.1": true, "::ffff:127.0.0.1": true, "10.0.0.1": false,
		"8.8.8.8": false, "::1": false} {
		if got := p.IsHome(netip.MustParseAddr(address)); got != home {
			t.Errorf("%s is home: %t", address, got)
		}
	}
}

// TestI7_Addresses is a table of allowed and forbidden addresses.
func TestI7_Addresses(t *testing.T) {
	for list, public := range map[string]bool{
		`93.184.216.34 1.1.1.1 172.15.255.255 172.32.0.0 100.63.255.255 100.128.0.0 223.255.255.255
		2606:2800:220:1:248:1893:25c8:1946 2a00:1450:4001::1
		::ffff:93.184.216.34 (IPv4-mapped) 64:ff9b::93.184.216.34 (NAT64 of a public address)`: true,
		`0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254
		169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1 192.31.196.1 192.52.193.1
		192.88.99.1 192.175.48.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
		239.255.255.255 240.0.0.1 255.255.255.255 :: ::1
		::127.0.0.1 (IPv4-compatible) ::ffff:127.0.0.1 (IPv4-mapped) ::ffff:0:127.0.0.1 (SIIT)
		64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 (NAT64 of private addresses)
		64:ff9b:1::7f00:1 64:ff9b:1::5db8:d822 (NAT64 for local use)
		100::1 (discard) 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 (Teredo)
		2001:2::1 2001:10::1 2001:20::1 (benchmarks, ORCHID) 2001:db8::1 2002:7f00:1:: 2002:5db8:d822::1 (6to4)
		2620:4f:8000::1 3fff::1 3fff:fff::1 4000::1 5f00::1 fc00::1 fd12:3456::1
		fe80::1 fe80::1%lo 2606:2800:220::1%eth0 fec0::1 ff02::1`: false,
	} {
		for address := range strings.FieldsSeq(regexp.MustCompile(`\([^)]*\)`).ReplaceAllString(list, "")) {
			a := netip.MustParseAddr(address)
			if got := IsPublic(a); got != public {
				t.Errorf("%s: public is %v", address, got)
			}
			if a.Zone() == "" {
				checkControl(t, newGuard(nil), netip.AddrPortFrom(a, 443).String(), public)
			}
		}
	}
	if IsPublic(netip.Addr{}) {
		t.Error("no address at all is public")
	}
}

func checkControl(t *testing.T, g *guard, address string, want bool) {
	t.Helper()
	if err := g.control(context.Background(), "tcp6", address, nil); (err == nil) != want {
		t.Errorf("dialling %s: %v", address, err)
	}
}

func TestI7_PortsAndNetworks(t *testing.T) {
	g := newGuard(loopback())
	for list, want := range map[string]bool{
		`93.184.216.34:80 93.184.216.34:443 93.184.216.34:8443 93.184.216.34:1024 127.0.0.1:80 127.9.9.9:8022
		[::ffff:127.0.0.1]:80`: true,
		`93.184.216.34:22 93.184.216.34:25 93.184.216.34:1023 93.184.216.34:0 127.9.9.9:22 [::1]:80 10.0.0.1:80
		[64:ff9b::127.0.0.1]:80 127.0.0.1 localhost:80`: false, // an allowed network is not allowed inside NAT64
	} {
		for address := range strings.FieldsSeq(list) {
			checkControl(t, g, address, want)
		}
	}
	checkControl(t, g, "", false)
	if err := g.control(context.Background(), "udp4", "127.0.0.1:80", nil); err == nil {
		t.Error("udp was dialled")
	}
}

// TestI7_Names holds that all addresses of a name are checked.
func TestI7_Names(t *testing.T) {
	tests := []struct {
		why, answer, want string // want: the dialled addresses; "" if refused
	}{
		{"public", "93.184.216.34 2606:2800:220::1", "93.184.216.34 2606:2800:220::1"},
		{"private", "10.0.0.1", ""},
		{"mixed", "93.184.216.34 10.0.0.1", ""},
		{"mixed, the other way", "::1 93.184.216.34", ""},
		{"localhost with its IPv6 address", "::1 127.0.0.1", "127.0.0.1"},
		{"public and allowed", "93.184.216.34 127.0.0.1", "127.0.0.1 93.184.216.34"},
		{"public, allowed and private", "93.184.216.34 127.0.0.1 10.0.0.1", ""},
		{"nothing", "", ""},
	}
	for _, test := range tests {
		g := newGuard(loopback())
		g.lookup = func(context.Context, string, string) ([]netip.Addr, error) {
			var list []netip.Addr
			for s := range strings.FieldsSeq(test.answer) {
				list = append(list, netip.MustParseAddr(s))
			}
			return list, nil
		}
		addrs, err := g.resolve(context.Background(), "a.example")
		var got []string
		for _, a := range addrs {
			got = append(got, a.String())
		}
		if strings.Join(got, " ") != test.want || (err != nil) != (test.want == "") || err != nil &&
			!errors.Is(err, errNotPublic) {
			t.Errorf("%s: %v %v", test.why, got, err)
		}
	}
}

// TestI7_Literals holds that every spelling of a private address is rejected.
func TestI7_Literals(t *testing.T) {
	s := newSite(t, good(1))
	_, port, _ := strings.Cut(s.address, ":")
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "[::1]", "[fe80::1%25lo]", "0", "0.0.0.0", "[::]",
		"localhost",
		"[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "169.254.169.254"} {
		r := newReader(t, "http://"+host+":"+port+"/feed", func(o *Options) { o.AllowNetworks = nil })
		if result := r.want(Failed); result.Message != errNotPublic.Error() && host != "0" {
			t.Errorf("%s: %s", host, result.Message)
		}
	}
	if log := s.log(); len(log) > 0 {
		t.Errorf("asked: %v", log)
	}
}

// through returns a reader whose names resolve by lookup.
func through(t *testing.T, address string, lookup func() ([]netip.Addr, error)) *reader {
	g := newGuard(loopback())
	g.lookup = func(context.Context, string, string) ([]netip.Addr, error) { return lookup() }
	return newReader(t, address, func(o *Options) { o.DialContext = g.DialContext })
}

// TestS38_OneAddressAtATime holds that the next address is tried if the first does not answer.
func TestS38_OneAddressAtATime(t *testing.T) {
	s := newSite(t, good(1))
	_, port, _ := strings.Cut(s.address, ":")
	r := through(t, "http://a.example:"+port+"/feed", func() ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.77"), netip.MustParseAddr("::ffff:127.0.0.1")}, nil
	})
	r.want(Changed)
	log := asked(t, s, "GET")
	sent(t, log[0], "Host", "a.example:"+port)
}

// TestI7_Rebinding holds that every poll checks the addresses of a name again.
func TestI7_Rebinding(t *testing.T) {
	s := newSite(t, good(1))
	_, port, _ := strings.Cut(s.address, ":")
	answer := netip.MustParseAddr("127.0.0.1")
	r := through(t, "http://a.example:"+port+"/feed", func() ([]netip.Addr, error) { return []netip.Addr{answer}, nil })
	r.want(Changed)
	answer = netip.MustParseAddr("192.168.0.1")
	if r.want(Failed); r.feed.LastError != errNotPublic.Error() {
		t.Error(r.feed.LastError)
	}
}

func TestNamesThatDoNotResolve(t *testing.T) {
	for says, err := range map[string]error{
		"no such host": &net.DNSError{Err: "no such host", Name: "a.example", Server: "10.0.0.53:53",
			IsNotFound: true},
		"DNS lookup failed": &net.DNSError{Err: "timeout", Name: "a.example", Server: "10.0.0.53:53", IsTimeout: true},
	} {
		r := through(t, "http://a.example/feed", func() ([]netip.Addr, error) { return nil, err })
		if r.want(Failed); r.feed.LastError != says || r.feed.LastStatus != 0 {
			t.Error(r.feed.LastError)
		}
	}
}

// TestI7_Connecting holds that the dialler checks the address and the port when it connects, before it
// sends anything.
func TestI7_Connecting(t *testing.T) {
	g := newGuard(nil)
	if _, err := g.dialOne(t.Context(), netip.MustParseAddr("127.0.0.1"), "80", time.Second); !errors.Is(err,
		errNotPublic) {
		t.Errorf("past the resolver to loopback: %v", err)
	}
	if _, err := g.DialContext(t.Context(), "tcp", "192.88.98.1:25"); !errors.Is(err, errPort) {
		t.Errorf("a public address's mail port: %v", err)
	}
}

func TestTransportIsGuarded(t *testing.T) {
	s := newSite(t, func(r request) string { return reply(r, 302, "", "Location: /x") })
	ask := func(allow []netip.Prefix) (*http.Response, error) {
		request, err := http.NewRequestWithContext(t.Context(), "GET", s.url("/"), nil)
		if err != nil {
			t.Fatal(err)
		}
		return newTransport(newGuard(allow).DialContext, time.Second).RoundTrip(request)
	}
	resp, err := ask(nil)
	if !errors.Is(err, errNotPublic) {
		t.Fatal(resp, err)
	}
	resp, err = ask(loopback())
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	asked(t, s, "GET")
}

func TestParseNetworks(t *testing.T) {
	list, err := ParseNetworks("127.0.0.0/8, ::1 10.1.2.3/8")
	if err != nil || len(list) != 3 || list[1].String() != "::1/128" || list[2].String() != "10.0.0.0/8" {
		t.Error(list, err)
	}
	if list, err := ParseNetworks(""); err != nil || list != nil {
		t.Error(list, err)
	}
	for _, bad := range []string{"localhost", "127.0.0.0/33", "fe80::1%lo"} {
		if _, err := ParseNetworks(bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
