package main

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// TestNewsletterEmptied checks that "" removes a text, that missing flags change nothing, and that no text affects a
// terminal.
func TestNewsletterEmptied(t *testing.T) {
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Chdir(t.TempDir())
		t.Setenv("DIGEST_DATABASE", database)
		c := &console{t: t}
		c.run(exitDone, "user", "add", "ann@example.org", "--time-zone", "UTC")
		st, err := store.Open(t.Context(), database)
		must(t, err)
		defer st.Close()
		u, err := st.Readers.UserByEmail(t.Context(), "ann@example.org")
		must(t, err)
		full := digest.Newsletter{Slug: "boats", Name: "Of boats", Cadence: digest.Daily,
			State: digest.NewsletterActive,
			Look:  digest.Look{Layout: digest.FullText, Images: digest.NoImages}, Description: "About\nboats.",
			SiteURL:     "https://boats.example/",
			AddressLine: "Ann, 1 Quay", FromName: "Ann", ReplyTo: "ann@boats.example", HeaderText: "Above.",
			FooterText: "Below."}
		if _, err := st.Newsletters.AddNewsletter(t.Context(), full, u.ID,
			time.Date(2026, time.March, 4, 8, 0, 0, 0, time.UTC)); err != nil {
			t.Fatal(err)
		}
		set := func(status int, args ...string) (string, digest.Newsletter) {
			t.Helper()
			said := c.run(status, append([]string{"newsletter", "set", "boats"}, args...)...)
			n, err := st.Newsletters.NewsletterBySlug(t.Context(), "boats")
			must(t, err)
			return said, n
		}
		texts := func(n digest.Newsletter) string {
			return strings.Join([]string{n.Name, n.Description, n.SiteURL, n.AddressLine, n.FromName, n.ReplyTo,
				n.HeaderText, n.FooterText}, "|")
		}
		if _, n := set(exitDone, "--layout", "headlines"); texts(n) != texts(full) {
			t.Errorf("what was not given is %q", texts(n))
		}
		if shown := c.run(exitDone, "newsletter", "show", "boats"); !strings.Contains(shown,
			"description: About boats.\nsite: https://boats.example/\naddress line: Ann, 1 Quay\nfrom: "+
				"Ann\nreplies go to: ann@boats.example\nheader: Above.\n") {
			t.Errorf("shown: %s", shown)
		}
		if said, _ := set(exitFailed, "--name", ""); !strings.Contains(said, "enter a name for the newsletter") {
			t.Errorf("without a name: %s", said)
		}
		if said, n := set(exitDone, "--name", "Of\u202e \x1b[2Jboats", "--description",
			"a\n\x1bb\u202e"); n.Name != "Of [2Jboats" || n.Description != "a\n b" ||
			strings.ContainsAny(said, "\x1b\u202e") {
			t.Errorf("named %q, %q: %q", n.Name, n.Description, said)
		}
		if _, n := set(exitDone, "--description=", "--site=", "--address-line=", "--from-name=", "--replies-to=",
			"--header=", "--footer="); texts(n) != "Of [2Jboats|||||||" {
			t.Errorf("what was emptied is %q", texts(n))
		}
	})
}
