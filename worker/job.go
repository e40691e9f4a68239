package worker

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

// Options configures a Job. Store, Poller and Mail are required.
type Options struct {
	Store  *store.Store
	Poller *poller.Poller
	Mail   *mailer.Deliverer

	Spread poller.Spread // how the polls of one midnight are spread
	Keep   time.Duration // age at which posts and editions are deleted; 0: never

	// Judge reports whether a database of that size has room; nil: no check.
	Judge func(bytes int64) digest.Storage

	// Nap is the longest sleep of Run before it looks for work, which another process may have added. The
	// default is a minute.
	Nap time.Duration

	// Now is the clock; nil means time.Now. Frozen means that the clock does not advance: Tick does what is
	// due at that instant and does not wait.
	Now    func() time.Time
	Frozen bool

	// Hard cancels everything immediately. The end of the context of Tick or Run only stops new work. Nil
	// means never.
	Hard context.Context

	// Grace is the time for unfinished work after the context of Tick, Poll or Run ended. The job then
	// gives back the rest. The default is 8 s.
	Grace time.Duration

	// Fence stores the heartbeat of this instance, or returns in one line why the job must not use the
	// database. Then it does not poll, release or send. Nil means no fence.
	Fence func(ctx context.Context, now time.Time) (reason string, err error)

	// Held is called for each newsletter that was put on hold because of failed deliveries. Nil: the log
	// has it.
	Held func(store.HeldNewsletter) error

	// Tell emails the publishers of a newsletter about its feeds. On error, the news stay for the next
	// call. Nil: publishers get no such email.
	Tell func(store.PublisherNews) error

	// TellReaders emails readers about changes by links that no edition will report soon; nil: no such
	// emails.
	TellReaders func(ctx context.Context) error

	// LookAtDomains checks due DNS records of newsletters' own domains; nil: there are no such domains.
	LookAtDomains func(context.Context) error
	// Ask sends due confirmation requests to people of imported lists; nil: none are sent.
	Ask func(ctx context.Context) error

	// Callback returns the address for a hub's requests about a subscription. Nil: hubs cannot reach this
	// instance, and it does not subscribe.
	Callback func(digest.PushID) string

	// Pinged receives a value when this process receives a ping; may be nil.
	Pinged chan struct{}

	// Pushed receives a value when a hub sends something to this process; may be nil.
	Pushed chan struct{}

	Report func(Event) // called for each step, never concurrently; may be nil
	Log    *slog.Logger
}

// A Job does the hourly work.
type Job struct {
	Options
	reporting sync.Mutex
	account   account // guarded by reporting
	fenced    atomic.Bool
	looked    lookedAt     // only its loop, or Tick, uses it
	unseen    bell         // rings when posts are stored; nil in Tick
	away      atomic.Int64 // Unix time in nanoseconds since when the database is unavailable; 0: it is available
}

// New returns a Job and fills in defaults.
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

// A Summary counts the work of a Tick.
type Summary struct {
	Polled     int `json:"polled"`
	Changed    int `json:"changed"`
	Unchanged  int `json:"unchanged"`
	Failed     int `json:"failed"`
	Posts      int `json:"posts"` // new posts
	Editions   int `json:"editions"`
	Sent       int `json:"sent"`
	FailedMail int `json:"failed_mail"` // given up, including UnconfirmedMail

	// UnconfirmedMail counts editions that were sent twice without confirmation.
	UnconfirmedMail int `json:"-"`

	// MailWaits says why due editions could not be sent. It is empty if all were sent. They are retried.
	MailWaits string `json:"-"`
}

// Add adds the counts of t and takes over its MailWaits.
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

// An Event reports one step.
type Event struct {
	Kind EventKind
	At   time.Time

	Digests int // EventPlanned, EventReleased
	Feeds   int // EventPlanned: queued feeds

	Result poller.Result // EventPolled

	Posts, Hidden int // EventStored: new posts and hidden posts

	Mail mailer.Stats // EventDelivered
}

// EventKind names a step of the hour.
type EventKind string

// The kinds of events.
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
