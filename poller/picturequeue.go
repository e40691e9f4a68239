package poller

import (
	"cmp"
	"context"
	"errors"
	"time"

	"digest/feed"
)

const (
	picturesAtOnce = 8  // over all hosts
	picturesASite  = 4  // at a time, for all hosts of a registered domain, which can have any number of hosts
	picturesAHost  = 2  // at a time; a browser has six
	picturesWait   = 32 // for one host or site, including pictures in flight

	// The bounds of the pause after a host answers 429 or 503.
	leastPause = time.Minute
	mostPause  = time.Hour
)

// errPaused means that a host is in a pause for which it asked.
var errPaused = errors.New("the host asked to be left alone for a while")

// pictureQueues permits a few pictures at a time to each host and each site. The name of a site's queue
// begins with a dot.
type pictureQueues struct {
	*queues
	wire        chan struct{} // one token for each picture in flight
	aSite, host int           // at a time
}

func newPictureQueues(now func() time.Time) *pictureQueues {
	return &pictureQueues{newQueues(now), make(chan struct{}, picturesAtOnce), picturesASite, picturesAHost}
}

// newSoundQueues returns the same queues for sound.
func newSoundQueues(now func() time.Time) *pictureQueues {
	return &pictureQueues{newQueues(now), make(chan struct{}, soundsAtOnce), soundsASite, soundsAHost}
}

// enter waits for a place at a host. After success the caller must call leave.
func (p *pictureQueues) enter(ctx context.Context, name string) (host *queue, leave func(), err error) {
	host = p.join(name, p.host)
	site := p.join("."+feed.Domain(name), p.aSite)
	wires := []chan struct{}{host.wire, site.wire, p.wire} // in this order, a slow host blocks no other
	held := 0
	leave = func() {
		for _, wire := range wires[:held] {
			<-wire
		}
		site.part()
		host.part()
	}
	err = cmp.Or(host.refuses(), site.refuses())
	for held < len(wires) && err == nil {
		select {
		case wires[held] <- struct{}{}:
			held++
		case <-ctx.Done():
			err = ErrPicturesBusy
		}
	}
	if err == nil && host.freeAt().After(p.now()) { // the host asked for a pause during the wait
		err = errPaused
	}
	if err != nil {
		leave()
	}
	return host, leave, err
}

// refuses returns why a host accepts no further request, or nil.
func (l *queue) refuses() error {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	switch {
	case l.free.After(l.all.now()):
		return errPaused
	case l.users > picturesWait:
		return ErrPicturesBusy
	}
	return nil
}
