package web

import (
	"bytes"
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"digest"
	"digest/internal/picture"
	"digest/poller"
)

const (
	// imagePolicy lets a picture that is opened by itself do nothing at all.
	imagePolicy = "default-src 'none'; sandbox; frame-ancestors 'none'"

	// imageAge is how long mail programs may keep a picture; a post's pictures
	// do not change, and neither do their addresses here.
	imageAge = "public, max-age=2592000, immutable"

	maxImagePath = 4096 // characters of the address, which is at most 2048 bytes
)

// imageAt serves a picture of a post to mail programs, which neither sign in nor
// should say to anyone else that a mail was opened. It is asked for only if
// this instance signed its address, and it answers with bytes or a bare line:
// no page, and so no cookie.
func (s *site) imageAt(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Content-Security-Policy", imagePolicy)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // mail is read on other sites
	address, ok := s.signedAddress(digest.ForImage, r)
	if !ok || s.images == nil {
		return plain(w, http.StatusNotFound, "no such picture\n")
	}
	picture, err := s.images.get(r.Context(), address)
	var sent func()
	if err == nil {
		if sent = s.images.sending.begin(s.clientNetwork(r), picture); sent == nil {
			err = poller.ErrPicturesBusy
		}
	}
	switch {
	case err == nil:
		defer sent()
		h.Set("Content-Type", picture.Type)
		h.Set("Cache-Control", imageAge)
		h.Set("ETag", picture.etag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(picture.Bytes))
		return nil
	case errors.Is(err, poller.ErrPicturesBusy), r.Context().Err() != nil:
		h.Set("Retry-After", "30")
		return plain(w, http.StatusServiceUnavailable, "too many pictures at once; try again in a minute\n")
	case digest.KindOf(err) == digest.NotFound:
		return plain(w, http.StatusNotFound, "there is no picture at the address any more\n")
	}
	return plain(w, http.StatusBadGateway, "the picture's site does not answer\n")
}

// signedAddress gives the address in a path if this instance signed it for this purpose.
// The path has one spelling only, so that caches hold a picture once.
func (s *site) signedAddress(purpose digest.Purpose, r *http.Request) (string, bool) {
	mac, path := r.PathValue("mac"), r.PathValue("address")
	if len(path) > maxImagePath {
		return "", false
	}
	address, err := base64.RawURLEncoding.DecodeString(path)
	if err != nil || !s.Signer.VerifyText(purpose, string(address), mac) {
		return "", false
	}
	return string(address), base64.RawURLEncoding.EncodeToString(address) == path
}

const (
	imageRoom    = 64 << 20 // bytes of cached pictures
	imageFetches = 64       // pictures that are fetched at once
	imageTTL     = 24 * time.Hour

	// How long it is remembered that there was none. A site in trouble is asked
	// again sooner than one that has no such picture.
	missingTTL = time.Hour
	troubleTTL = 2 * time.Minute

	entryCost = 512 // bytes of memory that any entry takes beside its picture
)

// An image is a picture and its version; or why there is none.
type image struct {
	poller.Picture
	etag string
	err  error
}

// An imageCache keeps pictures for those who ask again, and fetches each once
// for all who ask at the same time. What is used least goes first.
type imageCache struct {
	pictures PictureFetcher
	now      func() time.Time
	log      *slog.Logger
	seats    chan struct{} // one for each fetch under way
	sending  *sending
	// how large the picture at an address is
	learn func(context.Context, string, digest.PictureSize, time.Time) error

	mu      sync.Mutex
	flights map[string]*flight // by address
	room    int                // bytes
	used    int
	entries map[string]*list.Element // of *imageEntry
	order   *list.List               // latest use first
}

type imageEntry struct {
	address string
	image   image
	until   time.Time
	cost    int
}

func newImageCache(o Options) *imageCache {
	if o.Pictures == nil {
		return nil
	}
	learn := func(context.Context, string, digest.PictureSize, time.Time) error { return nil }
	if o.Store != nil {
		learn = o.Store.LearnPictureSize
	}
	return &imageCache{
		pictures: o.Pictures, learn: learn, now: o.Now, log: o.Log, room: imageRoom,
		seats: make(chan struct{}, imageFetches), sending: newSending(),
		flights: make(map[string]*flight), entries: make(map[string]*list.Element), order: list.New(),
	}
}

// A flight is a fetch under way, for all who ask for the picture at the same time.
type flight struct {
	waiting int                // who have not left
	cancel  context.CancelFunc // ends the fetch
	ended   chan struct{}      // closed when there is an image
	image   image
}

// get gives the picture at an address, from the cache or fetched. A fetch ends when
// all who wait for it have left.
func (c *imageCache) get(ctx context.Context, address string) (image, error) {
	if i, ok := c.cached(address); ok {
		return i, i.err
	}
	f := c.join(ctx, address)
	select {
	case <-f.ended:
		return f.image, f.image.err
	case <-ctx.Done():
		c.leave(address, f)
		return image{}, ctx.Err()
	}
}

// join waits for the fetch under way, or begins one.
func (c *imageCache) join(ctx context.Context, address string) *flight {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.flights[address]
	if f == nil {
		f = &flight{ended: make(chan struct{})}
		ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
		c.flights[address] = f
		go c.fly(ctx, address, f)
	}
	f.waiting++
	return f
}

// leave ends a fetch that nobody waits for any more; whoever asks next begins another.
func (c *imageCache) leave(address string, f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		c.forget(address, f)
	}
}

// forget ends a fetch. The caller holds mu.
func (c *imageCache) forget(address string, f *flight) {
	f.cancel()
	if c.flights[address] == f {
		delete(c.flights, address)
	}
}

// fly fetches a picture, if there is a seat.
func (c *imageCache) fly(ctx context.Context, address string, f *flight) {
	i, ok := c.cached(address) // by a fetch that ended just now
	if !ok {
		i = image{err: poller.ErrPicturesBusy}
		select {
		case c.seats <- struct{}{}:
			i = c.fetch(ctx, address)
			<-c.seats
			if ctx.Err() == nil {
				c.put(address, i)
			}
		default:
		}
	}
	f.image = i
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(address, f)
	close(f.ended)
}

// cached finds what is known of an address.
func (c *imageCache) cached(address string) (image, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.entries[address]
	if !ok {
		return image{}, false
	}
	e := el.Value.(*imageEntry)
	if !e.until.After(c.now()) {
		c.drop(el)
		return image{}, false
	}
	c.order.MoveToFront(el)
	return e.image, true
}

func (c *imageCache) fetch(ctx context.Context, address string) (i image) {
	defer func() {
		if r := recover(); r != nil { // a stranger's bytes must not end the program
			c.log.Error("fetching a picture failed", "panic", r)
			i = image{err: &digest.Error{Kind: digest.Unavailable, Message: "the picture cannot be read"}}
		}
	}()
	got, err := c.pictures.Picture(ctx, address)
	if err != nil {
		return image{err: err}
	}
	if size, ok := picture.Size(got.Bytes); ok {
		if err := c.learn(ctx, address, size, c.now()); err != nil && ctx.Err() == nil {
			c.log.Warn("cannot store the size of a picture", "err", err)
		}
	}
	sum := sha256.Sum256(got.Bytes)
	return image{Picture: got, etag: `"` + hex.EncodeToString(sum[:12]) + `"`}
}

// put remembers what came of a fetch.
func (c *imageCache) put(address string, i image) {
	until := imageTTL
	switch {
	case errors.Is(i.err, poller.ErrPicturesBusy):
		return // nothing was learned
	case digest.KindOf(i.err) == digest.NotFound:
		until = missingTTL
	case i.err != nil:
		until = troubleTTL
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := &imageEntry{address: address, image: i, until: c.now().Add(until),
		cost: entryCost + len(address) + cap(i.Bytes)}
	c.entries[address] = c.order.PushFront(e)
	c.used += e.cost
	for c.used > c.room {
		c.drop(c.order.Back())
	}
}

// drop forgets an entry. The caller holds mu.
func (c *imageCache) drop(el *list.Element) {
	e := c.order.Remove(el).(*imageEntry)
	delete(c.entries, e.address)
	c.used -= e.cost
}
