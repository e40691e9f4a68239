package bounce

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// sealed is Friday's midnight in Paris, which is the due time of the editions.
var sealed = time.Date(2026, 11, 19, 23, 0, 0, 0, time.UTC)

// A world is a database whose readers have one edition each, and a handler.
type world struct {
	*Handler
	t       *testing.T
	store   *store.Store
	readers []reader
	log     *bytes.Buffer
}

type reader struct {
	email   string
	digest  digest.DigestID
	edition digest.EditionID
}

func each(t *testing.T, readers int, f func(t *testing.T, w *world)) {
	storetest.Each(t, func(t *testing.T, st *store.Store) { f(t, newWorld(t, st, readers)) })
}

// alone makes a world in an SQLite database.
func alone(t *testing.T, readers int) *world {
	t.Helper()
	return newWorld(t, storetest.Open(t, storetest.SQLite(t)), readers)
}

type (
	records struct {
		storedEditions
		storedMembers
		storedNewsletters
		storedReaders
	}
	storedEditions    = store.Editions
	storedMembers     = store.Members
	storedNewsletters = store.Newsletters
	storedReaders     = store.Readers
)

func newWorld(t *testing.T, st *store.Store, readers int) *world {
	t.Helper()
	log := new(bytes.Buffer)
	w := &world{t: t, store: st, log: log, Handler: &Handler{
		Store:  records{st.Editions, st.Members, st.Newsletters, st.Readers},
		Signer: digest.NewSigner([]byte("a secret of sixteen bytes")), Address: "bounces@digest.example",
		From: "digest@news.digest.example",
		Now:  func() time.Time { return sealed.Add(8 * time.Hour) }, Log: slog.New(slog.NewTextHandler(log, nil)),
	}}
	ctx, noon := t.Context(), sealed.Add(-11*time.Hour)
	f, _, err := st.Feeds.EnsureFeed(ctx, digest.Feed{URL: "https://example.org/feed", Host: "example.org",
		Title: "Example"})
	w.ok(err)
	f.ParsedAt = noon.Add(-48 * time.Hour)
	_, err = st.Feeds.Record(ctx, f.ParsedAt, []store.Polled{{Feed: f}})
	w.ok(err)
	for i := range readers {
		_, d, err := st.Readers.AddUser(ctx, fmt.Sprintf("reader%d@example.org", i+1), "Europe/Paris", noon)
		w.ok(err)
		_, err = st.Subscriptions.Subscribe(ctx, digest.Subscription{DigestID: d.ID, FeedID: f.ID}, noon)
		w.ok(err)
		w.readers = append(w.readers, reader{email: fmt.Sprintf("reader%d@example.org", i+1), digest: d.ID})
	}
	f.ParsedAt = noon
	_, err = st.Feeds.Record(ctx, noon, []store.Polled{{Feed: f, Listed: []string{"p"}, Posts: []digest.Post{{
		Identity: "p", Title: "A post", URL: "https://example.org/p", SeenAt: noon, ContentHash: "h",
	}}}})
	w.ok(err)
	_, err = st.Feeds.Plan(ctx, sealed, func(digest.Feed, time.Time) (time.Time, bool) { return time.Time{}, false })
	w.ok(err)
	if n, err := st.Editions.Release(ctx, sealed, 30*time.Minute); err != nil || n != readers {
		t.Fatalf("%d editions, %v", n, err)
	}
	for i, r := range w.readers {
		editions, err := st.Editions.Editions(ctx, r.digest, 1)
		w.ok(err)
		w.readers[i].edition = editions[0].ID
	}
	return w
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) bounceTo(i int) string {
	return digest.Tagged(w.Address, w.Signer.Sign(digest.ForBounce, int64(w.readers[i].edition)))
}

func (w *world) leaveTo(i int) string {
	return digest.Tagged(w.Address, w.Signer.Sign(digest.ForUnsubscribeMail, int64(w.readers[i].digest)))
}

// sample returns a sample message about a reader's edition.
func (w *world) sample(name string, i int) []byte {
	w.t.Helper()
	text := bytes.ReplaceAll(sample(w.t, name), []byte("bounces+TOKEN@digest.example"), []byte(w.bounceTo(i)))
	return bytes.ReplaceAll(text, []byte("bounces+LEAVING@digest.example"), []byte(w.leaveTo(i)))
}

func (w *world) take(from, to string, message []byte) Outcome {
	w.t.Helper()
	o, err := w.Handle(w.t.Context(), Message{From: from, FromKnown: true, To: []string{to}, Bytes: message})
	w.ok(err)
	return o
}

func (w *world) want(did Action, from, to string, message []byte) Outcome {
	w.t.Helper()
	o := w.take(from, to, message)
	if o.Did != did {
		w.t.Errorf("%.200s: %+v", message, o)
	}
	return o
}

// suppressed returns why a reader's address is suppressed; "" if it is not.
func (w *world) suppressed(i int) digest.Reason {
	w.t.Helper()
	s, ok, err := w.store.Editions.Suppressed(w.t.Context(), w.readers[i].email)
	w.ok(err)
	if !ok {
		return ""
	}
	return s.Reason
}

func (w *world) state(i int) digest.DigestState {
	w.t.Helper()
	d, err := w.store.Readers.Digest(w.t.Context(), w.readers[i].digest)
	w.ok(err)
	return d.State
}

// untouched fails the test if anything changed for a reader who is not in but.
func (w *world) untouched(but ...int) {
	w.t.Helper()
	for i := range w.readers {
		if why := w.suppressed(i); !slices.Contains(but, i) && (why != "" || w.state(i) != digest.DigestActive) {
			w.t.Errorf("reader %d: suppressed %q, digest %s", i, why, w.state(i))
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
