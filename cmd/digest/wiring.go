package main

import (
	"context"
	"crypto/rsa"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"digest"
	"digest/edition"
	"digest/internal/confirmations"
	"digest/internal/doctor"
	"digest/internal/domains"
	"digest/internal/seal"
	"digest/mailer"
	"digest/poller"
	"digest/store"
	"digest/subscribe"
	"digest/web/programs"
	"digest/worker"
)

func (a *app) poller(st *store.Store) *poller.Poller {
	return poller.New(poller.Options{
		UserAgentVersion: version(),
		BaseURL:          a.BaseURL,
		AllowNetworks:    a.AllowNetworks,
		Timeout:          a.FetchTimeout,
		HostInterval:     a.HostInterval,
		Head:             a.Head,
		ActorKey:         a.actorKey(st),
		Now:              a.clock,
		Log:              a.log,
		NoWait:           a.frozen,
		Requests:         a.Requests,
		Memory:           documentMemory(ownLimit()),
		Longest:          int64(a.FeedSize),
		Parsers:          a.parsers,
		Robots:           st.Feeds,
		HostBlocks:       st.Operator.HostBlocks,
		Open:             a.keys().Open,
		Hosts:            st.Feeds,
		HomePicture:      st.Feeds.HomePicture,
		Known:            st.Feeds.KnownPosts,
	})
}

// actorKey returns a function that returns the key for signing requests to the fediverse.
func (a *app) actorKey(st *store.Store) func(context.Context) (*rsa.PrivateKey, error) {
	return func(ctx context.Context) (*rsa.PrivateKey, error) {
		key, err := st.Feeds.ActorKey(ctx, poller.NewActorKey)
		if err != nil {
			return nil, err
		}
		return poller.ReadActorKey(key)
	}
}

func (a *app) subscriber(st *store.Store) *subscribe.Subscriber {
	return &subscribe.Subscriber{Store: st, Poller: a.poller(st), Now: a.clock, Quota: a.quota(), Keys: a.keys()}
}

// keys returns the keys of private feeds: in the file of the setting, or beside an SQLite database.
func (a *app) keys() *seal.Keys { return a.keysOf(a.Database) }

func (a *app) keysOf(database string) *seal.Keys {
	if a.KeyFile == "" && !strings.Contains(database, "://") {
		return seal.Beside(database)
	}
	return seal.In(a.KeyFile)
}

func (a *app) quota() poller.Quota {
	return poller.Quota{Feed: int64(a.FeedQuota), Account: int64(a.AccountQuota)}
}

// storage compares a size of the database with the settings, and adds the free disk space.
func (a *app) storage(bytes int64) digest.Storage {
	s := digest.Storage{Bytes: bytes, Alarm: int64(a.DatabaseAlarm), Free: -1}
	if !strings.Contains(a.Database, "://") {
		if space, known := doctor.ThisMachine().Space(filepath.Dir(a.Database)); known {
			s.Free = int64(min(space.Free, math.MaxInt64))
		}
	}
	return s
}

// signer returns the signer of this instance's links. It uses the hard context, because a stop while serve starts is
// not a failure.
func (a *app) signer(st *store.Store) (*digest.Signer, error) {
	secret, err := st.Secret(a.hard)
	if err != nil {
		return nil, err
	}
	return digest.NewSigner(secret), nil
}

func (a *app) editions(st *store.Store, signer *digest.Signer) *edition.Builder {
	return edition.New(edition.Options{Store: st.Editions, Signer: signer, BaseURL: a.BaseURL,
		PostalAddress: a.PostalAddress})
}

// pages returns the editions of the web view. They are fewer than those for email and have full posts, so their cache
// is small.
func (a *app) pages(st *store.Store, signer *digest.Signer) *edition.Builder {
	const cache = 16 << 20 // in bytes
	return edition.New(edition.Options{Store: st.Editions, Signer: signer, BaseURL: a.BaseURL,
		PostalAddress: a.PostalAddress,
		CacheBytes:    cache})
}

func (a *app) withJob(st *store.Store, do func(*worker.Job) error) error {
	a.tuneMemory()
	signer, err := a.signer(st)
	if err != nil {
		return err
	}
	transport, err := a.transport()
	if err != nil {
		return err
	}
	defer transport.Close()
	return do(worker.New(worker.Options{
		Store:  st,
		Poller: a.poller(st),
		Mail:   a.deliverer(st, signer, transport),
		Spread: a.spread(),
		Keep:   a.Keep,
		Judge:  a.storage,
		Now:    a.clock,
		Frozen: a.frozen,
		Hard:   a.hard,
		Fence:  a.beat(st),
		Held:   a.tellHeld(st),
		Tell:   a.tellNews(st),

		TellReaders: a.tellReaders(st, signer),

		LookAtDomains: func(ctx context.Context) error {
			r, err := a.domains(st)
			if err != nil {
				return err
			}
			return r.LookDue(ctx)
		},

		Ask:      a.asker(st, signer, transport).Ask,
		Callback: a.callback(signer),
		Pushed:   a.pushed,
		Pinged:   a.pinged,

		Log: a.log,
	}))
}

// callback returns a function that returns the callback address for a hub, or nil if no hub can reach this instance.
func (a *app) callback(signer *digest.Signer) func(digest.PushID) string {
	if !poller.IsPublicBase(a.BaseURL) && len(a.AllowNetworks) == 0 {
		return nil
	}
	return func(id digest.PushID) string { return programs.CallbackAddress(a.BaseURL, signer, id) }
}

// deliverer sends editions.
func (a *app) deliverer(st *store.Store, signer *digest.Signer, transport mailer.Transport) *mailer.Deliverer {
	d := &mailer.Deliverer{
		Queue:    st.Editions,
		Renderer: a.editions(st, signer),
		Sender:   a.sender(st, transport),
		Signer:   signer,
		Route:    a.routeLimits(),
		Domain:   a.domainLimits(),
		Hard:     a.hard,
		Log:      a.log,
	}
	if !a.frozen {
		d.Now, d.Jitter = a.clock, tenth
	}
	return d
}

func (a *app) asker(st *store.Store, signer *digest.Signer, transport mailer.Transport) *confirmations.Asker {
	return &confirmations.Asker{
		Store: st, Sender: a.sender(st, transport), Signer: signer, BaseURL: a.BaseURL, PostalAddress: a.PostalAddress,
		Now: a.clock, Hard: a.hard, Log: a.log,
	}
}

func (a *app) sender(st *store.Store, transport mailer.Transport) *mailer.Sender {
	return &mailer.Sender{Transport: transport, From: a.From, AccountFrom: a.AccountFrom, ReplyTo: a.ReplyTo,
		ReturnPath: a.ReturnPath, ComplaintsTo: a.CFBLAddress, Keys: st.Editions.DKIMKeys,
		NewsletterKey: (&domains.Registrar{Store: st, Keys: a.keys()}).Key}
}

func (a *app) spread() poller.Spread {
	return poller.Spread{
		Gap:      a.PollGap,
		Deadline: a.ReleaseDeadline,
		Window:   a.PollWindow,
		Jitter:   poller.RandomJitter,
		NoWait:   a.frozen || a.PollWindow == 0, // a window of 0 polls immediately
	}
}

func tenth(d time.Duration) time.Duration {
	return time.Duration((rand.Float64()*2 - 1) * float64(d) / 10)
}
