package mailer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/mail"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// released is Friday's midnight in Paris, at which the editions of these tests are released.
var released = time.Date(2026, 11, 19, 23, 0, 0, 0, time.UTC)

// sealEditions creates n readers with one edition each.
func sealEditions(t *testing.T, st *store.Store, n int) {
	t.Helper()
	ctx, noon := t.Context(), released.Add(-11*time.Hour)
	check := func(err error) {
		t.Helper()
		must(t, err)
	}
	f, _, err := st.Feeds.EnsureFeed(ctx, digest.Feed{URL: "https://example.org/feed", Host: "example.org",
		Title: "Example"})
	check(err)
	f.ParsedAt = noon.Add(-48 * time.Hour)
	_, err = st.Feeds.Record(ctx, f.ParsedAt, []store.Polled{{Feed: f}})
	check(err)
	for i := range n {
		_, d, err := st.Readers.AddUser(ctx, fmt.Sprintf("reader%d@example.org", i+1), "Europe/Paris", noon)
		check(err)
		_, err = st.Subscriptions.Subscribe(ctx, digest.Subscription{DigestID: d.ID, FeedID: f.ID}, noon)
		check(err)
	}
	f.ParsedAt = noon
	_, err = st.Feeds.Record(ctx, noon, []store.Polled{{Feed: f, Listed: []string{"p"}, Posts: []digest.Post{{
		Identity: "p", Title: "A post", URL: "https://example.org/p", SeenAt: noon, ContentHash: "h",
	}}}})
	check(err)
	_, err = st.Feeds.Plan(ctx, released, func(digest.Feed, time.Time) (time.Time, bool) { return time.Time{}, false })
	check(err)
	if got, err := st.Editions.Release(ctx, released, 30*time.Minute); err != nil || got != n {
		t.Fatalf("%d editions, %v", got, err)
	}
}

func storedStates(t *testing.T, st *store.Store) states {
	t.Helper()
	users := storetest.All(t, st.Readers.Users(t.Context()))
	n := states{}
	for _, u := range users {
		d, err := st.Readers.DigestOf(t.Context(), u.ID)
		must(t, err)
		editions, err := st.Editions.Editions(t.Context(), d.ID, 10)
		must(t, err)
		for _, e := range editions {
			n[e.State]++
		}
	}
	return n
}

func TestStoreIsAQueue(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		sealEditions(t, st, 60)
		s := &sink{}
		setting := s.listen(t)
		var wg sync.WaitGroup
		for range 3 { // several workers on one database
			l := testDeliverer(t, st.Editions, openTest(t, setting, Options{}))
			l.Batch = 2
			wg.Go(func() {
				if _, err := l.Deliver(t.Context(), released); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := len(recipients(t, s.messages())); n != 60 || len(s.messages()) != 60 {
			t.Errorf("%d readers, %d messages", n, len(s.messages()))
		}
		if got := storedStates(t, st); got[digest.EditionSent] != 60 {
			t.Errorf("%v", got)
		}
	})
}

// TestStoreThroughABadDay: after many faults, every reader has the edition at the end of the day. A reader gets it
// twice only if the first attempt was in doubt.
func TestStoreThroughABadDay(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		sealEditions(t, st, 60)
		s := &sink{answer: func(c string, n int) string {
			switch {
			case c == "BANNER" && n < 6, c == "MAIL" && n == 9:
				return "421 4.3.2 down"
			case c == "RCPT" && n%3 == 1 && n < 100:
				return "450 4.2.0 greylisted"
			case (c == "DATA" || c == "BODY") && n%7 == 1, c == "DOT" && n%9 == 1 && n < 60:
				return hangUp
			case c == "DOT" && n%9 == 2:
				return "451 4.3.0 disk"
			}
			return ""
		}}
		l := s.deliverer(t, st.Editions)
		var doubts int
		for at := time.Duration(0); at < 20*time.Hour; at += 15 * time.Minute {
			doubts += once(t, l, released.Add(at)).InDoubt
		}
		// The sink does not accept a message on which it closes the connection. So an edition that did not arrive was
		// in doubt twice.
		got := storedStates(t, st)
		if got[digest.EditionSent]+got[digest.EditionUnconfirmed] != 60 || doubts == 0 {
			t.Errorf("%v, %d in doubt", got, doubts)
		}
		to := recipients(t, s.messages())
		for who, n := range to {
			if n != 1 {
				t.Errorf("%s has %d", who, n)
			}
		}
		if len(to) != got[digest.EditionSent] {
			t.Errorf("%d readers have it, %d are marked", len(to), got[digest.EditionSent])
		}
	})
}

// TestKill kills workers at random moments while they send. No edition is lost and no message is incomplete. Duplicates
// are the same message, and there is at most one for each connection and kill.
func TestKill(t *testing.T) {
	if os.Getenv("MAILER_TEST_WORKER") != "" {
		worker(t)
		return
	}
	storetest.EachAddress(t, func(t *testing.T, database string) {
		st := storetest.Open(t, database)
		const readers = 120
		sealEditions(t, st, readers)
		var dots atomic.Int64
		s := &sink{answer: func(c string, _ int) string {
			if c == "DOT" {
				dots.Add(1)
			}
			return ""
		}}
		setting := s.listen(t)
		for kills := 1; kills < 50; kills++ {
			enough := dots.Load() + rand.Int64N(20)
			killed(t, database, setting, released.Add(time.Duration(kills)*20*time.Minute),
				func() bool { return dots.Load() >= enough })
			got := storedStates(t, st)
			if got[digest.EditionSent]+got[digest.EditionUnconfirmed] == readers {
				judgeKills(t, s.messages(), readers, kills, got[digest.EditionUnconfirmed])
				return
			}
		}
		t.Errorf("after 50 kills %v", storedStates(t, st))
	})
}

// killed runs one worker and kills it when enough returns true, unless it ends before.
func killed(t *testing.T, database, setting string, now time.Time, enough func() bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
	cmd.Env = append(os.Environ(), "MAILER_TEST_WORKER=1", "DB="+database, "MAIL="+setting, "NOW="+
		now.Format(time.RFC3339))
	must(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for look := time.Tick(100 * time.Microsecond); ; {
		select {
		case <-ended: // killed, or done
			return
		case <-look:
			if enough() {
				cmd.Process.Kill() //nolint:errcheck // it may have ended
			}
		}
	}
}

func worker(t *testing.T) {
	st, err := store.Open(context.Background(), os.Getenv("DB"))
	must(t, err)
	now, err := time.Parse(time.RFC3339, os.Getenv("NOW"))
	must(t, err)
	l := testDeliverer(t, st.Editions, openTest(t, os.Getenv("MAIL"), Options{}))
	if _, err := l.Deliver(context.Background(), now); err != nil {
		t.Fatal(err)
	}
	st.Close()
}

func judgeKills(t *testing.T, messages []string, readers, kills, unconfirmed int) {
	t.Helper()
	first := map[string]string{}
	twice := 0
	for _, m := range messages {
		msg, err := mail.ReadMessage(strings.NewReader(m))
		if err != nil || !strings.HasSuffix(m, "--\r\n") {
			t.Fatalf("half a message: %v", errors.Join(err, errors.New(m)))
		}
		to := msg.Header.Get("To")
		if before, ok := first[to]; ok {
			twice++
			if before != m {
				t.Errorf("a resend in doubt differs:\n%s\n%s", before, m)
			}
		}
		first[to] = m
	}
	if len(first) < readers-unconfirmed { // in doubt twice, and never accepted
		t.Errorf("%d of %d readers have their edition, %d are unconfirmed", len(first), readers, unconfirmed)
	}
	t.Logf("%d kills, %d messages came twice", kills, twice)
	if most := kills * 4; twice > most {
		t.Errorf("%d messages came twice after %d kills", twice, kills)
	}
}
