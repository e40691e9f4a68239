package feed

import (
	"testing"
)

func TestNormalURL(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"https://example.org/feed", "https://example.org/feed"},
		{"HTTPS://Example.ORG/Feed", "https://example.org/Feed"},
		{"http://example.org:80/", "http://example.org/"},
		{"https://example.org:443/", "https://example.org/"},
		{"http://example.org:8080", "http://example.org:8080/"},
		{"https://example.org#top", "https://example.org/"},
		{"https://example.org/feed #top", "https://example.org/feed"},
		{"https://example.org/feed?a=1\u00a0 #top", "https://example.org/feed?a=1"},
		{"https://example.org #top", "https://example.org/"},
		{"https://example.org/feed \x01", "https://example.org/feed"},
		{"https://example.org?a=b%20c&A=1", "https://example.org/?a=b%20c&A=1"},
		{"https://example.org/a%7Eb/../c?x=é/../", "https://example.org/c?x=é/../"},
		{"https://example.org/./a/b/..", "https://example.org/a/"},
		{"https://example.org/../../.well-known/./feed", "https://example.org/.well-known/feed"},
		{" example.org/feed\n", "https://example.org/feed"},
		{"example.org:8080/feed", "https://example.org:8080/feed"},
		{"localhost:8080", "https://localhost:8080/"},
		{"//example.org/feed", "https://example.org/feed"},
		{"feed://example.org/x", "http://example.org/x"},
		{"feed:http://example.org/x", "http://example.org/x"},
		{"https://bücher.example/", "https://xn--bcher-kva.example/"},
		{"https://example.org./", "https://example.org/"},
		{"http://[::1]:8080/x", "http://[::1]:8080/x"},
		{"http://127.0.0.1:9/x", "http://127.0.0.1:9/x"},
		{"https://a_b.example.org/", "https://a_b.example.org/"},
		{"ftp://example.org/", ""},
		{"file:///etc/passwd", ""},
		{"javascript:alert(1)", ""},
		{"mailto:a@example.org", ""},
		{"hello", ""},
		{"", ""},
		{"http://", ""},
		{"http://exa mple.org/", ""},
	} {
		got, err := NormalURL(c.raw)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("NormalURL(%q) = %q, %v; want %q", c.raw, got, err, c.want)
		}
		if again, _ := NormalURL(got); c.want != "" && again != got {
			t.Errorf("NormalURL(%q) = %q, not stable", got, again)
		}
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct{ base, ref, want string }{
		{"https://x.org/a/b", "c", "https://x.org/a/c"},
		{"https://x.org/a/b", "/c?d", "https://x.org/c?d"},
		{"https://x.org/a/b", "//y.org/c", "https://y.org/c"},
		{"https://x.org/a/b", "HTTP://Y.org/%zz", "HTTP://Y.org/%zz"},
		{"https://x.org/a/b", "/100%", "https://x.org/100%"},
		{"https://x.org/a/b", "", ""},
		{"", "c", "c"},
		{"nonsense", "c", "c"},
		{"http://www.詹姆斯.com:80/a/", "詹.html", "http://www.xn--8ws00zhy3a.com:80/a/%E8%A9%B9.html"},
		{"", "//y.org/c", "https://y.org/c"},
		{"http://x.org/a", "//y.org/c", "http://y.org/c"},
		{"http://x.org/a", "www.y.de/c?d", "http://www.y.de/c?d"},
		{"https://x.org/a", "WWW.Y.de", "https://WWW.Y.de"},
		{"https://x.org/a", "www.y.de:8080/c", "https://www.y.de:8080/c"},
		{"", "www.y.de", "https://www.y.de"},
		{"https://x.org/a", "y.com/c", "https://y.com/c"},
		{"https://www.x.museum/a", "x.museum/c", "https://x.museum/c"},
		{"https://x.museum", "www.x.museum", "https://www.x.museum"},
		{"https://x.museum/a/", "y.museum/c", "https://x.museum/a/y.museum/c"}, // may be a path
		{"https://x.museum/a/", "x.museums/c", "https://x.museum/a/x.museums/c"},
		{"https://x.org/a/", "index.html", "https://x.org/a/index.html"},
		{"https://x.org/a/", "a/www.y.com", "https://x.org/a/a/www.y.com"},
		{"https://x.org/a/", "www.html", "https://x.org/a/www.html"},
		{"https://x.org/a/", ".com", "https://x.org/a/.com"},
		{"https://x.org/a/", "ann@y.com", "https://x.org/a/ann@y.com"},
		{"https://x.org/a/", "mailto:ann@y.com", "mailto:ann@y.com"},
	} {
		if got := resolve(c.base, c.ref); got != c.want {
			t.Errorf("resolve(%q, %q) = %q, want %q", c.base, c.ref, got, c.want)
		}
	}
}

func TestHost(t *testing.T) {
	for raw, want := range map[string]string{"https://Example.org:80/x": "example.org", "http://[::1]/": "::1", "x": "",
		"%": ""} {
		if got := Host(raw); got != want {
			t.Errorf("Host(%q) = %q, want %q", raw, got, want)
		}
	}
}
