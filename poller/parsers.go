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

// A Parsers limits the documents that are parsed in parallel to the number of processors, because parsing
// uses only processor and memory. A goroutine that parses cannot be stopped. Parsers abandons it if it
// takes longer than any honest document of its size, or if its caller has gone. That frees its place, as
// long as few documents are abandoned. A process has one Parsers.
type Parsers struct {
	places    chan struct{} // one token for each document that is being parsed
	abandoned chan struct{} // one token for each abandoned document that is still being parsed
	ever      atomic.Int64  // abandoned since the start because they took too long
	log       *slog.Logger
}

const (
	// parseLeast plus parseEach for each byte is the time limit of a document. It is about fifty times the
	// time of an honest document, for a machine under load.
	parseLeast    = 5 * time.Second
	parseEach     = 3 * time.Second / (1 << 20)
	parsePatience = 5 * time.Minute
	mostAbandoned = 2
)

// errNoPlace ends a poll whose document got no place. It is no failure of the feed.
var errNoPlace = errors.New(string(digest.Words("too many other documents are being parsed")))

// ErrOverran is the error of an abandoned document.
var ErrOverran = errors.New(string(digest.Words("the document takes too long to read")))

// NewParsers returns a Parsers with a place for each processor. It logs abandoned documents to log, which
// may be nil.
func NewParsers(log *slog.Logger) *Parsers {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	places := runtime.GOMAXPROCS(0)
	return &Parsers{places: make(chan struct{}, places), abandoned: make(chan struct{}, mostAbandoned*places), log: log}
}

// Abandoned returns the number of abandoned documents that are still being parsed, and the number abandoned
// since the start because they took too long.
func (p *Parsers) Abandoned() (now int, ever int64) { return len(p.abandoned), p.ever.Load() }

// Do runs work on a document of that many bytes in a place. The context of work ends at the time limit, and
// Do then returns ErrOverran, or with ctx. If work does not return then, Do returns without it. Callers may
// use results of work only if the error is nil.
func (p *Parsers) Do(ctx context.Context, size int, work func(ctx context.Context) error) error {
	if err := p.enter(ctx); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, parseLeast+time.Duration(size)*parseEach)
	defer cancel()
	k := &token{held: p.places}
	done := make(chan error, 1)
	go func() {
		err := guarded(limited, work)
		k.leave()
		done <- err
	}()
	var err error
	select {
	case err = <-done:
	case <-limited.Done():
		if _, ended := k.move(p.abandoned); !ended && ctx.Err() == nil {
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

var errPanicked = errors.New(string(digest.Words("the document crashed the parser, which is a bug in this program")))

func guarded(ctx context.Context, work func(context.Context) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errPanicked, r)
		}
	}()
	return work(ctx)
}

// A token is a place in a channel. It can move to another channel.
type token struct {
	mu   sync.Mutex
	held chan struct{} // the channel with its place; nil after the end
}

// move moves a token if the other channel has room. It reports whether it moved, and whether it had ended before.
func (k *token) move(to chan struct{}) (moved, ended bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held == nil {
		return false, true
	}
	select {
	case to <- struct{}{}:
		<-k.held
		k.held = to
		return true, false
	default:
	}
	return false, false
}

func (k *token) leave() {
	k.mu.Lock()
	defer k.mu.Unlock()
	<-k.held
	k.held = nil
}

// Read parses a stored document as a poll does.
func (p *Poller) Read(ctx context.Context, body []byte, contentType, address string) (*feed.Document, error) {
	return p.parsers.document(ctx, len(body),
		func() (*feed.Document, error) { return p.parse(body, contentType, address) })
}

// ReadList reads a list that a person uploaded, in a place for documents. It returns the error of
// feed.ReadList, such as for a list that takes too long to read. Otherwise ctx ended or no place became
// free.
func (p *Poller) ReadList(ctx context.Context, body []byte) (*feed.Document, error) {
	read, err := p.parsers.document(ctx, len(body), func() (*feed.Document, error) { return feed.ReadList(body) })
	if errors.Is(err, ErrOverran) {
		wrong := digest.Refuse(digest.Invalid, "the document takes too long to read")
		wrong.Err = err
		return nil, wrong
	}
	return read, err
}

// document parses a document of that many bytes in a place.
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

// Work runs work on the document of a result in a place for documents.
func (r Result) Work(ctx context.Context, work func(ctx context.Context) error) error {
	if r.parsers == nil {
		return work(ctx)
	}
	return r.parsers.Do(ctx, len(r.Body), work)
}

// Overran turns a result into a failed poll of was: its document takes too long to read.
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

// pageAsFeed returns the feed in the markup of a page if the feed was such a page before. It also does so
// for a new feed, if the page offers no other. Otherwise it returns doc.
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

// parseAny parses an answer in a place for documents.
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

// inPlace parses an answer in a place for documents. Only a *pollError is the fault of the document.
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
	return badAnswer(a.status, err.Error())
}
