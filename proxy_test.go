package digest_test

import (
	"net/netip"
	"strings"
	"testing"

	"digest"
)

func TestProxies(t *testing.T) {
	two := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::1/128")}
	var socket netip.Addr
	for _, tt := range []struct {
		proxies digest.Proxies
		peer    netip.Addr
		want    bool
	}{
		{digest.Proxies{}, netip.MustParseAddr("127.0.0.1"), false},
		{digest.Proxies{}, socket, false},
		{digest.Proxies{Networks: two}, netip.MustParseAddr("10.1.2.3"), true},
		{digest.Proxies{Networks: two}, netip.MustParseAddr("11.1.2.3"), false},
		{digest.Proxies{Networks: two}, netip.MustParseAddr("2001:db8::1"), true},
		{digest.Proxies{Networks: two}, socket, false},
		{digest.Proxies{Socket: true}, socket, true},
		{digest.Proxies{Socket: true}, netip.MustParseAddr("127.0.0.1"), false},
	} {
		if got := tt.proxies.Trusts(tt.peer); got != tt.want {
			t.Errorf("%+v trust %s: %t", tt.proxies, tt.peer, got)
		}
	}
	if got := strings.Join(digest.Proxies{Networks: two, Socket: true}.Words(),
		","); got != "10.0.0.0/8,2001:db8::1,unix" {
		t.Error(got)
	}
	if (digest.Proxies{Socket: true}).None() || !(digest.Proxies{}).None() {
		t.Error("who is none?")
	}
}
