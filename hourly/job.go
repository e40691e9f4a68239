package hourly

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"digest"
	"digest/mailer"
	"digest/poller"
	"digest/store"
)

// Options is what a Job is made of. Store, Poller and Mail are required.
type Options struct {
	Store  *store.Store
	Poller *poller.Poller
	Mail   *mailer.Deliverer

	Spread poller.Spread // how polls of one midnight are spread
	Keep   time.Duration // age at which posts and editions are deleted; 0: never

	// Judge says whether there is room for a database of so many bytes; nil: there is.
	Judge func(bytes int64) digest.Storage

	// Nap is how long Run sleeps at most before it looks for work again, which
	// another process may have added; default a minute.
	Nap time.Duration

	// Now is the clock; nil means time.Now. Frozen says that it stands still:
	// Tick then does what is due at that instant and waits for nothing.
	Now    func() time.Time
	Frozen bool

	// Hard ends everything at once; the context given to Tick or Run only asks
	// to finish what is in flight and leave. Nil means never.
	Hard context.Context

	// Grace is how long what is in flight may go on when the context given to
	// Tick, Poll or Run has ended, before it is given back; default 8 s.
	Grace time.Duration

	// Fence leaves the heartbeat of this instance, or says in one line why the
	// database must be left alone: then nothing is polled, released or mailed.
	// Nil means that nothing is in the way.
	Fence func(ctx context.Context, now time.Time) (reason string, err error)

	// Held is told of each newsletter that was held because of what became of its
	// letters. Nil means that the log says it, and nothing else.
	Held func(store.HeldNewsletter) error

	// Tell tells the publishers of a newsletter what became of its feeds; what fails is told in the next
	// hour. Nil: they are not told.
	Tell func(store.PublisherNews) error

	// TellReaders emails readers about changes by links that no edition reports soon; nil: it emails nobody.
	TellReaders func(ctx context.Context) error

	// LookAtDomains looks for the records of newsletters' own domains that are due; nil: there are none.
	LookAtDomains func(context.Context) error
	// Ask sends what may leave of the letters that ask people of imported lists; nil: nobody is asked.
	Ask func(ctx context.Context) error

	// Hub makes the requests that our hub owes its subscribers, and HubBell wakes who calls it; nil: there is
	// no hub.
	Hub     func(ctx context.Context) error
	HubBell chan struct{}

	// Callback is the address at which a hub reaches this instance for a subscription; nil: it
	// is reached by none, and none is asked for anything.
	Callback func(digest.PushID) string

	// CloudCallback is the same for an rssCloud server; nil: none is asked for anything.
	CloudCallback func(digest.CloudID) string

	// Pinged is sent to when a ping has come to this process; may be nil.
	Pinged chan struct{}

	// Pushed is sent to when a hub has sent something to this process; may be nil.
	Pushed chan struct{}

	Report func(Event) // told of each step; may be nil; never called concurrently
	Log    *slog.Logger
}

// A Job does the hourly work.
type Job struct {
	Options
	reporting sync.Mutex
	account   account // under reporting
	fenced    atomic.Bool
	away      atomic.Int64 // since when the database does not answer, in Unix nanoseconds; 0: it does
	watch     clockWatch
}

// New makes a Job.
func New(o Options) *Job {
	if o.Nap <= 0 {
		o.Nap = time.Minute
	}
	if o.Grace <= 0 {
		o.Grace = defaultGrace
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Hard == nil {
		o.Hard = context.Background()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Job{Options: o}
}

// A Summary counts what a Tick did.
type Summary struct {
	Polled     int `json:"polled"`
	Changed    int `json:"changed"`
	Unchanged  int `json:"unchanged"`
	Failed     int `json:"failed"`
	Posts      int `json:"posts"` // new ones
	Editions   int `json:"editions"`
	Sent       int `json:"sent"`
	FailedMail int `json:"failed_mail"` // given up, with UnconfirmedMail

	// UnconfirmedMail counts editions that were sent twice and never confirmed.
	UnconfirmedMail int `json:"-"`

	// MailWaits says why editions that are due could not be sent, empty if all
	// were; they are tried again.
	MailWaits string `json:"-"`
}

// Add counts t's work to s's.
func (s *Summary) Add(t Summary) {
	s.Polled += t.Polled
	s.Changed += t.Changed
	s.Unchanged += t.Unchanged
	s.Failed += t.Failed
	s.Posts += t.Posts
	s.Editions += t.Editions
	s.Sent += t.Sent
	s.FailedMail += t.FailedMail
	s.UnconfirmedMail += t.UnconfirmedMail
	s.MailWaits = t.MailWaits
}

// An Event tells of one step as it is done.
type Event struct {
	Kind EventKind
	At   time.Time

	Digests int // EventPlanned, EventReleased: how many
	Feeds   int // EventPlanned: how many were queued

	Result poller.Result // EventPolled

	Posts, Hidden int // EventStored: new posts, and rows made for readers

	Mail mailer.Stats // EventDelivered
}

// EventKind names a step of the hour.
type EventKind string

// The steps that are reported.
const (
	EventPlanned   EventKind = "planned"
	EventPolled    EventKind = "polled"
	EventStored    EventKind = "stored"
	EventReleased  EventKind = "released"
	EventDelivered EventKind = "delivered"
)

func (j *Job) report(e Event) {
	j.reporting.Lock()
	defer j.reporting.Unlock()
	e.At = j.Now()
	if over := j.account.add(e); over != nil {
		over.log(j.Log)
	}
	if j.Report != nil {
		j.Report(e)
	}
}
