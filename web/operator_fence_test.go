package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"digest"
)

// TestFenceIsSeen: while a fence stands, readers are told that all is paused, monitors that
// nothing is done, and the operator why, since when and what would go out; a button of
// the operator's, and of nobody else's, lets it go on.
func TestFenceIsSeen(t *testing.T) {
	each(t, func(r *room) {
		ada, d := r.user("ada@example.org")
		bob, _ := r.user("bob@example.org")
		r.arrives(d, digest.Post{Identity: "a", Title: "First light"})
		r.midnight()
		r.newsletter(ada)
		r.beats, r.fenced = true, true
		r.open("")
		r.must(r.store.Unfence(t.Context(), r.base, r.now))
		op, reader, newcomer := r.operator(), r.visitor().signIn(ada), r.visitor().signIn(bob)
		const paused = "Paused by whoever runs this"
		seen := func(want bool) {
			r.t.Helper()
			for _, v := range []*visitor{reader, newcomer} {
				if got := strings.Contains(v.get("/").status(http.StatusOK).body, paused); got != want {
					r.t.Errorf("Today says so: %t", got)
				}
			}
			if got := strings.Contains(r.visitor().get("/status?url=https://site.example/1").status(http.StatusOK).body, paused); got != want {
				r.t.Errorf("the status of a feed says so: %t", got)
			}
			if got := strings.Contains(reader.get("/newsletters/anna-writes").status(http.StatusOK).body, paused); got != want {
				r.t.Errorf("the page of a newsletter says so: %t", got)
			}
			health, text := http.StatusOK, "ok\n"
			if want {
				health, text = http.StatusServiceUnavailable, digest.Fenced+"\n"
			}
			if got := r.visitor().get("/healthz").status(health).body; got != text {
				r.t.Errorf("healthz says %q", got)
			}
			page := op.get("/operator").status(http.StatusOK)
			if got := strings.Contains(page.body, "Nothing is polled and nothing is mailed"); got != want {
				r.t.Errorf("the operator's page says so: %t", got)
			}
		}
		seen(false)
		op.post("/operator/fence/release", nil).status(http.StatusSeeOther)
		if page := op.get("/operator?saved=was-open"); !strings.Contains(page.body, "Nothing was changed.") {
			r.t.Error(page.body)
		}

		r.must(r.store.Unfence(t.Context(), "https://elsewhere.example", r.now))
		r.beforeMidnight(0)
		seen(true)
		if strings.Contains(reader.get("/editions").body, paused) {
			r.t.Error("the archive says so too")
		}
		page := op.get("/operator")
		for _, want := range []string{"was last at work as https://elsewhere.example, and this is " + r.base, "That is so since", "up to 4 editions would go out",
			"ada@example.org", "the one due", "digest fence", r.base + "</bdi> polls and mails"} {
			if !strings.Contains(page.body, want) {
				r.t.Errorf("the page does not say %q", want)
			}
		}
		if strings.Contains(page.body, "Nothing needs you") || strings.Contains(page.body, "The hourly job was last at work") {
			r.t.Error("the page says something else beside it")
		}

		reader.post("/operator/fence/release", nil).status(http.StatusNotFound)
		r.visitor().post("/operator/fence/release", url.Values{}).status(http.StatusSeeOther)
		seen(true)
		if to := op.post("/operator/fence/release", nil).status(http.StatusSeeOther).Header.Get("Location"); to != "/operator?saved=opened" {
			r.t.Errorf("it leads to %s", to)
		}
		if page := op.get("/operator?saved=opened"); !strings.Contains(page.body, "Released: this instance polls and mails again") {
			r.t.Error(page.body)
		}
		seen(false)
	})
}
