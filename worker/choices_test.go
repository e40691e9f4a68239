package worker_test

import (
	"strings"
	"testing"

	"digest"
	"digest/store"
	"digest/store/storetest"
	"digest/worker"
)

// TestWhatReadersChoose holds that filters hold posts back and that paused subscriptions are not polled. A
// reader without mail gets an edition and no message. A traveller's edition comes at midnight of the trip's
// time zone.
func TestWhatReadersChoose(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		h := newHouse(t, st, "2026-10-01 12:00")
		news, quiet := newSite(t), newSite(t)
		news.publish("Old")
		quiet.publish("Old too")
		ada := h.reader("ada@example.org", "Europe/Paris", news, quiet)
		bob := h.reader("bob@example.org", "Europe/Paris", news)
		ok := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		ctx := t.Context()
		_, err := st.Subscriptions.AddFilter(ctx, digest.Filter{DigestID: ada.ID, Words: "spoiler"}, h.clock)
		ok(err)
		subs, err := st.Subscriptions.Subscriptions(ctx, ada.ID)
		ok(err)
		ok(st.Subscriptions.PauseSubscription(ctx, ada.ID, subs[1].FeedID))
		ok(st.Readers.SetMailed(ctx, bob.ID, false, h.clock))
		from, to := digest.Date{Year: 2026, Month: 10, Day: 3}, digest.Date{Year: 2026, Month: 10, Day: 4}
		_, err = st.Readers.AddStay(ctx, digest.Stay{UserID: ada.UserID, From: from, To: to, TimeZone: "Asia/Tokyo"},
			h.clock)
		ok(err)

		news.publish("A SPOILER", "News")
		h.tick("2026-10-01 22:00", worker.Summary{Polled: 1, Changed: 1, Posts: 2, Editions: 2, Sent: 1})
		_, text := h.inbox()
		if strings.Contains(text, "SPOILER") || !strings.Contains(text, "News") {
			t.Errorf("the mail is\n%s", text)
		}
		if asked := quiet.requests(); asked != "" {
			t.Errorf("a feed at rest was asked: %v", asked)
		}
		h.tick("2026-10-02 13:30", worker.Summary{})
		news.publish("A spoiler again")
		h.tick("2026-10-02 15:00", worker.Summary{Polled: 1, Changed: 1, Posts: 1}) // Tokyo's: no post is left
		held, err := st.Subscriptions.HeldPosts(ctx, ada.ID, h.clock.AddDate(1, 0, 0), 9)
		ok(err)
		if len(held) != 2 {
			t.Errorf("%d posts are held back", len(held))
		}
		editions, err := st.Editions.Editions(ctx, bob.ID, 9)
		ok(err)
		if len(editions) != 1 || editions[0].State != digest.EditionUnmailed || editions[0].Error != "web only" {
			t.Errorf("the editions are %+v", editions)
		}
	})
}
