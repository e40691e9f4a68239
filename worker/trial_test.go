package worker_test

import (
	"net/http"
	"strings"
	"testing"

	"digest"
)

// TestS20_GoneOnTrial has a dead feed that answers 410 on its trial. The subscriptions end as with any
// other feed, and the readers learn it.
func TestS20_GoneOnTrial(t *testing.T) {
	eachDatedHouse(t, func(t *testing.T, h *house, p *site) {
		ann := h.d
		h.hours("2026-11-19 00:00", 1, p)
		p.says(http.StatusInternalServerError)
		h.hours("2026-11-20 00:00", 1, p)
		h.hours("2027-02-20 00:00", 1, p)
		if f := h.feed(p); f.State != digest.FeedDead {
			t.Fatalf("after 92 days of errors it is %s", f.State)
		}
		h.hours("2027-02-22 00:00", 1, p)
		p.says(http.StatusGone)
		h.set("2027-02-22 12:00")
		ok(t, h.st.Feeds.Pinged(t.Context(), []string{p.URL + "/feed.xml"}, h.clock))
		h.tick("2027-02-22 12:05", "Polled:1 Failed:1")
		subs, err := h.st.Subscriptions.Subscriptions(t.Context(), ann.ID)
		ok(t, err)
		if f := h.feed(p); f.State != digest.FeedGone || len(subs) != 0 {
			t.Errorf("it is %s, and %d are still subscribed", f.State, len(subs))
		}
		h.inbox()
		h.hours("2027-02-23 00:00", 1, p)
		if _, text := h.inbox(); !strings.Contains(text, "has removed its feed") {
			t.Errorf("the reader is not told:\n%s", text)
		}
	})
}
