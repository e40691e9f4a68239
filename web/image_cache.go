package web

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"sync"
	"time"

	"digest"
	"digest/poller"
)

const (
	imageRoom    = 64 << 20 // bytes of pictures that are kept
	imageFlights = 64       // pictures that are fetched or waited for at once
	imageKept    = 24 * time.Hour

	// How long it is remembered that there was none. A site in trouble is asked
	// again sooner than one that has no such picture.
	missingKept = time.Hour
	troubleKept = 2 * time.Minute

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

	mu      sync.Mutex
	room    int // bytes
	used    int
	entries map[string]*list.Element // of *imageEntry
	order   *list.List               // latest use first
	flights map[string]*flight
}

type imageEntry struct {
	address string
	image   image
	until   time.Time
	cost    int
}

// A flight is a fetch under way; image is set when done is closed.
type flight struct {
	done  chan struct{}
	image image
}

func newImageCache(o Options) *imageCache {
	if o.Pictures == nil {
		return nil
	}
	return &imageCache{
		pictures: o.Pictures, now: o.Now, log: o.Log, room: imageRoom,
		entries: make(map[string]*list.Element), order: list.New(), flights: make(map[string]*flight),
	}
}

// get gives the picture at an address, kept or fetched. A fetch goes on when
// those who wait for it have left, so that the next one finds its picture.
func (c *imageCache) get(ctx context.Context, address string) (image, error) {
	c.mu.Lock()
	if kept, ok := c.kept(address); ok {
		c.mu.Unlock()
		return kept, kept.err
	}
	f := c.flights[address]
	if f == nil {
		if len(c.flights) >= imageFlights {
			c.mu.Unlock()
			return image{}, poller.ErrPicturesBusy
		}
		f = &flight{done: make(chan struct{})}
		c.flights[address] = f
		go c.fetch(context.WithoutCancel(ctx), address, f)
	}
	c.mu.Unlock()
	select {
	case <-f.done:
		return f.image, f.image.err
	case <-ctx.Done():
		return image{}, ctx.Err()
	}
}

// kept finds what is known of an address. The caller holds mu.
func (c *imageCache) kept(address string) (image, bool) {
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

func (c *imageCache) fetch(ctx context.Context, address string, f *flight) {
	defer func() {
		if r := recover(); r != nil { // a stranger's bytes must not end the program
			c.log.Error("fetching a picture failed", "panic", r)
			f.image = image{err: &digest.Error{Kind: digest.Unavailable, Message: "the picture cannot be read"}}
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.flights, address)
		c.keep(address, f.image)
		close(f.done)
	}()
	picture, err := c.pictures.Picture(ctx, address)
	if err != nil {
		f.image.err = err
		return
	}
	sum := sha256.Sum256(picture.Bytes)
	f.image = image{Picture: picture, etag: `"` + hex.EncodeToString(sum[:12]) + `"`}
}

// keep remembers what came of a fetch. The caller holds mu.
func (c *imageCache) keep(address string, i image) {
	until := imageKept
	switch {
	case errors.Is(i.err, poller.ErrPicturesBusy):
		return // nothing was learned
	case digest.KindOf(i.err) == digest.NotFound:
		until = missingKept
	case i.err != nil:
		until = troubleKept
	}
	e := &imageEntry{address: address, image: i, until: c.now().Add(until), cost: entryCost + len(address) + cap(i.Bytes)}
	c.entries[address] = c.order.PushFront(e)
	c.used += e.cost
	for c.used > c.room {
		c.drop(c.order.Back())
	}
}

func (c *imageCache) drop(el *list.Element) {
	e := c.order.Remove(el).(*imageEntry)
	delete(c.entries, e.address)
	c.used -= e.cost
}
