package page

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestSharedAddress(t *testing.T) {
	for _, c := range []struct{ title, text, url, want string }{
		{"", "", "", ""},
		{"T", "words", "https://a.example/x?y=1#z", "https://a.example/x?y=1#z"},
		{"T", "Read this https://a.example/x.", "", "https://a.example/x"},
		{"T", "https://a.example/x\nSent from my phone", "", "https://a.example/x"},
		{"https://a.example/", "words", "", "https://a.example/"},
		{"T", "HTTPS://A.example/Wiki_(x) and http://b.example", "", "HTTPS://A.example/Wiki_(x)"},
		{"T", "(see https://a.example/x)", "", "https://a.example/x"},
		{"T", "“https://a.example/x”", "", "https://a.example/x"},
		{"T", "http is no address, httpsx://b neither; http://c.example!", "", "http://c.example"},
		{"T", "https:// and https://a.example", "", "https://a.example"},
		{"T", "a.example", "", "a.example"},
		{"T", "", "@ann@social.example", "@ann@social.example"},
		{"T", "", "javascript:alert(1)", "javascript:alert(1)"}, // the page shows it, and no feed is found
		{" T ", "", " ", "T"},
		{"T", "日本https://a.example/あ", "", "https://a.example/あ"},
		{"T", "İhttps://a.example/", "", "https://a.example/"},
	} {
		if got := SharedAddress(c.title, c.text, c.url); got != c.want {
			t.Errorf("sharedAddress(%q, %q, %q) = %q, want %q", c.title, c.text, c.url, got, c.want)
		}
	}
}

// FuzzSharedAddress checks that the result is a part of the text, and a web address with a host if the text has one.
func FuzzSharedAddress(f *testing.F) {
	f.Add("The blog", "Look: https://a.example/x.", "")
	f.Add("", "http://http://https://[::1", "İhttp://")
	f.Fuzz(func(t *testing.T, title, text, address string) {
		found := firstAddress(text)
		if !strings.Contains(text, found) {
			t.Fatalf("%q is no part of %q", found, text)
		}
		if found != "" {
			if u, err := url.Parse(found); err != nil || u.Hostname() == "" || !strings.EqualFold(u.Scheme, "http") &&
				!strings.EqualFold(u.Scheme, "https") {
				t.Fatalf("%q is no web address (%v)", found, err)
			}
		}
		_ = SharedAddress(title, text, address)
	})
}

// TestCostOfShared checks that a text eight times as long takes at most 24 times as long, even if it has no address.
// The test measures again when another process may have disturbed it.
func TestCostOfShared(t *testing.T) {
	text := func(size int) string { return strings.Repeat("http://[", size/16) + strings.Repeat(")", size/2) }
	took := func(text string) time.Duration {
		begun := time.Now()
		firstAddress(text)
		return time.Since(begun)
	}
	for try := 1; ; try++ {
		short, long := took(text(1<<10)), took(text(8<<10))
		if long <= 24*short+10*time.Millisecond {
			return
		}
		if try == 5 {
			t.Fatalf("%v, and %v for eight times as much", short, long)
		}
	}
}
