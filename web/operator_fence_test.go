package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
)

// TestFenceIsSeen checks that readers see that the instance is paused, monitors get an error, and
// the operator sees the reason and the waiting editions. Only the operator has the button that
// releases the fence.
func TestFenceIsSeen(t *testing.T) {
	each(t, func(r *room) {
		ada, d := r.user("ada@example.org")
		bob, _ := r.user("bob@example.org")
		r.arrives(d, digest.Post{Identity: "a", Title: "First light"})
		r.midnight()
		r.newsletter(ada)
		r.beats, r.fenced = true, true
		r.open("")
		r.must(r.store.Operator.Unfence(t.Context(), r.base, r.now))
		op, reader, newcomer := r.operator(), r.visitor().signIn(ada), r.visitor().signIn(bob)
		const paused = "The operator of this site has paused it."
		seen := func(want bool) {
			r.t.Helper()
			for _, v := range []*visitor{reader, newcomer} {
				if got := strings.Contains(v.get("/").status(http.StatusOK).body, paused); got != want {
					r.t.Errorf("Today says so: %t", got)
				}
			}
			if got := strings.Contains(r.visitor().get("/status?url=https://site.example/1").status(http.StatusOK).body,
				paused); got != want {
				r.t.Errorf("the status of a feed says so: %t", got)
			}
			if got := strings.Contains(reader.get("/newsletters/anna-writes").status(http.StatusOK).body,
				paused); got != want {
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
			if got := strings.Contains(page.body, "Fenced: polling and email are stopped"); got != want {
				r.t.Errorf("the operator's page says so: %t", got)
			}
		}
		seen(false)
		op.post("/operator/fence/release", nil).status(http.StatusSeeOther)
		if page := op.get("/operator?saved=was-open"); !strings.Contains(page.body, "Nothing was changed.") {
			r.t.Error(page.body)
		}

		r.must(r.store.Operator.Unfence(t.Context(), "https://elsewhere.example", r.now))
		_, cyd := r.user("cyd@example.org")
		r.brings(digest.Subscription{DigestID: cyd.ID}, "A quiet site")
		r.arrives(d, digest.Post{Identity: "b", Title: "Second light"})
		r.beforeMidnight(0)
		seen(true)
		if strings.Contains(reader.get("/editions").body, paused) {
			r.t.Error("the archive says so too")
		}
		page := op.get("/operator")
		for _, want := range []string{"was last at work as https://elsewhere.example, and this is " + r.base,
			"Last hourly job:", "Releasing the fence sends up to 1 edition. 1 more reader gets an edition if " +
				"their feeds have new posts.",
			"ada@example.org", "edition due", "digest fence", r.base + "</bdi> polls and sends"} {
			if !strings.Contains(page.body, want) {
				r.t.Errorf("the page does not say %q", want)
			}
		}
		if strings.Contains(page.body, "Nothing needs you") ||
			strings.Contains(page.body, "The hourly job isn’t running") {
			r.t.Error("the page says something else beside it")
		}

		reader.post("/operator/fence/release", nil).status(http.StatusNotFound)
		r.visitor().post("/operator/fence/release", url.Values{}).status(http.StatusForbidden)
		seen(true)
		if to := op.post("/operator/fence/release", nil).status(http.StatusSeeOther).Header.Get(
			"Location"); to != "/operator?saved=opened" {
			r.t.Errorf("it leads to %s", to)
		}
		if page := op.get("/operator?saved=opened"); !strings.Contains(page.body,
			"Fence released. Polling and email start") {
			r.t.Error(page.body)
		}
		seen(false)
	})
}

// TestReleaseWithoutOldMail checks that an operator can release the fence and leave older editions
// unmailed.
func TestReleaseWithoutOldMail(t *testing.T) {
	each(t, func(r *room) {
		_, d := r.user("ada@example.org")
		webOnly, e := r.user("web@example.org")
		r.must(r.store.Readers.SetMailed(t.Context(), e.ID, false, r.now))
		r.arrives(d, digest.Post{Identity: "a", Title: "First light"})
		r.arrives(e, digest.Post{Identity: "b", Title: "Second light"})
		r.beforeMidnight(0)
		r.now = r.now.Add(time.Hour)
		r.beats, r.fenced = true, true
		r.open("")
		r.must(r.store.Operator.Unfence(t.Context(), "https://elsewhere.example", r.now))
		op := r.operator()
		page := op.get("/operator").status(http.StatusOK)
		field := `name="before" type="datetime-local" value="` + r.now.UTC().Format("2006-01-02T15:04")
		for _, want := range []string{"Releasing the fence sends up to 1 edition", "ada@example.org", field} {
			if !strings.Contains(page.body, want) {
				r.t.Errorf("the page does not say %q: %s", want, page.body)
			}
		}
		if strings.Contains(page.body, webOnly.Email) {
			r.t.Error("it names a reader who gets no mail")
		}
		for _, bad := range []string{"yesterday", r.now.UTC().Add(time.Hour).Format("2006-01-02T15:04")} {
			op.post("/operator/fence/release", url.Values{"before": {bad}}).status(http.StatusBadRequest)
		}
		before := r.now.UTC().Format("2006-01-02T15:04")
		released := op.post("/operator/fence/release", url.Values{"before": {before}}).status(http.StatusSeeOther)
		to := released.Header.Get("Location")
		if page := op.get(to); !strings.Contains(page.body,
			"Editions due before the chosen time stay on the web and aren’t emailed.") {
			r.t.Error(to, page.body)
		}
		r.midnightNow()
		editions, err := r.store.Editions.Editions(t.Context(), d.ID, 9)
		r.must(err)
		if len(editions) != 1 || editions[0].State != digest.EditionUnmailed {
			r.t.Errorf("the editions are %+v", editions)
		}
	})
}

// TestPruneWaitsOnThePage checks that the operator sees a waiting prune until it is confirmed.
func TestPruneWaitsOnThePage(t *testing.T) {
	each(t, func(r *room) {
		_, d := r.user("ada@example.org")
		for i := range 12 {
			r.arrives(d, digest.Post{Identity: fmt.Sprint(i), Title: fmt.Sprint("Light ", i)})
			r.midnight()
		}
		op := r.operator()
		const week = 7 * 24 * time.Hour
		later := r.now.Add(30 * 24 * time.Hour)
		if _, waits, err := r.store.Operator.AdmitPrune(t.Context(), later, week); err != nil || waits == nil {
			t.Fatal(waits, err)
		}
		const says = "DIGEST_KEEP would delete 12 of 12 editions and 0 of 12 posts. Set a longer time, or run " +
			"“digest prune"
		if words := strings.Join(op.get("/operator").texts(".needs li"), " "); !strings.Contains(words, says) {
			t.Errorf("the page says %q", words)
		}
		r.must(r.store.Operator.ConfirmPrune(t.Context(), later.Add(-week)))
		if words := strings.Join(op.get("/operator").texts(".needs li"), " "); strings.Contains(words, "DIGEST_KEEP") {
			t.Errorf("confirmed, the page says %q", words)
		}
	})
}
