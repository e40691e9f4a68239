package feed_test

import (
	"testing"

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
