package main

import "testing"

func TestIsPublic(t *testing.T) {
	tests := []struct {
		base string
		want bool
	}{
		{"https://digest.a-paper.org", true},
		{"http://a-paper.org:8080", true},
		{"https://A-Paper.ORG.", true},
		{"https://xn--bcher-kva.ch", true},
		{"http://93.184.216.34:8080", true},
		{"http://[2606:2800:220:1::1]", true},
		{"http://[::ffff:93.184.216.34]", true},
		{"https://localhost.example.org", true},
		{"https://mylocal.org", true},
		{"http://localhost:8080", false},
		{"http://LOCALHOST:8080", false},
		{"http://reader.localhost", false},
		{"http://nas", false},
		{"http://nas.local", false},
		{"http://nas.local.", false},
		{"http://nas.lan:8080", false},
		{"http://nas.home.arpa", false},
		{"http://app.internal", false},
		{"http://a.test", false},
		{"http://a.invalid", false},
		{"https://digest.example", false},
		{"http://abcdefghijklmnop.onion", false},
		{"http://127.0.0.1:8080", false},
		{"http://192.168.1.5", false},
		{"http://10.0.0.5", false},
		{"http://172.20.0.5", false},
		{"http://100.100.1.1", false}, // carrier-grade NAT, and private networks that use it
		{"http://169.254.1.1", false},
		{"http://192.0.2.1", false},
		{"http://0.0.0.0", false},
		{"http://255.255.255.255", false},
		{"http://[::1]:8080", false},
		{"http://[fd00::1]", false},
		{"http://[fe80::1]", false},
		{"http://[2001:db8::1]", false},
		{"http://[::ffff:10.0.0.1]", false},
	}
	for _, tt := range tests {
		if got := isPublic(tt.base); got != tt.want {
			t.Errorf("isPublic(%q) = %v", tt.base, got)
		}
	}
}

func TestReachable(t *testing.T) {
	tests := []struct {
		base, contact, from string
		ok                  bool
	}{
		{"http://localhost:8080", "", "Daily Digest <digest@localhost>", true},
		{"https://a-paper.org", "", "Daily Digest <digest@localhost>", false},
		{"https://a-paper.org", "", "Daily Digest <digest@LOCALHOST>", false},
		{"https://a-paper.org", "root@localhost", "Paper <paper@a-paper.org>", false},
		{"https://a-paper.org", "", "Paper <paper@a-paper.org>", true},
		{"https://a-paper.org", "ann@example.org", "Daily Digest <digest@localhost>", true},
	}
	for _, tt := range tests {
		contact, err := contactOf(tt.contact, tt.from)
		must(t, err)
		if err := (&settings{BaseURL: tt.base, Contact: contact}).reachable(); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
