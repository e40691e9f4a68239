package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/internal/dmarc"
	"digest/internal/doctor"
	"digest/internal/seal"
	"digest/newsletter"
	"digest/store"
	"digest/store/storetest"
	"digest/test/dnszone"
)

// TestDoctorAsks checks that the doctor queries the given name server for the record of the database's key.
func TestDoctorAsks(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, storetest.CopySQLite("digest.db"))
	complaint(t, "dkim new example.org --selector d2026", exitDone)
	status, out, said := ran(t, "doctor", "--json", "--resolver", dnszone.Zone(nil).Serve(t),
		"--from", "digest@example.org", "--mail", "smtp://mail.example.org", "--base-url", "https://paper.example.org",
		"--return-path", "b@example.org")
	if status != exitFailed || !strings.HasPrefix(said, "digest: 7 checks found a problem") {
		t.Errorf("status %d, %q", status, said)
	}
	var findings []doctor.Finding
	must(t, json.Unmarshal([]byte(out), &findings))
	want := map[string]string{
		"base-url":    "no address for paper.example.org",
		"mail-server": "there is no host of this name",
		"from":        "no MX record and no address",
		"spf":         "example.org has no SPF record",
		"dkim":        "no record at d2026._domainkey.example.org",
		"dmarc":       "no DMARC record",
		"return-path": "no MX record and no address",
	}
	for _, f := range findings {
		if part, is := want[f.Check]; is != (f.Status == doctor.Wrong) || !strings.Contains(f.Found, part) || is &&
			f.Todo == "" {
			t.Errorf("%+v", f)
		}
		delete(want, f.Check)
	}
	if len(want) > 0 {
		t.Errorf("not told: %v", want)
	}
}

// TestDoctorLooks checks the facts about both kinds of database, and about their clocks.
func TestDoctorLooks(t *testing.T) {
	storetest.EachAddress(t, func(t *testing.T, database string) {
		at := func(now time.Time) doctor.Database {
			var c cli
			if _, _, err := parseArgs(&c, []string{"--database", database, "doctor"}, io.Discard); err != nil {
				t.Fatal(err)
			}
			e, err := newApp(&c, t.Context(), t.Context(), io.Discard, t.Output())
			must(t, err)
			e.clock = func() time.Time { return now }
			d, _ := e.lookAtDatabase()
			return d
		}
		complaint(t, "--database "+database+" user add ann@example.org --time-zone Asia/Tokyo", exitDone)
		now := time.Now()
		addReported(t, database, now)
		d := at(now.Add(-time.Hour))
		if len(d.Newsletters) != 1 || len(d.Reported.Totals) != 1 ||
			len(d.Reported.FailingSources("anna.example")) != 1 {
			t.Errorf("seen of newsletters and reports: %+v, %+v", d.Newsletters, d.Reported)
		}
		if !d.Read() || d.Readers != 1 || len(d.Zones["Asia/Tokyo"]) != 1 || strings.Contains(d.Name, "@") {
			t.Errorf("seen: %+v", d)
		}
		if server := d.File == ""; server && (d.Ahead-time.Hour).Abs() > time.Minute || !server && d.Ahead != 0 {
			t.Errorf("its clock is %s ahead", d.Ahead)
		}
	})
}

// addReported adds a newsletter of ann with its own domain, and stores a DMARC report about that domain.
func addReported(t *testing.T, database string, now time.Time) {
	t.Helper()
	st, err := store.Open(t.Context(), database)
	must(t, err)
	defer st.Close()
	ann, err1 := st.Readers.UserByEmail(t.Context(), "ann@example.org")
	n, err2 := st.Newsletters.AddNewsletter(t.Context(),
		digest.Newsletter{Slug: "anna", Name: "Anna", State: digest.NewsletterActive,
			Cadence: digest.Daily, AddressLine: "1 Street",
			Look: digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages}}, ann.ID, now)
	err3 := st.Newsletters.SetNewsletterDomain(t.Context(),
		newsletter.Domain{NewsletterID: n.ID, FromAddress: "letters@anna.example", Selector: "n1",
			CreatedAt: now})
	_, err4 := st.Editions.RecordDMARC(t.Context(),
		dmarc.Report{Reporter: "receiver.example", Domain: "anna.example", Begin: now.AddDate(0, 0, -2), End: now,
			Rows: []dmarc.Row{{Source: "203.0.113.9", From: "anna.example", Count: 1}}}, now)
	must(t, errors.Join(err1, err2, err3, err4))
}

// TestDoctorTriesTheKey checks that the doctor decrypts credentials with the existing key file for both kinds of
// database, and creates none.
func TestDoctorTriesTheKey(t *testing.T) {
	storetest.EachAddress(t, func(t *testing.T, database string) {
		dir := t.TempDir()
		right, wrong := filepath.Join(dir, "right"), filepath.Join(dir, "wrong")
		for _, file := range []string{right, wrong} {
			must(t, os.WriteFile(file, []byte(seal.New()+"\n"), 0o604))
		}
		st, err := store.Open(t.Context(), database)
		must(t, err)
		defer st.Close()
		st.Policy = storetest.Policy(time.Hour)
		must(t, st.Migrate(t.Context()))
		sealed, err := seal.In(right).Seal(digest.Credential{Reader: 1, Address: "https://a.example/feed", User: "ann",
			Password: "secret"})
		must(t, err)
		for _, f := range []digest.Feed{{URL: sealed.Address, Host: "a.example", Sealed: sealed.Sealed},
			{URL: "https://ann:secret@b.example/feed", Host: "b.example"},
			{URL: "https://b.example/@ann", Host: "b.example"}} {
			if _, _, err := st.Feeds.EnsureFeed(t.Context(), f); err != nil {
				t.Fatal(err)
			}
		}
		for file, lost := range map[string]int{right: 0, wrong: 1, filepath.Join(dir, "none"): 1} {
			var c cli
			if _, _, err := parseArgs(&c, []string{"--database", database, "--key-file", file, "doctor"},
				io.Discard); err != nil {
				t.Fatal(err)
			}
			a, err := newApp(&c, t.Context(), t.Context(), io.Discard, t.Output())
			must(t, err)
			d, k := a.lookAtDatabase()
			if !d.Read() || k.File != file || k.Feeds != 1 || k.Lost != lost || k.InClear != 1 ||
				strings.Contains(k.Why, "secret") || (k.Err == nil) != (filepath.Base(file) != "none") {
				t.Errorf("%s: %v: %+v", file, d.Err, k)
			}
			if want := fs.FileMode(0o604); k.Err == nil && k.Mode != want {
				t.Errorf("%s has the mode %04o", file, k.Mode)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
			t.Error("a key was made")
		}
	})
}

// TestDoctorLeavesAlone checks that the doctor does not create or change an unused database.
func TestDoctorLeavesAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	complaint(t, "migrate", exitDone)
	content, err := os.ReadFile("digest.db")
	must(t, err)
	content[18], content[19] = 1, 1 // as after VACUUM INTO: not in WAL mode
	for name, tt := range map[string]struct {
		content []byte
		want    string
	}{
		"copy.db":  {content, `"status":"warn","found":"copy.db is a copy`},
		"empty.db": {nil, `"status":"warn","found":"there is no database at empty.db yet"`},
	} {
		dir := t.TempDir()
		t.Chdir(dir)
		must(t, os.WriteFile(name, tt.content, 0o600))
		_, out, said := ran(t, "doctor", "--offline", "--json", "--database", name)
		if !strings.Contains(out, tt.want) {
			t.Errorf("%s: %s, %s", name, out, said)
		}
		after, err := os.ReadFile(filepath.Join(dir, name))
		if found, _ := os.ReadDir(dir); err != nil || string(after) != string(tt.content) || len(found) != 1 {
			t.Errorf("%s was changed (%v), or something made: %v", name, err, found)
		}
	}
}
