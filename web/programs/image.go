package programs

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
	"digest/web/page"
)

const (

	// imageAge lets mail programs cache a picture for 30 days. The pictures of a post do not
	// change, and neither do their addresses here.
	imageAge = "public, max-age=2592000, immutable"

	maxImagePath = 4096 // base64 of an address of at most 2048 bytes
)

// imageAt serves a picture of a post to mail programs, which cannot sign in. It is a proxy, so that
// no other site learns that the reader opened the email. It serves only addresses that this
// instance signed. The response is the picture or plain text, without a cookie.
func (s *site) imageAt(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Content-Security-Policy", page.ImagePolicy)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // webmail shows the picture on other sites
	address, ok := s.signedAddress(digest.ForImage, r)
	if !ok || s.images == nil {
		return page.Plain(w, http.StatusNotFound, "no such picture\n")
	}
	picture, err := s.images.get(r.Context(), address)
	var sent func()
	if err == nil {
		if sent = s.images.sending.begin(s.ClientNetwork(r), picture); sent == nil {
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
		return page.Plain(w, http.StatusServiceUnavailable, "too many pictures at once; try again in a minute\n")
	case poller.IsNotPublic(err):
		return page.Plain(w, http.StatusForbidden, "the picture is in a private network; this instance requests "+
			"pictures there only from the host and port of a feed that it may read there, and only if the feed shows them\n")
	case digest.KindOf(err) == digest.NotFound:
		return page.Plain(w, http.StatusNotFound, "the picture no longer exists at its address\n")
	}
	return page.Plain(w, http.StatusBadGateway, "the picture's site did not respond\n")
}

// signedAddress returns the address in a path if this instance signed it for the purpose. It
// accepts a single encoding of the path, so that caches store a picture once.
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
	imageFetches = 64       // concurrent fetches
	imageTTL     = 24 * time.Hour

	// How long failures are cached. A site with an error gets a retry sooner than a missing
	// picture.
	missingTTL = time.Hour
	troubleTTL = 2 * time.Minute

	entryCost = 512 // overhead of a cache entry in bytes, without its picture
)

// An image is a picture with its ETag, or the error of the fetch.
type image struct {
	poller.Picture
	etag string
	err  error
}

// An imageCache is an LRU cache of pictures. It combines concurrent requests for one address into a
// single fetch.
type imageCache struct {
	pictures page.PictureFetcher
	now      func() time.Time
	log      *slog.Logger
	seats    chan struct{} // semaphore for fetches
	sending  *sending
	// learn stores the size of a picture that loads. fail stores that one does not load, see store.Posts.PictureFailed.
	learn func(ctx context.Context, address string, size digest.PictureSize, now time.Time) error
	fail  func(ctx context.Context, address string, failures int, again, now time.Time) error

	mu      sync.Mutex
	flights map[string]*flight // fetches in progress, by address
	room    int                // maximum bytes
	used    int
	entries map[string]*list.Element // of *imageEntry, by address
	order   *list.List               // most recently used first
}

type imageEntry struct {
	address string
	image   image
	until   time.Time
	cost    int
}

func newImageCache(o page.Options) *imageCache {
	if o.Pictures == nil {
		return nil
	}
	learn := func(context.Context, string, digest.PictureSize, time.Time) error { return nil }
	fail := func(context.Context, string, int, time.Time, time.Time) error { return nil }
	if o.Store != nil {
		learn, fail = o.Store.Posts.LearnPicture, o.Store.Posts.PictureFailed
	}
	return &imageCache{
		pictures: o.Pictures, learn: learn, fail: fail, now: o.Now, log: o.Log, room: imageRoom,
		seats: make(chan struct{}, imageFetches), sending: newSending(),
		flights: make(map[string]*flight), entries: make(map[string]*list.Element), order: list.New(),
	}
}

// A flight is a fetch in progress, shared by concurrent requests.
type flight struct {
	waiting int                // number of waiting requests
	cancel  context.CancelFunc // cancels the fetch
	ended   chan struct{}      // closed when image is set
	image   image
}

// get returns a picture from the cache or fetches it. A fetch is cancelled when all its waiting
// requests have ended.
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

// join adds a request to the fetch in progress, or starts one.
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

// leave removes a request from a fetch, and cancels it after the last one. The next request starts
// a new fetch.
func (c *imageCache) leave(address string, f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		c.forget(address, f)
	}
}

// forget cancels a fetch. The caller holds mu.
func (c *imageCache) forget(address string, f *flight) {
	f.cancel()
	if c.flights[address] == f {
		delete(c.flights, address)
	}
}

// fly fetches a picture, or fails if too many fetches are in progress.
func (c *imageCache) fly(ctx context.Context, address string, f *flight) {
	i, ok := c.cached(address) // another fetch may have ended just now
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
		if r := recover(); r != nil { // a malformed picture must not crash the program
			c.log.Error("fetching a picture failed", "panic", r)
			i = image{err: &digest.Error{Kind: digest.Unavailable, Message: "the picture cannot be read"}}
		}
	}()
	got, err := c.pictures.Picture(ctx, address)
	if stored := c.note(ctx, address, got, err); stored != nil && ctx.Err() == nil {
		c.log.Warn("cannot store whether a picture loads", "err", stored)
	}
	if err != nil {
		return image{err: err}
	}
	sum := sha256.Sum256(got.Bytes)
	return image{Picture: got, etag: `"` + hex.EncodeToString(sum[:12]) + `"`}
}

// note stores the outcome of a fetch, so that editions leave out a picture that does not load.
func (c *imageCache) note(ctx context.Context, address string, got poller.Picture, err error) error {
	now := c.now()
	switch {
	case err == nil:
		size, _ := picture.Size(got.Bytes)
		return c.learn(ctx, address, size, now)
	case ctx.Err() == nil && poller.IsDeadPicture(err):
		return c.fail(ctx, address, 1, picture.Retry(1, digest.KindOf(err) == digest.NotFound, now), now)
	}
	return nil
}

func (c *imageCache) put(address string, i image) {
	until := imageTTL
	switch {
	case errors.Is(i.err, poller.ErrPicturesBusy):
		return // not a property of the address
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

// drop removes an entry. The caller holds mu.
func (c *imageCache) drop(el *list.Element) {
	e := c.order.Remove(el).(*imageEntry)
	delete(c.entries, e.address)
	c.used -= e.cost
}
