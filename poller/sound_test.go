package poller

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"digest"
)

func heard(t *testing.T, s *Sound) string {
	t.Helper()
	b, err := io.ReadAll(s.Body)
	if err != nil {
		t.Error(err)
	}
	s.Body.Close()
	return string(b)
}

func TestSound(t *testing.T) {
	s := newSite(t, func(r request) string {
		if _, asked := r.get("Range"); asked {
			return reply(r, 206, "und", "Content-Type: audio/mpeg", "Content-Range: bytes 2-4/5")
		}
		return reply(r, 200, "sound", "Content-Type: Audio/MPEG; x=y", "Set-Cookie: a=b")
	})
	p := newReader(t, s.url("/"), asPublic).p
	got, err := p.Sound(t.Context(), strings.Replace(s.url("/a.mp3"), "//", "//ada:secret@", 1), "")
	if err != nil || got.Status != 200 || got.Type != "audio/mpeg" || got.Length != 5 || heard(t, got) != "sound" {
		t.Fatalf("%+v %v", got, err)
	}
	first := asked(t, s, "GET")[0]
	for _, name := range []string{"Cookie", "Referer", "Authorization", "Range"} {
		if value, has := first.get(name); has {
			t.Errorf("%s: %s", name, value)
		}
	}
	got, err = p.Sound(t.Context(), s.url("/a.mp3"), "bytes=2-4")
	if err != nil || got.Status != 206 || got.Range != "bytes 2-4/5" || heard(t, got) != "und" {
		t.Fatalf("%+v %v", got, err)
	}
	asked(t, s, "GET")
	for _, stretch := range []string{"bytes=0-1,3-4", "lines=1-2", "bytes=-", "bytes=1-2\r\nX: y", "bytes=" +
		strings.Repeat("9", 30) + "-"} {
		got, err := p.Sound(t.Context(), s.url("/a.mp3"), stretch)
		if err != nil || got.Status != 200 || heard(t, got) != "sound" {
			t.Errorf("%q: %+v %v", stretch, got, err)
		}
		asked(t, s, "GET")
	}
	if n := len(p.sounds.byName); n != 0 {
		t.Errorf("%d hosts are remembered", n)
	}
}

func TestSoundRefusals(t *testing.T) {
	for _, c := range table(`
		status | header                                           | why
		200    | Content-Type: text/html                          | a page
		200    | Content-Type: image/svg+xml                      | a picture that runs
		200    | Content-Type: audio/mpeg,text/html               | two types in one
		200    | Content-Type: audio/mpeg, Content-Encoding: gzip | coded
		410    | Content-Type: audio/mpeg                         | gone
		302    | Location: http://10.0.0.1/a.mp3                  | redirected to private addresses
		302    | Location: file:///etc/passwd                     | redirected to a file
		302    | Location: /                                      | redirect loop
		500    |                                                  | broken
		429    |                                                  | busy
		0      |                                                  | no answer`) {
		status, want := number(c["status"]), digest.NotFound
		answer := reply(request{}, status, "x", strings.Split(c["header"], ", ")...)
		switch status {
		case 0:
			answer, want = "", digest.Unavailable
		case 429, 500:
			want = digest.Unavailable
		}
		s := newSite(t, func(request) string { return answer })
		p := newReader(t, s.url("/"), asPublic).p
		if got, err := p.Sound(t.Context(), s.url("/"), ""); digest.KindOf(err) != want || got != nil {
			t.Errorf("%s: %v, want %q", c["why"], err, want)
		}
		if n := p.sounds.wire; len(n) != 0 {
			t.Errorf("%s: %d are under way", c["why"], len(n))
		}
	}
}

// TestI7_Sound holds that no sound is requested at a private address.
func TestI7_Sound(t *testing.T) {
	s := newSite(t, func(r request) string { return reply(r, 200, "x", "Content-Type: audio/mpeg") })
	_, port, _ := strings.Cut(s.address, ":")
	p := newReader(t, "").p // its operator allows 127.0.0.0/8 for feeds
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"} {
		if _, err := p.Sound(t.Context(), "http://"+host+":"+port+"/", ""); err == nil {
			t.Errorf("%s was asked", host)
		}
	}
	asked(t, s, "")
}

// TestSoundThatDoesNotBegin holds that a wait for a hanging host ends. A host that sends slowly continues
// as long as the reader listens.
func TestSoundThatDoesNotBegin(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		hang := make(chan struct{})
		n.site("a.example:80", func(request) string { <-hang; return "" })
		n.site("b.example:80", says(200, "sound", "Content-Type: audio/mpeg"))
		p := n.reader(t, "").p
		begun := time.Now()
		if _, err := p.Sound(t.Context(), "http://a.example/", ""); digest.KindOf(err) != digest.Unavailable ||
			time.Since(begun) != soundTimeout {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		got, err := p.Sound(t.Context(), "http://b.example/", "")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if text := heard(t, got); text != "sound" {
			t.Errorf("%q", text)
		}
		var open []*Sound
		for i := range soundsAHost {
			s, err := p.Sound(t.Context(), fmt.Sprint("http://b.example/", i), "")
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, s)
		}
		if _, err := p.Sound(t.Context(), "http://b.example/", ""); err == nil {
			t.Error("one too many")
		}
		for _, s := range open {
			s.Body.Close()
		}
		synctest.Wait()
		if len(p.sounds.wire) != 0 || len(p.sounds.byName) != 0 {
			t.Errorf("%d under way, %d hosts", len(p.sounds.wire), len(p.sounds.byName))
		}
		close(hang)
	})
}
