package main

import (
	"io"
	"mime/quotedprintable"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// TestReadersAreToldOfLinkChanges checks that one email in the reader's language lists the changes by links, with a
// link that undoes each. It is sent later if the mail server is down, and never to a suppressed address.
func TestReadersAreToldOfLinkChanges(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, storetest.CopySQLite("digest.db"))
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	st, err := store.Open(t.Context(), "digest.db")
	must(t, err)
	secret, err := st.Secret(t.Context())
	must(t, err)
	var ids []digest.DigestID
	for _, email := range []string{"ann@example.org", "bob@example.org"} {
		u, d, err := st.Readers.AddUser(t.Context(), email, "Europe/Paris", noon)
		if err == nil {
			err = st.Readers.SetLanguage(t.Context(), u.ID, "de")
		}
		by := store.LinkUse{DigestID: d.ID, EmailDate: digest.Date{Year: 2026, Month: 11, Day: 19}}
		if err == nil {
			err = st.ByLink(t.Context(), by, noon,
				func(st *store.Store) error {
					return st.Readers.SetCadence(t.Context(), d.ID, digest.Monthly(1),
						noon)
				})
		}
		if err == nil {
			err = st.ByLink(t.Context(), by, noon,
				func(st *store.Store) error {
					return st.Readers.SetDigestState(t.Context(), d.ID, digest.DigestLeft,
						noon)
				})
		}
		must(t, err)
		ids = append(ids, d.ID)
	}
	must(t, st.Editions.Suppress(t.Context(), digest.Suppression{Email: "bob@example.org",
		Reason:    digest.ForComplaint,
		CreatedAt: noon}))
	must(t, st.Close())
	tick := func(after time.Duration, mail string) {
		t.Helper()
		complaint(t, "tick --mail "+mail+" --now "+noon.Add(after).Format(time.RFC3339), exitDone)
	}
	tick(15*time.Minute, "smtp+insecure://127.0.0.1:1")
	tick(20*time.Minute, "maildir:mail")
	if got := mailIn(t); len(got) != 0 {
		t.Fatalf("it was sent at once again: %s", got)
	}
	tick(time.Hour, "maildir:mail")
	tick(30*time.Hour, "maildir:mail")
	got := mailIn(t)
	if len(got) != 1 {
		t.Fatalf("%d emails", len(got))
	}
	signer := digest.NewSigner(secret)
	for _, want := range []string{
		"To: <ann@example.org>", "Ein_Link_in_Ihrer_E-Mail_hat_Ihre_Einstellungen", "Auto-Submitted:",
		"Sie bekommen Daily Digest jetzt am 1. jedes Monats. Jemand hat dafür einen Link in Ihrer E-Mail vom 19. " +
			"November 2026 benutzt.",
		"Daily Digest wurde für Sie abbestellt. Jemand hat dafür einen Link in Ihrer E-Mail vom 19. November " +
			"2026 benutzt.",
		"http://localhost:8080/undo/" + signer.SignPair(digest.ForUndo, int64(ids[0]), 1),
		"http://localhost:8080/undo/" + signer.SignPair(digest.ForUndo, int64(ids[0]), 2),
		"http://localhost:8080/settings/links",
	} {
		if !strings.Contains(got[0], want) {
			t.Errorf("no %q in\n%s", want, got[0])
		}
	}
}

func mailIn(t *testing.T) (all []string) {
	t.Helper()
	files, err := filepath.Glob("mail/new/*")
	must(t, err)
	for _, name := range files {
		f, err := os.Open(name)
		must(t, err)
		text, err := io.ReadAll(quotedprintable.NewReader(f))
		f.Close()
		must(t, err)
		all = append(all, strings.Join(strings.Fields(string(text)), " "))
	}
	return all
}
