package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
)

// TestLettersOfPublisher checks that a publisher can change an issue before its day, read it while it waits, and find
// it later.
func TestLettersOfPublisher(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		const letters = "/newsletters/anna-writes/letters"
		v.get(letters).status(http.StatusOK).contains(".sheet", "No issues yet.").
			shows(".groups a", "Saturday 21 November 2026", "Sunday 22 November 2026", "Monday 23 November 2026",
				"Tuesday 24 November 2026", "Wednesday 25 November 2026", "Thursday 26 November 2026")
		set := func(date string, form url.Values) answer { return v.post(letters+"/"+date, form) }
		v.get(letters+"/2026-11-24").status(http.StatusOK).contains(".sheet", "You can edit this issue")
		set("2026-11-24", url.Values{"skip": {"1"}}).status(http.StatusSeeOther)
		v.get(letters+"/2026-11-24?saved=letter").contains(".notice", "We’ll skip this issue").has("[name=skip]",
			"checked", "")
		set("2026-12-24", url.Values{"subject": {"Of <b>boats</b>"}, "note": {"Back."}}).status(http.StatusSeeOther)
		page := v.get(letters).shows(".groups span", "skipped, its posts move to the next issue",
			"“Of <b>boats</b>”, with a note")
		if strings.Contains(page.body, "<b>boats") {
			r.t.Error("a subject is markup")
		}
		set("2026-12-24", url.Values{"subject": {strings.Repeat("x", 151)}}).status(
			http.StatusUnprocessableEntity).contains(".wrong", "too long")
		for _, none := range []string{"2026-11-20", "2026-11-19", "2027-11-23", "9999-12-31", "0001-01-01", "x",
			"2026-02-30"} {
			v.get(letters + "/" + none).status(http.StatusNotFound)
			v.get(letters + "/" + none + "/preview").status(http.StatusNotFound)
			set(none, url.Values{"skip": {"1"}}).status(http.StatusNotFound)
		}

		n.ApproveWithin = 6 * time.Hour
		r.must(r.store.SetNewsletter(r.t.Context(), n, r.now))
		v.get("/newsletters/anna-writes/next").shows(".sheet form .plain", "Approve issue", "Leave out",
			"Send test email")
		ahead := v.get(letters+"/2026-12-24").attrs(".sheet form", "action")
		v.post(ahead[len(ahead)-1], nil).status(http.StatusSeeOther)
		v.get(letters+"/2026-12-24").contains(".aside", "Issue approved")
		v.post(letters+"/2028-01-01/approve", nil).status(http.StatusNotFound)
		r.midnight()
		v.get(letters).shows("h2", "Waiting for approval", "Scheduled")
		const today = letters + "/2026-11-21"
		page = v.get(today+"?in=dark&on=desk").status(http.StatusOK).contains(".sheet", "is waiting for your approval")
		page.has("iframe.dark", "src", today+"/preview?layout=full&on=desk&in=dark")
		shown := v.get(page.attrs("iframe", "src")[0]).status(http.StatusOK)
		if !strings.Contains(shown.body, "The boat") || strings.Contains(shown.body, "/unsubscribe/") ||
			strings.Contains(shown.body, "/e/") ||
			!strings.Contains(shown.Header.Get("Content-Security-Policy"), "sandbox") {
			r.t.Errorf("the letter that waits is shown as %s", shown.body)
		}
		set("2026-11-21", url.Values{"skip": {"1"}}).status(http.StatusConflict).contains(".wrong",
			"This issue was already created").has("iframe.phone", "title", "Issue preview")
		v.post(page.attrs(".sheet form", "action")[0], nil).status(http.StatusSeeOther)
		v.get(letters).shows(".letters a", "Saturday 21 November 2026")
		v.get(today).contains(".sheet", "This issue was sent").has(".sheet p a", "href", letters,
			"/n/anna-writes/2026-11-21")

		r.must(r.store.SetNewsletterState(r.t.Context(), n.ID, digest.NewsletterEnded, "", r.now))
		v.get(letters).status(http.StatusOK).shows(".groups a")
		set("2026-11-24", url.Values{"skip": {"0"}}).status(http.StatusNotFound)
	})
}

// TestLetterThatWaitsFartherEast checks an issue that was created for only some members. The publisher can approve
// it, and still change its subject for the others.
func TestLetterThatWaitsFartherEast(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		n.ApproveWithin = 18 * time.Hour
		r.must(r.store.SetNewsletter(r.t.Context(), n, r.now))
		m := r.joined(n, "mo@example.org")
		r.now = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)
		r.midnightNow()
		const letter = "/newsletters/anna-writes/letters/2026-11-21"
		page := v.get(letter).status(http.StatusOK).contains(".sheet",
			"The issue of Saturday 21 November 2026 is waiting for your approval", "18 hours after",
			"You can edit this issue")
		page.shows(".sheet form button", "Approve issue", "Save changes")
		mo, err := r.store.Digest(r.t.Context(), m.DigestID)
		r.must(err)
		if e := r.edition(mo); !e.SendAt.After(r.now) {
			r.t.Fatalf("the copy does not wait: %+v", e)
		}
		v.post(letter+"/approve", nil).status(http.StatusSeeOther)
		if e := r.edition(mo); e.SendAt.After(r.now) {
			r.t.Errorf("the copy still waits: %+v", e)
		}
		v.get(letter).shows(".sheet form button", "Save changes").contains(".aside", "Issue approved")
	})
}
