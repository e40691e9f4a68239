package weburl

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestResolve checks addresses against the URL Standard.
func TestResolve(t *testing.T) {
	const base = "https://a.example/dir/page?q=1#f"
	for _, c := range []struct{ base, ref, want string }{
		// A % that begins no escape stays.
		{"", "https://a.example/100%-sure", "https://a.example/100%-sure"},
		{"", "https://a.example/a%zz?b=%&c=%4#%", "https://a.example/a%zz?b=%&c=%4#%"},
		{base, "50%.jpg", "https://a.example/dir/50%.jpg"},
		{base, "%41%e9%2F", "https://a.example/dir/%41%e9%2F"},

		// Spaces, quotes and brackets.
		{base, " a b\tc\nd ", "https://a.example/dir/a%20bcd"},
		{base, "a b?c d'e#f g", "https://a.example/dir/a%20b?c%20d%27e#f%20g"},
		{base, `a"<b>{c}^d` + "`", "https://a.example/dir/a%22%3Cb%3E%7Bc%7D%5Ed%60"},
		{base, `?a"<b>{c}^d` + "`", "https://a.example/dir/page?a%22%3Cb%3E{c}^d`"},
		{base, "a|b[1](2)*~!$&',;=:@", "https://a.example/dir/a|b[1](2)*~!$&',;=:@"},
		{base, "a\x00b\x7f", "https://a.example/dir/a%00b%7F"},

		// Backslashes are slashes before the query.
		{"", `https:\\a.example\b\c?d\e#f\g`, `https://a.example/b/c?d\e#f\g`},
		{base, `\x\y`, "https://a.example/x/y"},
		{base, `\\b.example\y`, "https://b.example/y"},
		{base, `x\..\y`, "https://a.example/dir/y"},
		{"", `https://a.example\@b.example/`, "https://a.example/@b.example/"},

		// Letters that are not ASCII.
		{base, "/é/詹.html?ü#ß", "https://a.example/%C3%A9/%E8%A9%B9.html?%C3%BC#%C3%9F"},
		{"", "https://BÜCHER.example/x", "https://xn--bcher-kva.example/x"},
		{"", "https://b%C3%BCcher.example/", "https://xn--bcher-kva.example/"},
		{"", "https://a。example/", "https://a.example/"},
		{base, "a\xe9b", "https://a.example/dir/a%E9b"},

		// Relative addresses.
		{base, "", "https://a.example/dir/page?q=1"},
		{base, "#g", "https://a.example/dir/page?q=1#g"},
		{base, "?x", "https://a.example/dir/page?x"},
		{base, "//b.example", "https://b.example/"},
		{base, "/x", "https://a.example/x"},
		{base, "https:x", "https://a.example/dir/x"},
		{base, "https:/x", "https://a.example/x"},
		{base, "http:x", "http://x/"},
		{"", "https:x.example/y", "https://x.example/y"},
		{"", "https:////x.example/y", "https://x.example/y"},
		{"https://a.example", "x", "https://a.example/x"},
		{"https://a.example/100%/", "x", "https://a.example/100%/x"},

		// Dots.
		{base, "./x/../y/.", "https://a.example/dir/y/"},
		{base, "../../../x", "https://a.example/x"},
		{base, "/a/%2e%2E/b/%2e/c/.%2e", "https://a.example/b/"},
		{base, "/a/.../b/..c", "https://a.example/a/.../b/..c"},
		{base, "/a//../b", "https://a.example/a/b"},
		{base, "?../x", "https://a.example/dir/page?../x"},

		// Hosts, ports, names and passwords.
		{"", "HTTP://A.Example:80/B", "http://a.example/B"},
		{"", "https://a.example:0443/", "https://a.example/"},
		{"", "https://a.example:8443", "https://a.example:8443/"},
		{"", "https://a.example:/", "https://a.example/"},
		{"", "https://ann:se@cret@a.example/", "https://ann:se%40cret@a.example/"},
		{"", "https://[2001:DB8::1]:8080/", "https://[2001:db8::1]:8080/"},
		{"", "https://a_b.example/", "https://a_b.example/"},
		{"", "https://a.example./", "https://a.example./"},

		// Other schemes.
		{base, "mailto:ann@a.example", ""},
		{base, "javascript:alert(1)", ""},
		{base, "ftp://a.example/", ""},
		{"", "x", ""},
		{"mailto:ann@a.example", "x", ""},
		{"", "https://", ""},
		{"", "https:///", ""},
		{"", "https://a b.example/", ""},
		{"", "https://a|b.example/", ""},
		{"", "https://a%.example/", ""},
		{"", "https://a%2Fb.example/", ""},
		{"", "https://a.example:x/", ""},
		{"", "https://a.example:65536/", ""},
		{"", "https://[::1/", ""},
		{"", "https://[fe80::1%25lo]/", ""},
		{"", "https://a.example:80:80/", ""},
	} {
		got, ok := Resolve(c.base, c.ref)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q on %q: %q, want %q", c.ref, c.base, got, c.want)
		}
		if again, _ := Resolve("", got); again != got {
			t.Errorf("%q is read as %q", got, again)
		}
	}
}

// TestParse checks that http requests the same bytes as a browser.
func TestParse(t *testing.T) {
	for path, want := range map[string]string{
		"/100%-sure?a=%": "/100%-sure?a=%", "/a b?c d": "/a%20b?c%20d", `/a\b?c\d`: `/a/b?c\d`,
		"/a|b[1]^": "/a|b[1]%5E",
		"/é?ü":     "/%C3%A9?%C3%BC", "/a%2Fb%7E~": "/a%2Fb%7E~", "": "/",
		"?x": "/?x", "/a//b": "/a//b", "//x/y": "//x/y",
		"//x/100%": "//x/100%25",
	} {
		u, err := Parse("https://a.example:8443" + path)
		if err != nil {
			t.Errorf("%q: %v", path, err)
			continue
		}
		var b strings.Builder
		err = (&http.Request{Method: http.MethodGet, URL: u, Host: u.Host}).Write(&b)
		if line, _, _ := strings.Cut(b.String(), "\r\n"); err != nil || line != "GET "+want+" HTTP/1.1" {
			t.Errorf("%q: %v %s, want %s", path, err, line, want)
		}
	}
	if _, err := Parse("https://a b.example/"); err == nil {
		t.Error("a host with a space")
	}
}

// FuzzResolve checks that Resolve does not change its own results. They have no character that ends an address early,
// and net/url finds the same host and path in them.
func FuzzResolve(f *testing.F) {
	for _, ref := range []string{"100%", `\\b\c`, "a b?c|d#é", "https:x", "../%2e%2e/x", "//ü.example:8080",
		"https://ann:x@a.example"} {
		f.Add("https://a.example/dir/page", ref)
	}
	f.Fuzz(func(t *testing.T, base, ref string) {
		got, ok := Resolve(base, ref)
		if !ok {
			return
		}
		if again, ok := Resolve("", got); again != got || !ok {
			t.Fatalf("%q: %q is read as %q", ref, got, again)
		}
		if i := strings.IndexFunc(got, func(r rune) bool {
			return r <= ' ' || r >= 0x7f || r == '"' || r == '<' ||
				r == '>'
		}); i >= 0 {
			t.Fatalf("%q: %q", ref, got)
		}
		plain, err := url.Parse(Escaped(got))
		if err != nil {
			if strings.ContainsAny(got, "[]") || strings.Contains(got, "@") {
				return // net/url is stricter about them
			}
			t.Fatalf("%q: %q: %v", ref, got, err)
		}
		u, err := Parse(got)
		if err != nil || u.Host != plain.Host || !strings.HasPrefix(got, u.Scheme+"://") || u.Host == "" {
			t.Fatalf("%q: %q: host %q", ref, got, u.Host)
		}
		if !strings.Contains(got, u.Host+u.RequestURI()) && !strings.Contains(got, u.Host+"//") {
			t.Fatalf("%q: %q is requested as %q", ref, got, u.RequestURI())
		}
	})
}
