package web

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"digest"
	"digest/poller"
	"digest/render"
)

// The bounds of a stretch of sound that is passed on. A player asks for the next one
// where one ended.
const (
	maxSound     = 1 << 30 // bytes
	maxListening = 3 * time.Hour
	soundWait    = 30 * time.Second // for a reader who reads nothing: a player that is paused asks again
	soundsEach   = 4                // at once for one reader: players leave old ones open for a while
)

// sound passes on what a post comes with to be heard, to readers who chose that: the
// address is signed, nothing is stored, and a range that is asked for is passed on.
func (s *site) sound(w http.ResponseWriter, r *http.Request, me reader) error {
	h := w.Header()
	h.Set("Content-Security-Policy", imagePolicy)
	address, ok := s.signedAddress(digest.ForSound, r)
	if !ok || s.Sounds == nil || !me.Player {
		return plain(w, http.StatusNotFound, "no such sound\n")
	}
	leave, ok := s.listening.begin(me.ID)
	if !ok {
		h.Set("Retry-After", "30")
		return plain(w, http.StatusTooManyRequests, "too many at once; stop one of them first\n")
	}
	defer leave()
	ctx, cancel := context.WithTimeout(r.Context(), maxListening)
	defer cancel()
	sound, err := s.Sounds.Sound(ctx, address, r.Header.Get("Range"))
	switch {
	case errors.Is(err, poller.ErrPicturesBusy), r.Context().Err() != nil:
		h.Set("Retry-After", "30")
		return plain(w, http.StatusServiceUnavailable, "too many at once; try again in a minute\n")
	case digest.KindOf(err) == digest.NotFound:
		return plain(w, http.StatusNotFound, "there is no sound at the address any more\n")
	case err != nil:
		return plain(w, http.StatusBadGateway, "the site of the sound does not answer\n")
	}
	defer sound.Body.Close()
	passOn(w, sound)
	return nil
}

// passOn sends a sound at the speed of who hears it.
func passOn(w http.ResponseWriter, sound *poller.Sound) {
	h := w.Header()
	h.Set("Content-Type", sound.Type)
	h.Set("Accept-Ranges", "bytes")
	if sound.Length >= 0 && sound.Length <= maxSound {
		h.Set("Content-Length", strconv.FormatInt(sound.Length, 10))
	}
	if sound.Status != http.StatusOK && sound.Range != "" {
		h.Set("Content-Range", sound.Range)
	}
	w.WriteHeader(sound.Status)
	control := http.NewResponseController(w)
	for left := int64(maxSound); left > 0; {
		_ = control.SetWriteDeadline(time.Now().Add(soundWait)) // a recorder of tests has none
		n, err := io.CopyN(w, sound.Body, min(left, 64<<10))
		if left -= n; err != nil {
			return
		}
	}
}

// A listening counts the sounds that are on their way to each reader.
type listening struct {
	mu   sync.Mutex
	used map[digest.UserID]int
}

// begin counts one more; false: the reader has as many as one may have. Whoever got a
// function calls it when the sound was sent.
func (l *listening) begin(id digest.UserID) (leave func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used[id] >= soundsEach {
		return nil, false
	}
	if l.used == nil {
		l.used = make(map[digest.UserID]int)
	}
	l.used[id]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.used[id]--; l.used[id] == 0 {
			delete(l.used, id)
		}
	}, true
}

// A player is where a sound of a post is played on this instance.
type player struct{ URL, Label string }

// playersOf are those of a post's sounds for a reader who chose that; none where nothing is played here.
func (s *site) playersOf(me reader, files []render.File) (all []player) {
	if s.Sounds == nil || !me.Player {
		return nil
	}
	for _, f := range files {
		if f.Sound {
			all = append(all, player{"/sound/" + s.Signer.SignText(digest.ForSound, f.URL) + "/" +
				base64.RawURLEncoding.EncodeToString([]byte(f.URL)), f.Label})
		}
	}
	return all
}

// filesOf is what a post comes with as its edition leads to it: sound that is played here
// is played on the post's page.
func filesOf(p *render.Post, playsHere bool) []render.File {
	if !playsHere {
		return p.Files
	}
	files := slices.Clone(p.Files)
	for i := range files {
		if files[i].Sound {
			files[i].URL = "/posts/" + strconv.FormatInt(int64(p.ID), 10)
		}
	}
	return files
}
