package poller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"digest"
	"digest/feed"
)

// Parsers have the places in which documents are read: that is all processor and
// memory, so that there are no more of them than processors. Nothing can end a
// goroutine that reads. One that takes longer than any honest document of its
// size, or for which nobody waits any more, is abandoned: another one gets its
// place, as long as few are abandoned. One Parsers serves a process.
type Parsers struct {
	places    chan struct{} // holds a token for each document that is being read
	abandoned chan struct{} // and for each that is abandoned and still being read
	ever      atomic.Int64  // abandoned since the start, because they took too long
	log       *slog.Logger
}

const (
	// parseLeast and parseEach (for each byte) are how long a document may take:
	// some fifty times what honest ones of its size do, for a machine that has
	// much else to do.
	parseLeast = 5 * time.Second
	parseEach  = 3 * time.Second / (1 << 20)
	// parsePatience is how long a document waits for a place.
	parsePatience = 5 * time.Minute
	// mostAbandoned is how many there may be for each place.
	mostAbandoned = 2
)

// errNoPlace ends a poll whose document nobody could read. Nothing is held
// against its feed.
var errNoPlace = errors.New(string(digest.Words("too many other documents are being parsed")))

// ErrOverran is the error of a document that was abandoned.
var ErrOverran = errors.New(string(digest.Words("the document takes too long to read")))

// NewParsers makes places for as many documents as there are processors. log is
// told what is abandoned; nil: nobody is.
func NewParsers(log *slog.Logger) *Parsers {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	places := runtime.GOMAXPROCS(0)
	return &Parsers{places: make(chan struct{}, places), abandoned: make(chan struct{}, mostAbandoned*places), log: log}
}

// Abandoned gives how many documents are abandoned and still being read, and how
// many were abandoned ever because they took too long.
func (p *Parsers) Abandoned() (now int, ever int64) { return len(p.abandoned), p.ever.Load() }

// Do does work on a document of some bytes in a place. The context that the work
// is given ends when it has taken too long, which is ErrOverran, or ctx ends;
// if the work does not end then, Do ends without it. What the work has made may be
// used only where there is no error.
func (p *Parsers) Do(ctx context.Context, size int, work func(ctx context.Context) error) error {
	if err := p.enter(ctx); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, parseLeast+time.Duration(size)*parseEach)
	defer cancel()
	r := &reading{parsers: p, held: p.places}
	done := make(chan error, 1)
	go func() {
		err := guarded(limited, work)
		r.leave()
		done <- err
	}()
	var err error
	select {
	case err = <-done:
	case <-limited.Done():
		if r.abandon() && ctx.Err() == nil {
			p.ever.Add(1)
			p.log.Warn("abandoned a document that takes too long to read", "bytes", size, "abandoned", len(p.abandoned))
		}
		err = limited.Err()
	}
	if err != nil && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return ErrOverran
	}
	return err
}

// enter waits for a place.
func (p *Parsers) enter(ctx context.Context) error {
	select {
	case p.places <- struct{}{}:
		return nil
	default:
	}
	patience := time.NewTimer(parsePatience)
	defer patience.Stop()
	select {
	case p.places <- struct{}{}:
		return nil
	case <-patience.C:
		return errNoPlace
	case <-ctx.Done():
		return ctx.Err()
	}
}

// errPanicked is the error of work that panicked.
var errPanicked = errors.New(string(digest.Words("the document crashed the parser, which is a bug in this program")))

// guarded does work, whose panic breaks nothing else.
func guarded(ctx context.Context, work func(context.Context) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errPanicked, r)
		}
	}()
	return work(ctx)
}

// A reading is one document that is being read.
type reading struct {
	parsers *Parsers
	mu      sync.Mutex
	held    chan struct{} // where its token is; nil when it is over
}

// abandon gives the place to another, if few are abandoned; false: the reading
// is over.
func (r *reading) abandon() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held == nil {
		return false
	}
	select {
	case r.parsers.abandoned <- struct{}{}:
		<-r.held
		r.held = r.parsers.abandoned
	default:
	}
	return true
}

func (r *reading) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	<-r.held
	r.held = nil
}

// Read reads a document that was fetched before, as a poll does.
func (p *Poller) Read(ctx context.Context, body []byte, contentType, address string) (*feed.Document, error) {
	return p.parsers.document(ctx, len(body),
		func() (*feed.Document, error) { return p.parse(body, contentType, address) })
}

// ReadList reads a list that a person has given, in a place for documents: for nobody
// who has gone meanwhile. The error is that of feed.ReadList, such as for one that takes
// too long to read; or ctx has ended, or there was no place.
func (p *Poller) ReadList(ctx context.Context, body []byte) (*feed.Document, error) {
	read, err := p.parsers.document(ctx, len(body), func() (*feed.Document, error) { return feed.ReadList(body) })
	if errors.Is(err, ErrOverran) {
		wrong := digest.Refuse(digest.Invalid, "the document takes too long to read")
		wrong.Err = err
		return nil, wrong
	}
	return read, err
}

// document reads a document of some bytes in a place.
func (p *Parsers) document(ctx context.Context, size int, read func() (*feed.Document, error)) (*feed.Document, error) {
	var doc *feed.Document
	err := p.Do(ctx, size, func(context.Context) (err error) {
		doc, err = read()
		return err
	})
	if err != nil {
		return nil, err
	}
	return doc, nil
}

// Work does something with the document of a result, in a place for documents.
func (r Result) Work(ctx context.Context, work func(ctx context.Context) error) error {
	if r.parsers == nil {
		return work(ctx)
	}
	return r.parsers.Do(ctx, len(r.Body), work)
}

// Overran makes of a poll of was one that failed because its document takes too
// long to read.
func (r Result) Overran(was digest.Feed, now time.Time) Result {
	fail(&was, failure{status: r.Status}, now)
	was.LastAttemptAt = r.Feed.LastAttemptAt
	was.LastError = ErrOverran.Error()
	was.Reliability = standing(was, r.Took)
	dequeue(&was)
	r.Feed, r.Outcome, r.Message = was, Failed, was.LastError
	r.Document, r.Body = nil, nil
	return r
}

// pageAsFeed gives the feed that a page is by its markup, where the feed was such a page, or
// was never read and the page offers no other; else the document as it is.
func pageAsFeed(doc *feed.Document, kind string) *feed.Document {
	if f := doc.AsFeed(); f != nil && (kind == string(feed.HFeed) || kind == "" && len(doc.Feeds) == 0) {
		return f
	}
	return doc
}

func kindName(k feed.Kind) string {
	switch k {
	case feed.HTML:
		return webPage
	case feed.ActivityStreams:
		return "an object of ActivityPub without posts"
	case feed.OPML:
		return "OPML"
	}
	return string(k)
}

// parseAny reads an answer, as inPlace does.
func (s *session) parseAny(ctx context.Context, a *answer) (*feed.Document, error) {
	var doc *feed.Document
	err := s.inPlace(ctx, a, func() (err error) {
		doc, err = s.poller.parse(s.document(a), a.header.Get("Content-Type"), s.base(a))
		return err
	})
	if err != nil {
		return nil, err
	}
	doc.Shortened = a.shortened
	return doc, nil
}

// inPlace reads an answer in a place for documents. An error that is no *pollError is no fault of the document.
func (s *session) inPlace(ctx context.Context, a *answer, read func() error) error {
	p := s.poller
	err := p.parsers.Do(ctx, len(a.body), func(context.Context) error { return read() })
	switch {
	case err == nil, errors.Is(err, errNoPlace), ctx.Err() != nil:
		return err
	case errors.Is(err, errPanicked):
		p.log.Error("parsing panicked", "address", s.shown(a.route), "err", err)
		err = errPanicked
	case errors.Is(err, ErrOverran):
		p.log.Warn("a document takes too long to parse", "address", s.shown(a.route), "bytes", len(a.body))
	}
	return &pollError{failure: failure{status: a.status}, text: err.Error()}
}
