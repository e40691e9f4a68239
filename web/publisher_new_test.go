package web_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/web"
)

// beginning returns the form that creates a newsletter.
func beginning(address, slug string) url.Values {
	return url.Values{"address": {address}, "slug": {slug}, "name": {"Anna\nwrites & co"},
		"line": {"Anna, 1 Quay, Whitby"}, "description": {"Of boats."}}
}

// TestNewcomer checks that nobody can join a reader's newsletter until an operator approves it.
func TestNewcomer(t *testing.T) {
	each(t, func(r *room) {
		r.publish = web.PublishingAsk
		r.open("")
		b := r.blog(map[string]string{"/feed": rss("The blog itself", "One")})
		op := r.operator()
		anna, _ := r.reader("anna@example.org")
		anna.get("/settings").contains(".groups", "Publish")
		anna.get("/newsletters").shows(".more a", "Create a newsletter")
		anna.get("/newsletters/new").status(http.StatusOK)
		anna.post("/newsletters/new", beginning(b.URL+"/none", "anna-writes")).status(
			http.StatusUnprocessableEntity).contains(".wrong", "Nothing was changed")
		anna.post("/newsletters/new", beginning(b.URL+"/feed", "new")).status(http.StatusUnprocessableEntity).contains(
			".wrong", "The web address")
		bare := beginning(b.URL+"/feed", "anna-writes")
		bare.Del("line")
		anna.post("/newsletters/new", bare).status(http.StatusUnprocessableEntity).contains(".wrong",
			"a postal address")
		if all, err := r.store.Newsletters(r.t.Context()); err != nil || len(all) > 0 {
			r.t.Errorf("something of it stays: %+v, %v", all, err)
		}
		r.letters()
		r.now = r.now.Add(time.Hour)
		if to := anna.post("/newsletters/new", beginning(b.URL+"/feed", "Anna-Writes ")).status(
			http.StatusSeeOther).Header.Get("Location"); to != "/newsletters/anna-writes" {
			r.t.Errorf("led to %s", to)
		}
		if l := r.letter(); l.to != "ada@example.org" || strings.Contains(l.text, "boats") ||
			!strings.Contains(l.text, "/operator/newsletters#anna-writes") {
			r.t.Errorf("mailed to %s:\n%s", l.to, l.text)
		}
		anna.get("/newsletters/anna-writes").contains(".notice", "hasn’t approved this newsletter yet")
		r.visitor().get("/n/anna-writes").status(http.StatusNotFound)
		anna.post("/operator/newsletters/anna-writes/approve", nil).status(http.StatusNotFound)
		anna.post("/newsletters/anna-writes/release", nil).status(http.StatusForbidden)

		op.get("/operator").contains(".needs", "A newsletter is waiting for your approval")
		op.get("/operator/newsletters").contains("section", "Anna writes & co").contains("section",
			"anna@example.org").contains(".address", b.URL+"/feed")
		op.post("/operator/newsletters/anna-writes/hold", url.Values{"reason": {"x"}}).status(http.StatusBadRequest)
		op.post("/operator/newsletters/anna-writes/approve", nil).status(http.StatusSeeOther)
		if l := r.letter(); l.to != "anna@example.org" || !strings.Contains(l.subject, "is approved") {
			r.t.Errorf("mailed to %s: %s", l.to, l.subject)
		}
		r.visitor().get("/n/anna-writes").status(http.StatusOK)
		op.post("/operator/newsletters/anna-writes/approve", nil).status(http.StatusBadRequest)
		op.post("/operator/newsletters/anna-writes/hold",
			url.Values{"reason": {" "}}).status(http.StatusUnprocessableEntity)
		op.post("/operator/newsletters/anna-writes/hold",
			url.Values{"reason": {"look at your list"}}).status(http.StatusSeeOther)
		anna.get("/newsletters/anna-writes").contains(".notice", "look at your list")
		anna.post("/newsletters/anna-writes/release", nil).status(http.StatusForbidden)
		op.get("/operator/newsletters").contains("section", "last 30 days: emails 0")
		op.post("/operator/newsletters/anna-writes/release", nil).status(http.StatusSeeOther)
		op.post("/operator/newsletters/nobody/release", nil).status(http.StatusNotFound)
	})
}

// TestRefused checks that a rejected newsletter is deleted and its owner gets an email.
func TestRefused(t *testing.T) {
	each(t, func(r *room) {
		r.publish = web.PublishingAsk
		r.open("")
		b := r.blog(map[string]string{"/feed": rss("The blog itself", "One")})
		op := r.operator()
		anna, _ := r.reader("anna@example.org")
		for i, slug := range []string{"one", "two", "three", "four"} {
			want := http.StatusSeeOther
			if i == 3 {
				want = http.StatusUnprocessableEntity // the maximum that may wait
			}
			anna.post("/newsletters/new", beginning(b.URL+"/feed", slug)).status(want)
		}
		r.letters()
		op.post("/operator/newsletters/one/refuse", nil).status(http.StatusUnprocessableEntity).contains(".wrong",
			"Enter a reason")
		op.post("/operator/newsletters/one/refuse",
			url.Values{"reason": {"This is a shop.\r\nBcc: x@example.org"}}).status(http.StatusSeeOther)
		if l := r.letter(); l.to != "anna@example.org" ||
			!strings.Contains(strings.Join(strings.Fields(l.text), " "), "This is a shop. Bcc: x@example.org") {
			r.t.Errorf("mailed to %s:\n%s", l.to, l.text)
		}
		ben, _ := r.user("ben@example.org")
		anna.post("/newsletters/two/people", url.Values{"email": {"ben@example.org"}}).status(http.StatusSeeOther)
		anna.post("/newsletters/two/people/"+strconv.FormatInt(int64(ben.ID), 10)+
			"/owner", nil).status(http.StatusConflict)
		anna.post("/newsletters/three/end", url.Values{"slug": {"three"}}).status(http.StatusSeeOther)
		anna.get("/newsletters").shows(".groups a", "Anna writes & co")
		// Deleting the account also deletes its waiting newsletters.
		anna.post("/settings/delete", url.Values{"address": {"anna@example.org"}}).status(http.StatusSeeOther)
		if all, err := r.store.Newsletters(r.t.Context()); err != nil || len(all) > 0 {
			r.t.Errorf("still there: %+v, %v", all, err)
		}
		if _, err := r.store.NewsletterBySlug(r.t.Context(), "one"); digest.KindOf(err) != digest.NotFound {
			r.t.Errorf("it is still there: %v", err)
		}
	})
}

// TestPublishingClosed checks that closed publishing offers no form.
func TestPublishingClosed(t *testing.T) {
	each(t, func(r *room) {
		anna, d := r.reader("anna@example.org")
		anna.get("/newsletters/new").status(http.StatusForbidden).contains("main", "ask the operator")
		anna.post("/newsletters/new", beginning("https://anna.example/", "anna-writes")).status(http.StatusForbidden)
		if page := anna.get("/settings"); strings.Contains(page.body, `href="/newsletters"`) {
			r.t.Error("it is offered")
		}
		r.must(r.store.SetOperator(r.t.Context(), d.UserID, true))
		anna.get("/newsletters/new").status(http.StatusForbidden).contains("main", "run “digest newsletter create”")
	})
}

// TestArchiveIsNotLeft checks that an unsubscribe link cannot unsubscribe the archive of a newsletter.
func TestArchiveIsNotLeft(t *testing.T) {
	each(t, func(r *room) {
		anna, _ := r.user("anna@example.org")
		n := r.newsletter(anna)
		archive, err := r.store.Digest(r.t.Context(), n.ArchiveID)
		r.must(err)
		r.visitor().post(r.unsubscribePath(archive)+"/leave", nil).status(http.StatusConflict).contains("h1",
			"That isn’t possible right now")
		r.stands(archive, digest.DigestActive)
	})
}
