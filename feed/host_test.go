package feed_test

import (
	"strings"
	"testing"

	"digest"
	"digest/feed"
)

func TestParseHost(t *testing.T) {
	tests := []struct{ in, want string }{
		{"example.org", "example.org"},
		{" Example.ORG. ", "example.org"},
		{"*.example.org", "example.org"},
		{".example.org", "example.org"},
		{"https://blog.example.org:8443/feed?x=1", "blog.example.org"},
		{"example.org:8080", "example.org"},
		{"bücher.example", "xn--bcher-kva.example"},
		{"192.0.2.1", "192.0.2.1"},
		{"[2001:db8::1]", "2001:db8::1"},
		{"", ""},
		{"*", ""},
		{"no host", ""},
		{"ftp://example.org", ""},
	}
	for _, tt := range tests {
		if got, err := feed.ParseHost(tt.in); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("ParseHost(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
}

func TestCheckRuleHost(t *testing.T) {
	for host, refused := range map[string]bool{
		"com": true, "co.uk": true, "xn--p1ai": true,
		"example.com": false, "bbc.co.uk": false, "github.io": false, "localhost": false, "192.0.2.1": false,
		"2001:db8::1": false,
	} {
		if err := feed.CheckRuleHost(host); (digest.KindOf(err) == digest.Invalid) != refused {
			t.Errorf("%s: %v", host, err)
		}
	}
	if _, err := feed.ParseHost(strings.Repeat("a ", 2000)); err == nil || len(err.Error()) > 200 {
		t.Errorf("%v", err)
	}
}
