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
	picturesASite  = 4  // at once of all hosts under a registered domain, who may name as many as they like
	picturesAHost  = 2  // at once: a browser has six
	picturesWait   = 32 // for one host or site, those under way included

	// How long a host that says it is asked too often is left alone, whatever it says.
	leastPause = time.Minute
	mostPause  = time.Hour
)

// errPaused says that a host is left alone because it asked for it.
var errPaused = errors.New("the host asked to be left alone for a while")

// pictureQueues lets a few pictures at once through to each host, and to each
// site, which has a dot before its name.
type pictureQueues struct {
	*queues
	wire        chan struct{} // holds a token for each picture under way
	aSite, host int           // at once
}

func newPictureQueues(now func() time.Time) *pictureQueues {
	return &pictureQueues{newQueues(now), make(chan struct{}, picturesAtOnce), picturesASite, picturesAHost}
}

// newSoundQueues are the same for what is heard.
func newSoundQueues(now func() time.Time) *pictureQueues {
	return &pictureQueues{newQueues(now), make(chan struct{}, soundsAtOnce), soundsASite, soundsAHost}
}

// enter waits for a turn at a host. Whoever got nil calls leave.
func (p *pictureQueues) enter(ctx context.Context, name string) (host *queue, leave func(), err error) {
	host = p.join(name, p.host)
	site := p.join("."+feed.Domain(name), p.aSite)
	wires := []chan struct{}{host.wire, site.wire, p.wire} // who waits for a slow host keeps no other waiting
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
	if err == nil && host.freeAt().After(p.now()) { // by what it said meanwhile
		err = errPaused
	}
	if err != nil {
		leave()
	}
	return host, leave, err
}

// refuses says why nobody may wait for a picture any more.
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
