package main

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// TestNewsletterApproved checks that the operator can decide once about a requested newsletter, and that its owner is
// notified.
func TestNewsletterApproved(t *testing.T) {
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
		for _, slug := range []string{"boats", "kites"} {
			if _, err := st.Newsletters.AddNewsletter(t.Context(), digest.Newsletter{Slug: slug, Name: "Of " +
				slug, Cadence: digest.Daily, State: digest.NewsletterPending,
				Look: digest.Look{Layout: digest.FullText, Images: digest.NoImages}}, u.ID,
				time.Date(2026, time.March, 4, 8, 0, 0, 0, time.UTC)); err != nil {
				t.Fatal(err)
			}
		}
		says := func(status int, want string, args ...string) {
			t.Helper()
			if out := c.run(status, append([]string{"newsletter"}, args...)...); !strings.Contains(out, want) {
				t.Errorf("%v: %s", args, out)
			}
		}
		says(exitFailed, "waits for approval: digest newsletter approve boats", "release", "boats")
		says(exitFailed, "waits for approval", "hold", "boats")
		says(exitDone, "boats: Of boats, active", "approve", "boats")
		says(exitFailed, "boats is active; it does not wait", "approve", "boats")
		says(exitFailed, "boats is active; it does not wait", "refuse", "boats", "no")
		says(exitFailed, "write the reason in one line", "refuse", "kites", " ")
		says(exitDone, "refused and removed kites", "refuse", "kites", "There are\nenough of them.")
		says(exitFailed, "there is no such newsletter", "show", "kites")
		boats, err := st.Newsletters.NewsletterBySlug(t.Context(), "boats")
		must(t, err)
		for _, wanted := range []string{"PayPal Security", "Of ships"} {
			boats.WantedName = wanted
			must(t, st.Newsletters.SetNewsletter(t.Context(), boats,
				time.Date(2026, time.March, 4, 9, 0, 0, 0, time.UTC)))
			says(exitDone, "name that waits for approval: "+wanted, "show", "boats")
			if wanted == "PayPal Security" {
				says(exitDone, "boats keeps its name", "refuse", "boats", "You are not PayPal.")
			}
		}
		says(exitDone, "boats: Of ships, active", "approve", "boats")
		says(exitFailed, "boats is active; it does not wait", "approve", "boats")
		says(exitFailed, "at most 60 characters and no @", "set", "boats", "--name", "see evil.com")
		says(exitDone, "boats: Of boats, active", "set", "boats", "--name", "Of boats")
		mail := c.mails()["ann"]
		for _, has := range []string{"Subject: Of boats is approved", "Subject: Of kites was not approved",
			"did not approve your newsletter. Their reason:", "There are enough of them.",
			"Subject: The new name for Of boats was not approved", "Their reason: You are not PayPal.",
			"Subject: Of ships is approved"} {
			if !strings.Contains(mail, has) {
				t.Errorf("nobody is told %q in %s", has, mail)
			}
		}
	})
}
