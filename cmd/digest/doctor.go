package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"digest"
	"digest/internal/doctor"
	"digest/mailer"
	"digest/store"
	"digest/store/db"
	"digest/web/operator"
)

type doctorCmd struct {
	Offline bool   `help:"Skip the checks that need the network."`
	SendTo  string `placeholder:"ADDRESS" env:"-" help:"Only send a test email to this address, and print the mail server's reply."`
}

// The time limits: first for the database, then for the checks, which run concurrently.
const (
	lookLimit  = 10 * time.Second
	checkLimit = 15 * time.Second
)

func (c *doctorCmd) check() (err error) {
	if c.SendTo == "" {
		return nil
	}
	if c.Offline {
		return wrongLine("--send-to connects to the mail server, which --offline forbids")
	}
	c.SendTo, err = parseEmail(c.SendTo)
	return err
}

// Run examines the instance, and fails if something is wrong. It changes nothing.
func (c *doctorCmd) Run(a *app) error {
	if c.SendTo != "" {
		return a.withStore(func(st *store.Store) error { return a.sendTest(st, c.SendTo) })
	}
	resolver, err := a.resolver()
	if err != nil {
		return err
	}
	place, err := mailer.Destination(a.Mail)
	if err != nil {
		return err
	}
	dial := (&net.Dialer{Resolver: resolver}).DialContext
	database, key := a.lookAtDatabase()
	findings := doctor.Run(a.soft, doctor.Facts{
		Now: a.now, Frozen: a.frozen,
		BaseURL: a.BaseURL, From: a.From, ReturnPath: a.ReturnPath, AccountFrom: a.AccountFrom,
		CFBLAddress: a.CFBLAddress, Mail: place,
		BounceListen: a.BounceListen, BounceMaildir: a.BounceMaildir,
		TrustedProxies: a.TrustedProxies, MetricsToken: a.MetricsToken != "", MetricsListen: a.MetricsListen,
		Database: database, Key: key, Machine: doctor.ThisMachine(),
		Offline: c.Offline, Resolver: resolver, Dial: dial, Limit: checkLimit,
		Probe: func(ctx context.Context) error {
			return mailer.Probe(ctx, a.Mail, mailer.Options{Dial: dial, DialTimeout: checkLimit - time.Second})
		},
	})
	if err := a.soft.Err(); err != nil {
		return errInterrupted
	}
	if a.json {
		err = a.printJSON(findings)
	} else {
		a.showFindings(findings)
	}
	if n := doctor.CountWrong(findings); err == nil && n > 0 {
		return fmt.Errorf("%s found a problem; the line below each says what to do", digest.Counted(n, "check"))
	}
	return err
}

// sendTest sends a test email immediately, without the queue, signed as editions are. A fence does not stop it, because
// it is not an edition.
func (a *app) sendTest(st *store.Store, to string) error {
	if err := a.mailOne(st, a.plainLetter(to,
		operator.TestLetter(languageTo(a.soft, st, to), a.BaseURL, a.now()))); err != nil {
		return err
	}
	for _, what := range a.strayMail() {
		fmt.Fprintln(a.stderr, plain(what))
	}
	place, err := mailer.Destination(a.Mail)
	if err != nil {
		return err
	}
	return a.say(map[string]any{"email": to, "sent": true},
		"%s accepted a test email for %s; check the mailbox and its spam folder", placeName(place), to)
}

func placeName(p mailer.Place) string {
	if p.Folder != "" {
		return "the Maildir " + p.Folder
	}
	return net.JoinHostPort(p.Host, strconv.Itoa(p.Port))
}

// resolver returns a resolver for the name servers of this machine, or for the one in DIGEST_RESOLVER.
func (s *settings) resolver() (*net.Resolver, error) {
	r := &net.Resolver{PreferGo: true}
	if s.Resolver == "" {
		return r, nil
	}
	host, port, err := net.SplitHostPort(s.Resolver)
	if err != nil || host == "" || port == "" {
		return nil, badSetting("DIGEST_RESOLVER", s.Resolver, "is not a name server with a port", "9.9.9.9:53")
	}
	r.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, s.Resolver)
	}
	return r, nil
}

func (a *app) showFindings(findings []doctor.Finding) {
	for _, f := range findings {
		word := string(f.Status)
		if f.Status == doctor.Wrong {
			word = strings.ToUpper(word)
		}
		a.printf("%-8s %-12s %s\n", word, f.Check, plain(f.Found))
		for line := range strings.Lines(f.Todo) {
			a.printf("%-21s > %s\n", "", plain(line))
		}
	}
}

// lookAtDatabase examines the database and the key of its private feeds without changing them. It has a time limit,
// because a disk or a server may hang.
func (a *app) lookAtDatabase() (doctor.Database, doctor.Key) {
	ctx, cancel := context.WithTimeout(a.soft, lookLimit)
	defer cancel()
	d := doctor.Database{Name: a.Database}
	if u, err := url.Parse(a.Database); err == nil && strings.HasPrefix(u.Scheme, "postgres") {
		d.Name = strings.TrimSuffix("PostgreSQL at "+u.Host, " at ")
	} else {
		d.File = a.Database
	}
	type sight struct {
		doctor.Database
		doctor.Key
	}
	seen := make(chan sight, 1)
	go func() {
		database, key := a.look(ctx, d)
		seen <- sight{database, key}
	}()
	select {
	case s := <-seen:
		return s.Database, s.Key
	case <-ctx.Done():
		d.Err = digest.Errorf(digest.Unavailable, "%s does not respond in time; check its server and its disk", d.Name)
		return d, doctor.Key{}
	}
}

func (a *app) look(ctx context.Context, d doctor.Database) (doctor.Database, doctor.Key) {
	key := a.lookAtKey()
	if d.File != "" {
		d.Absent, d.Closed, d.Err = lookAtFile(d.File)
		if d.Absent || d.Closed || d.Err != nil {
			return d, key
		}
	}
	st, err := store.Open(ctx, a.Database)
	if err != nil {
		d.Err = err
		return d, key
	}
	defer st.Close()
	have, want, err := st.Schema(ctx)
	if err != nil || have != want {
		d.Old, d.Err = true, err
		return d, key
	}
	d.Err = errors.Join(a.lookInto(ctx, st, &d), a.lookAtClock(ctx, st, &d), a.lookAtSealed(ctx, st, &key))
	return d, key
}

// lookAtKey examines the key file of private feeds without creating one.
func (a *app) lookAtKey() doctor.Key {
	k := doctor.Key{File: a.keys().File()}
	ids, err := a.keys().IDs()
	k.Err, k.Absent = err, err == nil && len(ids) == 0
	if info, err := os.Stat(k.File); err == nil && runtime.GOOS != "windows" {
		k.Mode = info.Mode().Perm()
	}
	return k
}

func (a *app) lookAtSealed(ctx context.Context, st *store.Store, k *doctor.Key) error {
	feeds, err := st.Feeds.SealedFeeds(ctx)
	if err != nil {
		return err
	}
	keys := a.keys()
	for _, f := range feeds {
		if _, err := keys.Open(f.Sealed); err != nil {
			if k.Lost++; k.Lost == 1 {
				k.Why = err.Error()
			}
		}
	}
	k.Feeds = len(feeds)
	clear, err := st.Feeds.ClearFeeds(ctx)
	for _, f := range clear {
		if _, c := digest.SplitCredential(f.URL); !c.IsEmpty() {
			k.InClear++
		}
	}
	return err
}

// lookAtFile reports whether an SQLite file is absent, or closed because opening it would change it. Opening would
// create a missing file, and would change the mode of a copy that is not in WAL mode.
func lookAtFile(path string) (absent, closed bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, false, nil
	}
	if err != nil {
		if foreign := db.Foreign(path); foreign != nil {
			return false, false, foreign
		}
		return false, false, &digest.Error{Kind: digest.Unavailable, Err: err,
			Message: "the database cannot be read; let the user that runs digest read and write it"}
	}
	defer f.Close()
	header := make([]byte, 20)
	n, _ := f.Read(header)
	const magic, fileFormatWAL = "SQLite format 3\x00", 2 // https://www.sqlite.org/fileformat.html §1.3
	switch {
	case n == 0:
		return true, false, nil
	case n < len(header) || !bytes.HasPrefix(header, []byte(magic)):
		return false, false, digest.Errorf(digest.Conflict,
			"%s is not a database; name another in DIGEST_DATABASE", path)
	}
	return false, header[18] != fileFormatWAL, nil
}

func (a *app) lookInto(ctx context.Context, st *store.Store, d *doctor.Database) error {
	f, err := a.lookFence(ctx, st)
	if err != nil {
		return err
	}
	d.Fenced, d.Beat = f.Reason, f.Beat
	if d.Keys, err = st.Editions.DKIMKeys(ctx); err != nil {
		return err
	}
	if d.Newsletters, err = st.Newsletters.NewsletterDomains(ctx); err != nil {
		return err
	}
	const week, sources = 7, 100
	if d.Reported, err = st.Editions.DMARCSummary(ctx, digest.DateOf(a.now().UTC()).Plus(-week), sources); err != nil {
		return err
	}
	if d.Proxies, err = st.Operator.ProxyNotes(ctx); err != nil {
		return err
	}
	if d.Letters, err = st.Editions.LetterNotes(ctx); err != nil {
		return err
	}
	if d.Late, err = a.lookAtHour(ctx, st, f.Beat); err != nil {
		return err
	}
	numbers, err := st.Operator.Numbers(ctx)
	if err != nil {
		return err
	}
	d.Storage, d.OverQuota = a.storage(numbers.Bytes), numbers.OverQuota
	if d.Prune, err = a.lookAtPrune(ctx, st); err != nil {
		return err
	}
	const examples = 3
	zones, err := st.Readers.Zones(ctx, examples)
	d.Zones = make(map[string][]string, len(zones))
	for _, z := range zones {
		d.Readers += z.Readers
		d.Zones[z.TimeZone] = z.Examples
	}
	return err
}

// lookAtPrune returns the count of the prune that waits, or of the next one if it will wait. Counting may take too long
// in a large database. The hourly job then counts first.
func (a *app) lookAtPrune(ctx context.Context, st *store.Store) (*digest.Prune, error) {
	const patience = 3 * time.Second
	waits, err := st.Operator.PruneWaits(ctx)
	if err != nil || waits != nil {
		return waits, err
	}
	soon, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	waits, err = st.Operator.WouldWait(soon, a.now(), a.Keep)
	if soon.Err() != nil {
		return nil, ctx.Err()
	}
	return waits, err
}

// lookAtHour returns the lags that are too long. If no worker was active for 15 minutes, an hourly timer may start
// digest tick, so the limits are an hour longer.
func (a *app) lookAtHour(ctx context.Context, st *store.Store, beat time.Time) (digest.Lags, error) {
	lags, err := st.Operator.Lags(ctx, a.now(), a.ReleaseDeadline)
	limits := digest.LimitsOfLags(a.ReleaseDeadline)
	if a.now().Sub(beat) > 15*time.Minute {
		limits = limits.Longer(time.Hour)
	}
	return lags.Late(limits, a.now()), err
}

func (a *app) lookAtClock(ctx context.Context, st *store.Store, d *doctor.Database) error {
	if d.File != "" {
		return nil
	}
	// Open the connection before the measurement.
	if err := st.Ping(ctx); err != nil {
		return fmt.Errorf("reading the database's clock: %w", err)
	}
	before := a.now()
	theirs, err := st.Clock(ctx)
	if err != nil {
		return err
	}
	middle := before.Add(a.now().Sub(before) / 2)
	d.Ahead = theirs.Sub(middle)
	return nil
}
