package main

import (
	"strings"
	"testing"
)

// TestReadBaseURL checks that the base URL is normalised. Headers need ASCII, and the web view compares it with values
// from browsers.
func TestReadBaseURL(t *testing.T) {
	tests := []struct{ in, want string }{
		{"http://localhost:8080", "http://localhost:8080"},
		{"https://digest.example.org/", "https://digest.example.org"},
		{"HTTPS://Digest.Example.ORG:443", "https://digest.example.org"},
		{"http://nas:80", "http://nas"},
		{"https://a.example.org:8443/", "https://a.example.org:8443"},
		{"https://bücher.example", "https://xn--bcher-kva.example"},
		{"https://BÜCHER.example:8443/", "https://xn--bcher-kva.example:8443"},
		{"http://my_nas:8080", "http://my_nas:8080"},
		{"http://[::1]:8080", "http://[::1]:8080"},
		{"http://[2001:DB8::1]", "http://[2001:db8::1]"},
		{"http://192.168.1.4:8080", "http://192.168.1.4:8080"},
		{"digest.example.org", ""},
		{"ftp://digest.example.org", ""},
		{"https://digest.example.org/news", ""},
		{"https://digest.example.org?a", ""},
		{"https://ann@digest.example.org", ""},
		{"https://", ""},
		{"https://:443", ""},
		{"https://bü_cher-.example", ""},
		{"http://[fe80::1%25eth0]", ""},
	}
	for _, tt := range tests {
		got, err := readBaseURL(nil, tt.in)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("readBaseURL(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
}

func TestReadListen(t *testing.T) {
	for _, good := range []string{"127.0.0.1:8080", ":80", "[::1]:0", "unix:/run/digest/web.sock"} {
		if got, err := readListen(nil, good); got != good || err != nil {
			t.Errorf("%s: %s, %v", good, got, err)
		}
	}
	for _, bad := range []string{"", "8080", "127.0.0.1:70000", "unix:", "unix:web.sock", "unix:/run/../web.sock",
		"unix:/run/", "unix:/" + strings.Repeat("x", 103)} {
		if got, err := readListen(nil, bad); err == nil {
			t.Errorf("%s: %s", bad, got)
		}
	}
}

func TestParseProxies(t *testing.T) {
	for in, want := range map[string]string{
		"unix": "unix", "127.0.0.1": "127.0.0.1", "127.0.0.1, unix ,10.0.0.0/8": "127.0.0.1,10.0.0.0/8,unix",
		"unix,unix": "unix",
		"caddy":     "", "unix,caddy": "", "unix:/run/x": "",
	} {
		if got, err := parseProxies(in); strings.Join(got.Words(), ",") != want || (err == nil) != (want != "") {
			t.Errorf("%s: %v, %v", in, got.Words(), err)
		}
	}
}
