package domains

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/internal/seal"
	"digest/mailer"
	"digest/newsletter"
	"digest/store"
	"digest/store/storetest"
	"digest/test/dnszone"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// A zone is the zone of a DNS server that changes.
type zone struct {
	mu      sync.Mutex
	records dnszone.Zone
}

// put replaces the records of a name.
func (z *zone) put(name, kind string, records ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.records = z.records.Without(name + " ")
	for _, data := range records {
		z.records = z.records.With(name + " " + kind + " " + data)
	}
}

func (z *zone) set(name string, texts ...string) { z.put(name, "TXT", texts...) }

func (z *zone) now() dnszone.Zone {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.records
}

// A world is a database with newsletters, a DNS server and a registrar.
type world struct {
	*Registrar
	*zone
	t     *testing.T
	clock time.Time
	log   bytes.Buffer
	told  []string
	ids   []digest.NewsletterID
}

func each(t *testing.T, f func(w *world)) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		w := &world{t: t, clock: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), zone: new(zone)}
		w.Registrar = &Registrar{
			Store: st, Keys: seal.Beside(filepath.Join(t.TempDir(), "digest.db")),
			Resolver: dnszone.Resolver(dnszone.Serve(t, w.zone.now)),
			Now:      func() time.Time { return w.clock }, Log: slog.New(slog.NewTextHandler(&w.log, nil)),
			Stopped: func(_ context.Context, n digest.Newsletter, d newsletter.Domain) error {
				w.told = append(w.told, n.Slug+": "+d.Finding)
				return nil
			},
		}
		for _, name := range []string{"anna", "bob"} {
			u, _, err := st.Readers.AddUser(t.Context(), name+"@example.org", "UTC", w.clock)
			w.ok(err)
			n, err := st.Newsletters.AddNewsletter(t.Context(), digest.Newsletter{Slug: name + "-writes", Name: name,
				Cadence: digest.Daily, State: digest.NewsletterActive,
				Look: digest.Look{Layout: digest.FullText, Images: digest.NoImages}}, u.ID, w.clock)
			w.ok(err)
			w.ids = append(w.ids, n.ID)
		}
		f(w)
	})
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) named(i int) (d newsletter.Domain, name, value string) {
	w.t.Helper()
	d, err := w.Name(w.t.Context(), w.ids[i], "letters@anna.example")
	w.ok(err)
	name, value, err = w.Record(d)
	w.ok(err)
	return d, name, value
}

// comes returns the sender address of a newsletter's emails; "" for the instance's address.
func (w *world) comes(i int) string {
	w.t.Helper()
	n, err := w.Store.Newsletters.Newsletter(w.t.Context(), w.ids[i])
	w.ok(err)
	return n.OwnAddress
}

// TestRecords checks which records let a newsletter use its own domain.
func TestRecords(t *testing.T) {
	each(t, func(w *world) {
		d, name, value := w.named(0)
		_, _, others := w.named(1)
		if w.comes(0) != "" {
			t.Error("letters come from a domain of which no record was seen")
		}
		for _, c := range []struct {
			what    string
			texts   []string
			signs   bool
			finding string
		}{
			{"as shown", []string{value}, true, ""},
			{"the key of another newsletter", []string{others}, false, "a different key"},
			{"as shown, once more", []string{value}, true, ""},
			{"two records", []string{value, others}, false, "2 records"},
			{"twice the same", []string{value, value}, false, "2 records"},
			{"revoked", []string{"v=DKIM1; k=rsa; p="}, false, "revokes the key"},
			{"cut short", []string{value[:len(value)-9]}, false, "a different key, or only part"},
			{"no record of DKIM", []string{"v=spf1 -all"}, false, "isn’t valid"},
			{"tried out", []string{strings.Replace(value, "k=rsa;", "k=rsa; t=y;", 1)}, false, "in test mode"},
			{"not for mail", []string{strings.Replace(value, "k=rsa;", "k=rsa; s=tlsrpt;", 1)}, false, "not for email"},
			{"hostile", []string{strings.Repeat("\x1b[31m\r\n", 100)}, false, "isn’t valid"},
			{"empty", []string{""}, false, "isn’t valid"},
			{"spaced", []string{strings.ReplaceAll(value, ";", " ; ")}, true, ""},
		} {
			w.set(name, c.texts...)
			got, err := w.Look(t.Context(), d)
			w.ok(err)
			if got.Signs != c.signs || !strings.Contains(got.Finding, c.finding) ||
				strings.ContainsAny(got.Finding, "\x1b\r\n") {
				t.Errorf("%s: signs %v, %q", c.what, got.Signs, got.Finding)
			}
			if from := w.comes(0); (from == "letters@anna.example") != c.signs {
				t.Errorf("%s: letters come from %q", c.what, from)
			}
			_, err = w.Key(t.Context(), w.ids[0])
			if (err == nil) != c.signs {
				t.Errorf("%s: the key: %v", c.what, err)
			}
			d = got
		}
		if w.comes(1) != "" {
			t.Error("the other newsletter comes from a domain without a record of its own")
		}
	})
}

// TestCNAME follows a CNAME, which DNS providers use.
func TestCNAME(t *testing.T) {
	each(t, func(w *world) {
		d, name, value := w.named(0)
		_, _, others := w.named(1)
		w.put(name, "CNAME", "key.provider.example")
		for text, signs := range map[string]bool{value: true, others: false} {
			w.set("key.provider.example", text)
			got, err := w.Look(t.Context(), d)
			w.ok(err)
			if got.Signs != signs {
				t.Errorf("signs %v, want %v (%s)", got.Signs, signs, got.Finding)
			}
			d = got
		}
	})
}

// TestRecordVanishes checks the lookups: hourly at first, then daily. The key continues to sign during three days of
// DNS errors. A missing record stops it immediately, and its owner is notified once.
func TestRecordVanishes(t *testing.T) {
	each(t, func(w *world) {
		_, name, value := w.named(0)
		look := func(after time.Duration, from string) {
			t.Helper()
			w.clock = w.clock.Add(after)
			w.ok(w.LookDue(t.Context()))
			if got := w.comes(0); got != from {
				t.Errorf("at %v letters come from %q, want %q", w.clock, got, from)
			}
		}
		const ours = "letters@anna.example"
		look(0, "")
		w.set(name, value)
		look(59*time.Minute, "") // not due yet
		look(time.Minute, ours)
		w.set(name)
		look(23*time.Hour, ours)
		look(time.Hour, "")
		look(time.Hour, "")
		w.set(name, value)
		look(time.Hour, ours)
		w.put(name, "SERVFAIL", "x")
		look(24*time.Hour, ours)
		look(48*time.Hour, ours)
		look(25*time.Hour, "")
		want := []string{"anna-writes: there is no record at " + name, "anna-writes: " + name +
			" could not be looked up"}
		if len(w.told) != 2 || w.told[0] != want[0] || !strings.HasPrefix(w.told[1], want[1]) {
			t.Errorf("told: %q, want %q", w.told, want)
		}
		w.ok(w.Store.Newsletters.RemoveNewsletterDomain(t.Context(), w.ids[0]))
		if err := w.Store.Newsletters.RemoveNewsletterDomain(t.Context(),
			w.ids[0]); digest.KindOf(err) != digest.NotFound {
			t.Errorf("removed twice: %v", err)
		}
		look(90*24*time.Hour, "")
	})
}

// TestNamedAnew checks that a new address has a new key, and that a lookup for the former one changes nothing.
func TestNamedAnew(t *testing.T) {
	each(t, func(w *world) {
		before, name, value := w.named(0)
		w.set(name, value)
		after, _, _ := w.named(0)
		if before.Selector == after.Selector {
			t.Error("the new key has the old one's selector")
		}
		if _, err := w.Look(t.Context(), before); err != nil || w.comes(0) != "" {
			t.Errorf("the record of a former key counts: %v", err)
		}
		if _, err := w.Look(t.Context(), after); err != nil || w.comes(0) != "" {
			t.Errorf("the record of a former key counts for the new one: %v", err)
		}
	})
}

func TestNamesRefused(t *testing.T) {
	each(t, func(w *world) {
		for _, address := range []string{"", "anna", "anna.example", "letters@localhost", "letters@co.uk",
			"letters@127.0.0.1",
			"Anna <letters@anna.example>", "a@anna.example, b@anna.example",
			"letters@anna.example\r\nBcc: x@example.org", "ännä@anna.example"} {
			if d, err := w.Name(t.Context(), w.ids[0], address); digest.KindOf(err) != digest.Invalid ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %+v, %v", address, d, err)
			}
		}
		if d, err := w.Name(t.Context(), w.ids[0], "letters@BÜCHER.example"); err != nil ||
			d.FromAddress != "letters@xn--bcher-kva.example" {
			t.Errorf("%+v, %v", d, err)
		}
		if _, err := w.Name(t.Context(), 999, "letters@anna.example"); digest.KindOf(err) != digest.NotFound {
			t.Errorf("of no newsletter: %v", err)
		}
		w.ok(w.Store.Newsletters.SetNewsletterState(t.Context(), w.ids[1], digest.NewsletterEnded, "", w.clock))
		if _, err := w.Name(t.Context(), w.ids[1], "letters@anna.example"); digest.KindOf(err) != digest.Conflict {
			t.Errorf("of one that has ended: %v", err)
		}
	})
}

// TestSealed checks that the database has only the encrypted key, that no other key file decrypts it, and that it can
// be encrypted again.
func TestSealed(t *testing.T) {
	each(t, func(w *world) {
		d, name, value := w.named(0)
		w.set(name, value)
		_, err := w.Look(t.Context(), d)
		w.ok(err)
		key, err := w.Key(t.Context(), w.ids[0])
		w.ok(err)
		if strings.Contains(d.Sealed, string(key.PrivateKey)) || mailer.Covers(key, "other.example") {
			t.Error("the key lies open")
		}
		if c, err := w.Keys.Open(d.Sealed); err == nil {
			t.Errorf("a signing key was opened as the password %v", c)
		}
		if sealed, err := w.Keys.Seal(digest.Credential{Password: "p"}); err != nil {
			t.Error(err)
		} else if _, err := w.Keys.OpenKey(sealed.Sealed); err == nil {
			t.Error("a password was opened as a signing key")
		}
		id, err := w.Keys.Add()
		w.ok(err)
		n, err := w.Reseal(t.Context())
		w.ok(err)
		now, err := w.Store.Newsletters.NewsletterDomain(t.Context(), w.ids[0])
		w.ok(err)
		again, err := w.Key(t.Context(), w.ids[0])
		w.ok(err)
		if n != 1 || seal.IDOf(now.Sealed) != id || !bytes.Equal(again.PrivateKey, key.PrivateKey) {
			t.Errorf("%d sealed anew with %s, now %s", n, id, seal.IDOf(now.Sealed))
		}
		if n, err = w.Reseal(t.Context()); n != 0 || err != nil {
			t.Errorf("sealed once more: %d, %v", n, err)
		}
		w.Keys = seal.Beside(filepath.Join(t.TempDir(), "other"))
		if _, err := w.Keys.SealKey([]byte("x")); err != nil {
			t.Error(err)
		}
		if _, err := w.Key(t.Context(), w.ids[0]); err == nil {
			t.Error("another instance's key opens it")
		}
		w.ok(w.Store.Newsletters.SetNewsletterState(t.Context(), w.ids[0], digest.NewsletterEnded, "", w.clock))
		w.ok(w.Store.Newsletters.RemoveNewsletter(t.Context(), w.ids[0]))
		if all, err := w.Store.Newsletters.NewsletterDomains(t.Context()); err != nil || len(all) != 0 {
			t.Errorf("it stays when the newsletter is removed: %v, %v", fmt.Sprint(len(all)), err)
		}
	})
}
