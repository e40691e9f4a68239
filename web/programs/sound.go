package programs

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"digest"
	"digest/poller"
	"digest/web/page"
)

// Limits of one sound response. A player requests the rest after the end of a response.
const (
	maxSound     = 1 << 30 // bytes
	maxListening = 3 * time.Hour
	soundWait    = 30 * time.Second // for one write: a player that was paused requests the rest again
	soundsEach   = 4                // responses at a time for one reader: players keep old ones open for a while
)

// sound proxies an audio file of a post for readers who chose the player. The address is signed, nothing is stored,
// and range requests are forwarded.
func (s *site) sound(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	h := w.Header()
	h.Set("Content-Security-Policy", page.ImagePolicy)
	address, ok := s.signedAddress(digest.ForSound, r)
	if !ok || s.Sounds == nil || !me.Player {
		return page.Plain(w, http.StatusNotFound, "no such sound\n")
	}
	leave, ok := s.listening.begin(me.ID)
	if !ok {
		h.Set("Retry-After", "30")
		return page.Plain(w, http.StatusTooManyRequests, "too many at once; stop one of them first\n")
	}
	defer leave()
	ctx, cancel := context.WithTimeout(r.Context(), maxListening)
	defer cancel()
	sound, err := s.Sounds.Sound(ctx, address, r.Header.Get("Range"))
	switch {
	case errors.Is(err, poller.ErrPicturesBusy), r.Context().Err() != nil:
		h.Set("Retry-After", "30")
		return page.Plain(w, http.StatusServiceUnavailable, "too many at once; try again in a minute\n")
	case digest.KindOf(err) == digest.NotFound:
		return page.Plain(w, http.StatusNotFound, "there is no sound at the address any more\n")
	case err != nil:
		return page.Plain(w, http.StatusBadGateway, "the site of the sound did not respond\n")
	}
	defer sound.Body.Close()
	passOn(w, sound)
	return nil
}

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
		_ = control.SetWriteDeadline(time.Now().Add(soundWait)) // a test's recorder has no deadline
		n, err := io.CopyN(w, sound.Body, min(left, 64<<10))
		if left -= n; err != nil {
			return
		}
	}
}

// A listening counts the open sound responses of each reader.
type listening struct {
	mu   sync.Mutex
	used map[digest.UserID]int
}

// begin counts one more response. It returns false if the reader has the maximum. The caller calls leave after the
// response.
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
