package web_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"digest"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
)

// A jukebox returns a sound for every address. Its bytes name the address and the range.
type jukebox struct {
	asked int
	err   error
}

func (j *jukebox) Sound(_ context.Context, address, stretch string) (*poller.Sound, error) {
	j.asked++
	if j.err != nil {
		return nil, j.err
	}
	body := address + " " + stretch
	s := &poller.Sound{Status: http.StatusOK, Type: "audio/mpeg", Length: int64(len(body)),
		Body: io.NopCloser(strings.NewReader(body))}
	if stretch != "" {
		s.Status, s.Range = http.StatusPartialContent, "bytes 0-1/2"
	}
	return s, nil
}

func TestSoundByChoice(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r, j := newRoom(t, s), &jukebox{}
		r.sounds = j
		r.open("")
		ada, d := r.reader("ada@example.org")
		bob, _ := r.reader("bob@example.org")
		const mp3 = "https://x.example/a.mp3?a=1&b=2"
		r.arrives(d, digest.Post{Identity: "1", Title: "An episode", URL: "https://x.example/1",
			Content: "<p>About it.</p>",
			Enclosures: []digest.Enclosure{{URL: mp3, Type: "audio/mpeg", Seconds: 2580, Length: 41e6,
				ChapterList: []digest.Chapter{{Title: "Hello"}, {Start: 3723, Title: "<b>Rust"}}}}})
		r.arrives(d, digest.Post{Identity: "2", Title: "In two parts", URL: "https://x.example/2",
			Enclosures: []digest.Enclosure{{URL: "https://x.example/2a.mp3", Length: 12e6},
				{URL: "https://x.example/2b.mp3", Length: 12e6}}})
		r.midnight()
		today := ada.get("/").status(http.StatusOK).body
		if !strings.Contains(today,
			`<a href="https://x.example/a.mp3?a=1&amp;b=2" data-ref="2" rel="noopener noreferrer">Listen · 43 `+
				`min</a> MP3, 41 MB`) {
			t.Fatalf("no link to the file in %s", today)
		}
		_, id, _ := strings.Cut(today, `id="post-`)
		id, _, _ = strings.Cut(id, `"`)
		path := "/sound/" + r.signer.SignText(digest.ForSound, mp3) + "/" +
			base64.RawURLEncoding.EncodeToString([]byte(mp3))
		page := ada.get("/posts/" + id).status(http.StatusOK)
		if strings.Contains(page.body, "<audio") || ada.get(path).StatusCode != http.StatusNotFound || j.asked > 0 {
			t.Error("sound is played for who did not choose it")
		}
		page.shows(".files span", "Listen · 43 min MP3, 41 MB")
		page.shows(".chapters a", "0:00 Hello", "1:02:03 <b>Rust").has(".chapters a", "href", mp3+"#t=0", mp3+"#t=3723")

		ada.post("/settings/appearance", url.Values{"direction": {"ltr"}, "player": {"on"}}).status(http.StatusSeeOther)
		page = ada.get("/posts/" + id).status(http.StatusOK)
		if !strings.Contains(page.body, `<audio class="player" controls preload="none" src="`+path+`"`) ||
			!strings.Contains(page.Header.Get("Content-Security-Policy"), "media-src 'self'") {
			t.Errorf("no player in %s", page.body)
		}
		// The player is below. A link would open the publisher's file.
		page.shows(".files a").contains(".files", "Listen · 43 min")
		if today = ada.get("/").body; !strings.Contains(today, `<a href="/posts/`+
			id+`" rel="noopener noreferrer">Listen · 43 min</a>`) {
			t.Error("the edition does not lead to the player")
		}
		parts := ada.get(fmt.Sprint("/posts/", r.idOf(d, "In two parts"))).status(http.StatusOK)
		parts.has("audio", "aria-label", "In two parts: 1. Listen · 12 MB", "In two parts: 2. Listen · 12 MB").shows(
			"p.player", "1. Listen · 12 MB", "2. Listen · 12 MB")
		if got := ada.get("/settings/appearance"); !strings.Contains(got.body, `name="player" checked`) {
			t.Error("the settings do not say so")
		}

		got := ada.get(path).status(http.StatusOK)
		if got.body != mp3+" " || got.Header.Get("Content-Type") != "audio/mpeg" ||
			got.Header.Get("Cache-Control") != "private, no-store" ||
			!strings.Contains(got.Header.Get("Content-Security-Policy"), "sandbox") ||
			got.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%q %v", got.body, got.Header)
		}
		ada.header["Range"] = "bytes=0-1"
		if got := ada.get(path).status(http.StatusPartialContent); got.body != mp3+" bytes=0-1" ||
			got.Header.Get("Content-Range") != "bytes 0-1/2" {
			t.Errorf("%q %v", got.body, got.Header)
		}
		j.asked = 0
		bob.get(path).status(http.StatusNotFound)
		r.visitor().get(path).status(http.StatusSeeOther)
		for _, wrong := range []string{
			"/sound/" + r.signer.SignText(digest.ForImage, mp3) + "/" +
				base64.RawURLEncoding.EncodeToString([]byte(mp3)),
			"/sound/" + r.signer.SignText(digest.ForSound, mp3) + "/" +
				base64.RawURLEncoding.EncodeToString([]byte("http://10.0.0.1/")),
			path + "=", "/sound/x/" + strings.Repeat("A", 5000),
		} {
			ada.get(wrong).status(http.StatusNotFound)
		}
		if j.asked > 0 {
			t.Errorf("%d were fetched for who may not", j.asked)
		}
		for err, status := range map[error]int{
			poller.ErrPicturesBusy:                  http.StatusServiceUnavailable,
			&digest.Error{Kind: digest.NotFound}:    http.StatusNotFound,
			&digest.Error{Kind: digest.Unavailable}: http.StatusBadGateway,
		} {
			j.err = err
			ada.get(path).status(status)
		}
	})
}

// TestSoundsOfOneReader checks the limit of simultaneous sounds for one reader.
func TestSoundsOfOneReader(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r, hang := newRoom(t, s), make(chan struct{})
		h := &hanging{begun: make(chan struct{}, 10), hang: hang}
		r.sounds = h
		r.open("")
		ada, _ := r.reader("ada@example.org")
		ada.post("/settings/appearance", url.Values{"direction": {"ltr"}, "player": {"on"}}).status(http.StatusSeeOther)
		path := "/sound/" + r.signer.SignText(digest.ForSound, "https://x.example/") + "/" +
			base64.RawURLEncoding.EncodeToString([]byte("https://x.example/"))
		done := make(chan struct{})
		for range 4 {
			go func() { ada.get(path); done <- struct{}{} }()
			<-h.begun
		}
		ada.get(path).status(http.StatusTooManyRequests)
		close(hang)
		for range 4 {
			<-done
		}
		ada.get(path).status(http.StatusOK)
	})
}

type hanging struct{ begun, hang chan struct{} }

func (h *hanging) Sound(context.Context, string, string) (*poller.Sound, error) {
	h.begun <- struct{}{}
	<-h.hang
	return &poller.Sound{Status: http.StatusOK, Type: "audio/mpeg", Length: -1,
		Body: io.NopCloser(strings.NewReader("x"))}, nil
}
