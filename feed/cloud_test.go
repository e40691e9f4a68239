package feed

import (
	"testing"

	"github.com/mmcdole/gofeed/rss"
)

func TestCloudAddress(t *testing.T) {
	for _, c := range []struct{ domain, port, path, protocol, want string }{
		{"rpc.rsscloud.io", "5337", "/pleaseNotify", "http-post", "http://rpc.rsscloud.io:5337/pleaseNotify"},
		{"anna.example", "80", "/?rsscloud=notify", "http-post", "http://anna.example/?rsscloud=notify"},
		{" Anna.Example ", " 443 ", "/notify", "HTTP-POST", "https://anna.example/notify"},
		{"anna.example", "8443", "/notify", "https-post", "https://anna.example:8443/notify"},
		{"2001:db8::1", "80", "/", "http-post", "http://[2001:db8::1]/"},
		{"[2001:db8::1]", "80", "/", "http-post", "http://[2001:db8::1]/"},
		{"anna.example", "80", "/RPC2", "xml-rpc", ""},
		{"anna.example", "80", "/RPC2", "soap", ""},
		{"anna.example", "80", "/notify", "", ""},
		{"anna.example", "80", "notify", "http-post", ""},
		{"anna.example", "80", "", "http-post", ""},
		{"anna.example", "0", "/", "http-post", ""},
		{"anna.example", "", "/", "http-post", ""},
		{"anna.example", "-1", "/", "http-post", ""},
		{"anna.example", "65536", "/", "http-post", ""},
		{"", "80", "/", "http-post", ""},
		{"user@anna.example", "80", "/", "http-post", ""},
		{"anna.example/x?", "80", "/", "http-post", ""},
		{"anna.example", "80", "/a b", "http-post", ""},
		{"anna.example", "80", "/a#b", "http-post", ""},
		{"anna.example\r\nHost: x", "80", "/", "http-post", ""},
	} {
		if got := cloudAddress(&rss.Cloud{Domain: c.domain, Port: c.port, Path: c.path,
			Protocol: c.protocol}); got != c.want {
			t.Errorf("%q: %q, want %q", c, got, c.want)
		}
	}
	if got := cloudAddress(nil); got != "" {
		t.Errorf("without a cloud: %q", got)
	}
}

// TestCloud reads <cloud> in RSS, in all its forms, and the rssCloud hub in JSON Feed.
func TestCloud(t *testing.T) {
	for name, c := range map[string]struct{ doc, want string }{
		"RSS":         {`<rss version="2.0"><channel><title>T</title><cloud domain="rpc.example" port="5337" path="/pleaseNotify" registerProcedure="" protocol="http-post"/><item><title>x</title></item></channel></rss>`, "http://rpc.example:5337/pleaseNotify"},
		"WordPress":   {`<rss version="2.0"><channel><title>T</title><cloud domain='anna.example' port='80' path='/?rsscloud=notify' registerProcedure='' protocol='http-post' /><item><title>x</title></item></channel></rss>`, "http://anna.example/?rsscloud=notify"},
		"xml-rpc":     {`<rss version="2.0"><channel><title>T</title><cloud domain="rpc.example" port="80" path="/RPC2" registerProcedure="r" protocol="xml-rpc"/></channel></rss>`, ""},
		"in a post":   {`<rss version="2.0"><channel><title>T</title><item><title>x</title><cloud domain="rpc.example" port="80" path="/" protocol="http-post"/></item></channel></rss>`, ""},
		"JSON Feed":   {`{"version":"https://jsonfeed.org/version/1.1","title":"T","hubs":[{"type":"rssCloud","url":"https://rpc.example/pleaseNotify"},{"type":"rssCloud","url":"https://other.example/"}],"items":[]}`, "https://rpc.example/pleaseNotify"},
		"a bad one":   {`{"version":"https://jsonfeed.org/version/1.1","title":"T","hubs":[{"type":"rssCloud","url":"javascript:x"}],"items":[]}`, ""},
		"none at all": {`<rss version="2.0"><channel><title>T</title></channel></rss>`, ""},
	} {
		if got := mustParse(t, c.doc, "https://anna.example/feed").Cloud; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func FuzzCloudAddress(f *testing.F) {
	f.Add("rpc.example", "80", "/?x", "http-post")
	f.Add("a@b[", "443", "//x", "https-post")
	f.Fuzz(func(t *testing.T, domain, port, path, protocol string) {
		got := cloudAddress(&rss.Cloud{Domain: domain, Port: port, Path: path, Protocol: protocol})
		if again, err := NormalURL(got); got != "" && (err != nil || again != got || !isWeb(got)) {
			t.Errorf("%q is no address (%q, %v)", got, again, err)
		}
	})
}
