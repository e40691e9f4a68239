package main

import "testing"

// The base URL stands in headers of mails and requests, which hold no ü, and is
// compared with what browsers send.
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
