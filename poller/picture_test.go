package poller

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/andybalholm/brotli"

	"digest"
)

// The shortest valid beginnings of pictures, by type.
var pictures = map[string]string{
	"image/png":  "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x03\x00\x00\x00\x02",
	"image/jpeg": "\xff\xd8\xff\xe0\x00\x04..\xff\xc2\x00\x0b\x08\x00\x02\x00\x03..",
	"image/gif":  "GIF89a\x03\x00\x02\x00",
	"image/webp": "RIFF\x10\x00\x00\x00WEBPVP8 ....\x00\x00\x00\x9d\x01\x2a\x03\x40\x02\x80",
	"image/avif": "\x00\x00\x00\x1cftypmif1\x00\x00\x00\x00miafavif...." +
		"\x00\x00\x00\x30meta\x00\x00\x00\x00\x00\x00\x00\x24iprp\x00\x00\x00\x1cipco\x00\x00\x00\x14ispe\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x02",
}

func TestPictureSize(t *testing.T) {
	for typ, b := range pictures {
		if w, h := pictureSize(typ, []byte(b)); w != 3 || h != 2 {
			t.Errorf("%s: %d by %d", typ, w, h)
		}
		for n := range len(b) - 4 {
			if w, h := pictureSize(typ, []byte(b[:n])); w < 0 || h < 0 {
				t.Errorf("%s of %d bytes: %d by %d", typ, n, w, h)
			}
		}
	}
	for b, want := range map[string]int{
		"RIFF\x10\x00\x00\x00WEBPVP8L....\x2f\x02\x40\x00\x00.......":                 3,
		"RIFF\x10\x00\x00\x00WEBPVP8X....\x00\x00\x00\x00\x02\x00\x00\x01\x00\x00...": 3,
	} {
		if w, h := pictureSize("image/webp", []byte(b)); w != want || h != 2 {
			t.Errorf("%q: %d by %d", b, w, h)
		}
	}
	for size, want := range map[[2]int]bool{
		{1, 1}: true, {8000, 6000}: true, {16_384, 3000}: true, {16_385, 1}: false, {1, 16_385}: false,
		{8000, 6300}: false, {0, 1}: false, {1, 0}: false, {1 << 30, 1 << 30}: false,
	} {
		if fits(size[0], size[1]) != want {
			t.Errorf("%v: %v", size, !want)
		}
	}
}

func TestPictureType(t *testing.T) {
	for want, b := range pictures {
		if got := pictureType([]byte(b)); got != want {
			t.Errorf("%q is %q, want %s", b, got, want)
		}
	}
	for _, b := range []string{
		"", "GIF", "<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "<?xml version='1.0'?><svg/>",
		"<!doctype html>", " GIF89a",
		"%PDF-1.7", "RIFF\x10\x00\x00\x00WAVEfmt ....", "\x00\x00\x00\x1cftypheic\x00\x00\x00\x00mif1heic",
		"\x00\x00\x00\x10ftypisom\x00\x00\x00\x00avif",
		"\x00\x00\x00\x14ftypmif1avifmiaf", "BM......", "\x00\x00\x01\x00icon", "II*\x00tiff", "\x1f\x8b\x08....",
		"PK\x03\x04",
	} {
		if got := pictureType([]byte(b)); got != "" {
			t.Errorf("%q is %q", b, got)
		}
	}
}

func FuzzPictureType(f *testing.F) {
	for _, b := range pictures {
		f.Add([]byte(b))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		typ := pictureType(b)
		if w, h := pictureSize(typ, b); w < 0 || h < 0 {
			t.Errorf("%q is %d by %d", b, w, h)
		}
		if typ != "" && (b[0] == '<' || b[0] == '{' || len(b) < 3) {
			t.Errorf("%q is %s", b, typ)
		}
	})
}

// asPublic makes a poller treat the test sites as public.
func asPublic(o *Options) { o.DialContext = newGuard(loopback()).DialContext }

func TestPicture(t *testing.T) {
	s := newSite(t, nil)
	p := newReader(t, s.url("/"), asPublic).p
	for want, b := range pictures {
		s.says(200, b, "Content-Type: text/html", "Set-Cookie: a=b")
		got, err := p.Picture(t.Context(), strings.Replace(s.url("/a b?c=d#e"), "//", "//ada:secret@", 1))
		if err != nil || got.Type != want || string(got.Bytes) != b {
			t.Errorf("%s: %q %q %v", want, got.Type, got.Bytes, err)
		}
		log := asked(t, s, "GET")
		if ua, _ := log[0].get("User-Agent"); !strings.HasPrefix(ua, "digest/") ||
			!strings.HasSuffix(ua, "/bot; pictures for readers)") {
			t.Errorf("User-Agent %q", ua)
		}
		for _, name := range []string{"Cookie", "Referer", "Authorization", "Range", "If-None-Match"} {
			if value, has := log[0].get(name); has {
				t.Errorf("%s: %s", name, value)
			}
		}
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(pictures["image/png"]))
	z.Close()
	s.says(200, zipped.String(), "Content-Encoding: gzip")
	if got, err := p.Picture(t.Context(), s.url("/")); err != nil || got.Type != "image/png" {
		t.Error(got, err)
	}
}

// TestCodedPicturesTakeTurns holds that memory-intensive decoders are limited for pictures and documents
// together.
func TestCodedPicturesTakeTurns(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		var coded bytes.Buffer
		z := brotli.NewWriter(&coded)
		_, _ = z.Write([]byte(pictures["image/png"]))
		z.Close()
		n.site("x.example:80", says(200, coded.String(), "Content-Encoding: br"))
		r := n.reader(t, "http://x.example/")
		for range cap(r.p.decoders) {
			r.p.decoders <- struct{}{}
		}
		done := make(chan error, 1)
		go func() {
			_, err := r.p.Picture(t.Context(), "http://x.example/")
			done <- err
		}()
		synctest.Wait()
		if len(done) > 0 {
			t.Fatal("it waited for nobody:", <-done)
		}
		<-r.p.decoders
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestPictureRefusals(t *testing.T) {
	png := pictures["image/png"]
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write([]byte(png + string(zeros(maxPicture))))
	z.Close()
	bodies := map[string]string{"png": png, "bomb": bomb.String(), "large": png + string(zeros(maxPicture))}
	for _, c := range table(`
		status | body   | header                                            | why
		200    | <svg/> | Content-Type: image/svg+xml                       | SVG
		200    | <html> | Content-Type: image/png                           | a page that says it is a picture
		200    |        | Content-Type: image/png                           | nothing
		404    | png    |                                                   | gone
		403    | png    |                                                   | forbidden
		206    | png    |                                                   | a part
		200    | png    | Content-Length: 5242881                           | too large, as it says
		200    | large  | X-Is-No: Content-Length:                          | too large, as it turns out
		200    | bomb   | Content-Encoding: gzip                            | too large once unpacked
		200    | png    | Content-Encoding: compress                        | an unknown coding
		302    |        | Location: file:///etc/passwd                      | redirected to a file
		302    |        | Location: http://10.0.0.1/i.png                   | redirected to private addresses
		302    |        | Location: http://169.254.169.254/latest/meta-data | redirected to a name of this machine
		302    |        | Location: /                                       | redirect loop
		500    | png    |                                                   | broken
		200    | png    | Content-Length: 99                                | cut short
		0      |        |                                                   | no answer`) {
		status, want := number(c["status"]), digest.NotFound
		answer := reply(request{}, status, cmp.Or(bodies[c["body"]], c["body"]), "Connection: close",
			cmp.Or(c["header"], "X: y"))
		switch {
		case status == 0:
			answer, want = "", digest.Unavailable
		case status == 500, c["why"] == "cut short":
			want = digest.Unavailable
		}
		s := newSite(t, func(request) string { return answer })
		p := newReader(t, s.url("/"), asPublic).p
		got, err := p.Picture(t.Context(), s.url("/"))
		if digest.KindOf(err) != want || got.Bytes != nil {
			t.Errorf("%s: %v, want %q", c["why"], err, want)
		}
	}
	p := newReader(t, "").p
	for _, address := range []string{"", "ftp://x.org/i.png", "/i.png", "http://", "javascript:alert(1)", "http://[::1",
		"data:image/png;base64,"} {
		if _, err := p.Picture(t.Context(), address); digest.KindOf(err) != digest.NotFound {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestPictureRedirects(t *testing.T) {
	s := newSite(t, func(r request) string {
		var n int
		if _, err := fmt.Sscanf(r.target, "/%d", &n); err != nil || n == 0 {
			return reply(r, 200, pictures["image/gif"])
		}
		return reply(r, 301, "", fmt.Sprint("Location: /", n-1))
	})
	p := newReader(t, s.url("/"), asPublic).p
	if _, err := p.Picture(t.Context(), s.url("/3")); err != nil {
		t.Error(err)
	}
	asked(t, s, "GET GET GET GET")
	if _, err := p.Picture(t.Context(), s.url("/4")); digest.KindOf(err) != digest.NotFound {
		t.Errorf("four redirects: %v", err)
	}
	asked(t, s, "GET GET GET GET")
}

// TestI7_Pictures holds that no picture is requested at a private address: as a literal, by name, or by a
// name whose address has changed.
func TestI7_Pictures(t *testing.T) {
	s := newSite(t, func(r request) string { return reply(r, 200, pictures["image/png"], "Connection: close") })
	_, port, _ := strings.Cut(s.address, ":")
	p := newReader(t, "", func(o *Options) { o.AllowNetworks = nil }).p
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0",
		"[64:ff9b::127.0.0.1]", "2130706433", "0x7f.1"} {
		if _, err := p.Picture(t.Context(), "http://"+host+":"+port+"/"); err == nil {
			t.Errorf("%s was asked", host)
		}
	}
	asked(t, s, "")
	answer := netip.MustParseAddr("127.0.0.1")
	p = through(t, "", func() ([]netip.Addr, error) { return []netip.Addr{answer}, nil }).p
	if _, err := p.Picture(t.Context(), "http://a.example:"+port+"/"); err != nil {
		t.Fatal(err)
	}
	asked(t, s, "GET")
	answer = netip.MustParseAddr("192.168.0.1")
	if _, err := p.Picture(t.Context(), "http://a.example:"+port+"/"); digest.KindOf(err) != digest.NotFound {
		t.Errorf("a name that turned private: %v", err)
	}
	asked(t, s, "")
}

// TestPicturesOfOneHost holds that pictures of one host are fetched two at a time, without the pauses of
// feeds. Pictures of another host do not wait.
func TestPicturesOfOneHost(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		var g gauge
		n.site("a.example:80", func(r request) string {
			g.take(time.Second)
			return reply(r, 200, pictures["image/png"])
		})
		n.site("b.example:80", func(r request) string { return reply(r, 200, pictures["image/png"]) })
		p := n.reader(t, "").p
		begun := time.Now()
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				if _, err := p.Picture(t.Context(), fmt.Sprint("http://A.example/", i)); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if _, err := p.Picture(t.Context(), "http://b.example/"); err != nil || time.Since(begun) > 0 {
			t.Errorf("another host's picture after %v: %v", time.Since(begun), err)
		}
		wg.Wait()
		if took := time.Since(begun); g.most != picturesAHost || took != 5*time.Second {
			t.Errorf("%d at once, %v in all", g.most, took)
		}
		if len(p.pictures.byName) != 0 {
			t.Errorf("%d hosts are remembered", len(p.pictures.byName))
		}
	})
}

// TestPicturesOfOneSite holds that the owner of a domain, with any number of hosts below it, delays no one
// else's pictures.
func TestPicturesOfOneSite(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		hang := make(chan struct{})
		n.site("b.example:80", func(r request) string { return reply(r, 200, pictures["image/png"]) })
		p := n.reader(t, "").p
		var wg sync.WaitGroup
		for i := range 2 * picturesWait {
			host := fmt.Sprintf("h%d.a.example", i)
			n.site(host+":80", func(request) string { <-hang; return "" })
			wg.Go(func() {
				if _, err := p.Picture(t.Context(), "http://"+host+"/"); err == nil {
					t.Error("a picture came")
				}
			})
		}
		synctest.Wait()
		begun := time.Now()
		if _, err := p.Picture(t.Context(), "http://b.example/"); err != nil || time.Since(begun) > 0 {
			t.Errorf("another site's picture after %v: %v", time.Since(begun), err)
		}
		wg.Wait()
		if len(p.pictures.byName) != 0 {
			t.Errorf("%d hosts are remembered", len(p.pictures.byName))
		}
		close(hang)
	})
}

// TestPicturesTakeTurnsOnlySoLong holds that a wait for a hanging host ends after the timeout of one
// picture, and that a limited number may wait.
func TestPicturesTakeTurnsOnlySoLong(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		hang := make(chan struct{})
		n.site("a.example:80", func(request) string { <-hang; return "" })
		p := n.reader(t, "").p
		begun := time.Now()
		var wg sync.WaitGroup
		for range picturesWait {
			wg.Go(func() {
				if _, err := p.Picture(t.Context(), "http://a.example/"); err == nil ||
					time.Since(begun) > pictureTimeout {
					t.Errorf("after %v: %v", time.Since(begun), err)
				}
			})
		}
		synctest.Wait()
		if _, err := p.Picture(t.Context(), "http://a.example/"); !errors.Is(err, ErrPicturesBusy) {
			t.Errorf("one too many: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Picture(ctx, "http://b.example/"); err == nil {
			t.Error("fetched for nobody")
		}
		wg.Wait()
		close(hang)
	})
}

// TestPicturesLeaveAHostAlone holds that a host that limits requests gets none until its pause has passed,
// not even waiting ones.
func TestPicturesLeaveAHostAlone(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		s := n.site("a.example:80", func(r request) string { return reply(r, 429, "", "Retry-After: 300") })
		p := n.reader(t, "").p
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if _, err := p.Picture(t.Context(), "http://a.example/"); digest.KindOf(err) != digest.Unavailable {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if asked := len(s.log()); asked > picturesAHost {
			t.Errorf("asked %d times", asked)
		}
		s.says(200, pictures["image/png"])
		time.Sleep(299 * time.Second)
		if _, err := p.Picture(t.Context(), "http://a.example/"); digest.KindOf(err) != digest.Unavailable ||
			len(s.log()) > 0 {
			t.Errorf("asked too early: %v", err)
		}
		time.Sleep(2 * time.Second)
		if _, err := p.Picture(t.Context(), "http://a.example/"); err != nil || len(p.pictures.byName) != 0 {
			t.Errorf("%v, %d hosts remembered", err, len(p.pictures.byName))
		}
	})
}
