package web_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"digest"
	"digest/poller"
	"digest/web"
)

const gif = "GIF89a\x01\x00\x01\x00"

// A gallery is a web view of pictures without a database. Any access to a session would crash it.
type gallery struct {
	*room
	asked atomic.Int32
	fetch func(ctx context.Context, address string) (poller.Picture, error)
}

func (g *gallery) Picture(ctx context.Context, address string) (poller.Picture, error) {
	g.asked.Add(1)
	return g.fetch(ctx, address)
}

// newGallery returns a gallery with a picture at every address. Its bytes contain the address.
func newGallery(t testing.TB) *gallery {
	g := &gallery{room: &room{t: t, now: noon, signer: digest.NewSigner([]byte("sixteen or more bytes"))}}
	g.fetch = func(_ context.Context, address string) (poller.Picture, error) {
		return poller.Picture{Type: "image/gif", Bytes: []byte(gif + address)}, nil
	}
	g.handler = web.New(web.Options{Pictures: g, Signer: g.signer, BaseURL: "https://digest.example",
		Now: func() time.Time { return g.now }})
	return g
}

// imagePath returns the path of a proxied picture, as in emails.
func (r *room) imagePath(address string) string {
	return "/image/" + r.signer.SignText(digest.ForImage, address) + "/" +
		base64.RawURLEncoding.EncodeToString([]byte(address))
}

// see requests a picture like a mail program, with extra headers.
func (g *gallery) see(path string, header ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	g.handler.ServeHTTP(w, req)
	return w
}

func TestImage(t *testing.T) {
	g := newGallery(t)
	path := g.imagePath("https://x.org/i.gif?a=1&b=ü")
	w := g.see(path, "Cookie", "__Host-digest=x", "Referer", "https://mail.example/", "Origin", "https://mail.example",
		"Sec-Fetch-Site", "cross-site")
	if w.Code != http.StatusOK || w.Body.String() != gif+"https://x.org/i.gif?a=1&b=ü" {
		t.Fatalf("%d %q", w.Code, w.Body)
	}
	for name, want := range map[string]string{
		"Content-Type": "image/gif", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
		"Cache-Control":           "public, max-age=2592000, immutable", "Cross-Origin-Resource-Policy": "cross-origin",
		"X-Robots-Tag": "noindex, nofollow",
		"Set-Cookie":   "", "Vary": "", "Location": "",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	etag := w.Header().Get("ETag")
	if w := g.see(path, "If-None-Match", etag); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("its own ETag: %d", w.Code)
	}
	if other := g.see(g.imagePath("https://x.org/j.gif")).Header().Get("ETag"); other == etag || len(etag) < 10 {
		t.Errorf("ETags %s and %s", etag, other)
	}
	if n := g.asked.Load(); n != 2 {
		t.Errorf("%d pictures were fetched, want each once", n)
	}
}

// TestImageNeedsASignature checks that this instance fetches only addresses that it signed.
func TestImageNeedsASignature(t *testing.T) {
	g := newGallery(t)
	const address = "https://x.org/i.gif"
	path := g.imagePath(address)
	mac, encoded, _ := strings.Cut(strings.TrimPrefix(path, "/image/"), "/")
	other := base64.RawURLEncoding.EncodeToString([]byte("http://169.254.169.254/"))
	paths := []string{
		"/image/" + mac + "/" + other, "/image//" + encoded, "/image/" + mac + "/", "/image/" + mac, "/image/" +
			strings.ToUpper(mac) + "/" + encoded,
		"/image/" + mac + "/" + encoded + "=", "/image/" + mac + "/" + encoded + "%0A", "/image/" + mac + "/%0D%0A" +
			encoded, path + "/", path + "/x",
		"/image/" + g.signer.SignText(digest.ForEdition, address) + "/" + encoded, "/image/" +
			g.signer.Sign(digest.ForImage, 1) + "/" + encoded,
		"/image/" + digest.NewSigner([]byte("another instance's")).SignText(digest.ForImage, address) + "/" + encoded,
		"/image/" + mac + "/" + strings.Repeat("a", 20_000), "/image/" + mac + "/" + address, "/image/" +
			strings.Repeat("a", 20) + "/" + encoded,
	}
	for i := range mac {
		paths = append(paths, "/image/"+mac[:i]+string(mac[i]^1)+mac[i+1:]+"/"+encoded)
	}
	for i := range encoded {
		paths = append(paths, "/image/"+mac+"/"+encoded[:i]+string(encoded[i]^1)+encoded[i+1:])
	}
	for _, path := range paths {
		if strings.ContainsAny(path, "\"<>\\^`{|} \x7f") {
			continue // not a path
		}
		if w := g.see(path); w.Code == http.StatusOK {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if n := g.asked.Load(); n > 0 {
		t.Errorf("%d were asked for", n)
	}
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		w := httptest.NewRecorder()
		g.handler.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
}

// TestImageOnce checks that concurrent requests cause a single fetch, even if the first client
// disconnects.
func TestImageOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGallery(t)
		g.fetch = func(ctx context.Context, address string) (poller.Picture, error) {
			time.Sleep(time.Second)
			return poller.Picture{Type: "image/gif", Bytes: []byte(gif)}, ctx.Err()
		}
		path := g.imagePath("https://x.org/i.gif")
		first, leave := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			g.handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(first, "GET", path, nil))
		})
		synctest.Wait()
		for range 50 {
			wg.Go(func() {
				if w := g.see(path); w.Code != http.StatusOK {
					t.Error(w.Code)
				}
			})
		}
		synctest.Wait()
		leave()
		wg.Wait()
		if n := g.asked.Load(); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
}

// TestImageNobodyWaitsFor checks that a fetch is cancelled when its last client disconnects. The
// result is not cached, and the next request fetches again.
func TestImageNobodyWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGallery(t)
		ended := 0
		g.fetch = func(ctx context.Context, address string) (poller.Picture, error) {
			select {
			case <-ctx.Done():
				ended++
				return poller.Picture{}, ctx.Err()
			case <-time.After(time.Minute):
				return poller.Picture{Type: "image/gif", Bytes: []byte(gif)}, nil
			}
		}
		path := g.imagePath("https://x.org/i.gif")
		ctx, leave := context.WithCancel(t.Context())
		for range 3 {
			go g.handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", path, nil))
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		if ended != 1 {
			t.Errorf("%d fetches ended with those who had asked", ended)
		}
		if w := g.see(path); w.Code != http.StatusOK || g.asked.Load() != 2 {
			t.Errorf("the next one got %d after %d fetches", w.Code, g.asked.Load())
		}
	})
}

// A slowReader blocks on the response until goOn is closed.
type slowReader struct {
	*httptest.ResponseRecorder
	goOn chan struct{}
}

func (s slowReader) Write(b []byte) (int, error) {
	<-s.goOn
	_, err := s.ResponseRecorder.Write(nil)
	return len(b), err
}

// TestImageForSlowReaders checks the limits for pictures in transit to slow clients, in total and
// per network. A picture with many readers counts once.
func TestImageForSlowReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGallery(t)
		const size = 4 << 20
		g.fetch = func(_ context.Context, address string) (poller.Picture, error) {
			return poller.Picture{Type: "image/gif", Bytes: append([]byte(gif+address), make([]byte, size)...)}, nil
		}
		goOn := make(chan struct{})
		var all []slowReader
		ask := func(from, address string) {
			w := slowReader{httptest.NewRecorder(), goOn}
			all = append(all, w)
			r := httptest.NewRequestWithContext(t.Context(), "GET", g.imagePath(address), nil)
			r.RemoteAddr = from + ":1"
			go g.handler.ServeHTTP(w, r)
			synctest.Wait()
		}
		for i := range 100 {
			ask(fmt.Sprintf("192.0.%d.1", i%2), fmt.Sprint("https://x.org/", i))
		}
		for i := range 100 {
			ask(fmt.Sprintf("198.51.%d.1", i), fmt.Sprint("https://y.org/", i))
		}
		for range 100 {
			ask("192.0.0.9", "https://x.org/0") // already in transit to this network
		}
		close(goOn)
		synctest.Wait()
		good := [3]int{}
		for i, w := range all {
			if w.Code == http.StatusOK {
				good[i/100]++
			}
		}
		if good[0] != 6 || good[1] != 9 || good[2] != 100 { // each is a little larger than 4 MiB
			t.Errorf("of pictures %v are sent at once", good)
		}
		if w := g.see(g.imagePath("https://y.org/99")); w.Code != http.StatusOK {
			t.Errorf("then %d", w.Code)
		}
	})
}

// TestImageBusy checks that concurrent fetches are limited, and that a rejected request is not
// cached.
func TestImageBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGallery(t)
		open := make(chan struct{})
		g.fetch = func(_ context.Context, address string) (poller.Picture, error) {
			<-open
			return poller.Picture{Type: "image/gif", Bytes: []byte(gif)}, nil
		}
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() { g.see(g.imagePath(fmt.Sprint("https://x.org/", i))) })
		}
		synctest.Wait()
		path := g.imagePath("https://x.org/one-too-many")
		if w := g.see(path); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" ||
			w.Header().Get("Cache-Control") != "private, no-store" {
			t.Errorf("%d %v", w.Code, w.Header())
		}
		close(open)
		wg.Wait()
		if w := g.see(path); w.Code != http.StatusOK {
			t.Errorf("afterwards %d", w.Code)
		}
		g.fetch = func(context.Context, string) (poller.Picture, error) {
			return poller.Picture{},
				poller.ErrPicturesBusy
		}
		for range 2 {
			if w := g.see(g.imagePath("https://x.org/busy")); w.Code != http.StatusServiceUnavailable {
				t.Error(w.Code)
			}
		}
		if n := g.asked.Load(); n != 64+1+2 {
			t.Errorf("asked %d times", n)
		}
	})
}

// TestImageTroubleIsRemembered checks that failures are cached for a while and get a plain
// response.
func TestImageTroubleIsRemembered(t *testing.T) {
	g := newGallery(t)
	var err error
	g.fetch = func(context.Context, string) (poller.Picture, error) { return poller.Picture{}, err }
	for i, c := range []struct {
		err    error
		status int
		kept   time.Duration
	}{
		{&digest.Error{Kind: digest.NotFound, Message: "404"}, http.StatusNotFound, time.Hour},
		{&digest.Error{Kind: digest.Unavailable, Message: "500"}, http.StatusBadGateway, 2 * time.Minute},
		{errors.New("at 10.0.0.1"), http.StatusBadGateway, 2 * time.Minute},
	} {
		err = c.err
		path := g.imagePath(fmt.Sprint("https://x.org/", i))
		for _, step := range []struct {
			pass time.Duration
			want int32
		}{{0, 1}, {c.kept - time.Second, 0}, {time.Second, 1}} {
			g.now = g.now.Add(step.pass)
			before := g.asked.Load()
			w := g.see(path, "Cookie", "__Host-digest=x")
			if w.Code != c.status || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" ||
				strings.Contains(w.Body.String(), "10.0.0.1") {
				t.Errorf("%v: %d %s", c.err, w.Code, w.Body)
			}
			if got := g.asked.Load() - before; got != step.want {
				t.Errorf("%v, %v later: asked %d times, want %d", c.err, step.pass, got, step.want)
			}
		}
	}
	g.fetch = func(context.Context, string) (poller.Picture, error) { panic("a decoder fell over") }
	if w := g.see(g.imagePath("https://x.org/panic")); w.Code != http.StatusBadGateway {
		t.Errorf("a panic: %d", w.Code)
	}
}

// TestImageRoom checks that the cache drops the least recently used pictures and never exceeds its
// limit.
func TestImageRoom(t *testing.T) {
	g := newGallery(t)
	g.fetch = func(context.Context, string) (poller.Picture, error) {
		return poller.Picture{Type: "image/gif", Bytes: make([]byte, 5<<20)}, nil
	}
	path := func(i int) string { return g.imagePath(fmt.Sprint("https://x.org/", i)) }
	for i := range 12 { // twelve fit into 64 MiB
		g.see(path(i))
	}
	g.see(path(0))  // used again
	g.see(path(12)) // replaces 1
	if n := g.asked.Load(); n != 13 {
		t.Fatalf("asked %d times, want 13", n)
	}
	for i, want := range map[int]int32{0: 0, 12: 0, 2: 0} {
		before := g.asked.Load()
		if g.see(path(i)); g.asked.Load()-before != want {
			t.Errorf("%d was asked for again", i)
		}
	}
	if g.see(path(1)); g.asked.Load() != 14 {
		t.Error("1 was kept")
	}
	g.now = g.now.Add(24 * time.Hour)
	if g.see(path(0)); g.asked.Load() != 15 {
		t.Error("a picture is kept for more than a day")
	}
}

func TestImagesAreOffWithoutPictures(t *testing.T) {
	g := newGallery(t)
	g.handler = web.New(web.Options{Signer: g.signer})
	if w := g.see(g.imagePath("https://x.org/i.gif")); w.Code != http.StatusNotFound {
		t.Error(w.Code)
	}
}

// TestImageOfARealSite fetches from a test server. A signed private address gets 404.
func TestImageOfARealSite(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie") != "" || r.Header.Get("Referer") != "" || r.Header.Get("X-Forwarded-For") != "" {
			t.Errorf("the site learned %v", r.Header)
		}
		if r.URL.Path == "/inside" {
			http.Redirect(w, r, "http://192.168.0.1/", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, gif+"<script>alert(1)</script>")
	}))
	defer site.Close()
	g := newGallery(t)
	asPublic := func(ctx context.Context, network, address string) (net.Conn, error) {
		if address != site.Listener.Addr().String() {
			return nil, errors.New("another site was asked: " + address)
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	allowed := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for _, c := range []struct {
		options poller.Options
		path    string
		status  int
	}{
		{poller.Options{DialContext: asPublic}, "/i.gif", http.StatusOK},
		// these networks are allowed for feeds, and for the pictures of feeds there
		{poller.Options{AllowNetworks: allowed}, "/i.gif", http.StatusForbidden},
		{poller.Options{AllowNetworks: allowed}, "/inside", http.StatusForbidden},
		{poller.Options{}, "/i.gif", http.StatusForbidden},
		{poller.Options{AllowNetworks: allowed, HomePicture: func(context.Context, string, string) ([]string, error) {
			return []string{site.URL + "/feed"}, nil
		}}, "/i.gif", http.StatusOK},
	} {
		p := poller.New(c.options)
		defer p.Close()
		g.handler = web.New(web.Options{Pictures: p, Signer: g.signer})
		w := g.see(g.imagePath(site.URL+c.path), "Cookie", "a=b", "Referer", "https://mail.example/", "X-Forwarded-For",
			"203.0.113.9")
		if w.Code != c.status {
			t.Errorf("%s: %d, want %d", c.path, w.Code, c.status)
		}
		if w.Code == http.StatusOK && w.Header().Get("Content-Type") != "image/gif" {
			t.Errorf("it is served as %s", w.Header().Get("Content-Type"))
		}
	}
}
