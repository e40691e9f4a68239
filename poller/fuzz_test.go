package poller

import (
	"bytes"
	"io"
	"net/http"
	"testing"
)

func FuzzLocation(f *testing.F) {
	for _, s := range []string{"/a", "//b.example", "?x y", "http://[::1]:80/", "HTTP://u:p@B.example/#f",
		"file:///etc/passwd", "..", "http:opaque"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, field string) {
		start, err := routeTo("https://a.example/feed")
		if err != nil {
			t.Fatal(err)
		}
		a := &answer{route: start, status: 301, header: http.Header{"Location": {field}}}
		r, err := a.follow()
		if err != nil {
			return
		}
		if r.url.Scheme != "https" || r.url.Host == "" || r.address == start.address || r.url.Fragment != "" {
			t.Errorf("%q leads to %s", field, r.address)
		}
		if r.url.User != nil {
			t.Errorf("%q brings credentials: %s", field, r.address)
		}
	})
}

func FuzzReadBody(f *testing.F) {
	f.Add([]byte("plain"), "")
	f.Add(pack(f, []byte(atom(1)), "gzip"), "gzip")
	f.Add([]byte("x"), "gzip, identity")
	f.Add(pack(f, []byte(atom(1)), "br"), "br")
	f.Add(pack(f, []byte(atom(1)), "zstd"), "zstd")
	f.Add(pack(f, zeros(1<<20), "zstd", "gzip"), "zstd, gzip")
	f.Fuzz(func(t *testing.T, body []byte, coding string) {
		resp := &http.Response{ContentLength: -1, Header: http.Header{"Content-Encoding": {coding}},
			Body: io.NopCloser(bytes.NewReader(body))}
		out, wire, err := readBody(resp, maxBody, errTooLarge)
		if wire > int64(len(body)) || len(out) > maxBody || err != nil && out != nil {
			t.Errorf("%d of %d bytes, %d decoded, %v", wire, len(body), len(out), err)
		}
	})
}

func FuzzETag(f *testing.F) {
	f.Add(`W/"a"`, `"a-gzip"`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if !sameETag(a, a) || sameETag(a, b) != sameETag(b, a) {
			t.Errorf("%q %q", a, b)
		}
	})
}

func readBody(resp *http.Response, most int64, tooLarge error) (body []byte, wire int64, err error) {
	return (&bodyReader{}).read(resp, most, tooLarge)
}
