package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// hubAsk returns a request of the callback of a host.
func hubAsk(n digest.Newsletter, kind digest.HubCallKind, host, secret string) digest.HubCall {
	return digest.HubCall{
		NewsletterID: n.ID, Topic: "https://digest.example/n/" + n.Slug + "/feed.xml", Callback: "https://" + host +
			"/cb?id=1", Domain: host,
		Kind: kind, Secret: []byte(secret), Lease: digest.HubLease,
	}
}

// claimHub claims the due calls and describes them: "deliver reader.example s; …".
func (w world) claimHub(now time.Time) ([]digest.HubCall, string) {
	w.t.Helper()
	calls, err := w.ClaimHubCalls(w.ctx(), now, 10)
	w.ok(err)
	var all []string
	for _, c := range calls {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s", c.Kind, c.Domain, c.Secret)))
	}
	return calls, strings.Join(all, "; ")
}

// marks records the same result for all due calls.
func (w world) marks(now time.Time, m store.HubMark) string {
	w.t.Helper()
	calls, what := w.claimHub(now)
	for _, c := range calls {
		w.ok(w.MarkHubCall(w.ctx(), c, m, now))
	}
	return what
}

// subscribesAtHub requests a subscription and confirms it.
func (w world) subscribesAtHub(n digest.Newsletter, host, secret string, now time.Time) {
	w.t.Helper()
	w.ok(w.AskHub(w.ctx(), hubAsk(n, digest.HubSubscribe, host, secret), now))
	want(w.t, "verified", w.marks(now, store.HubMark{Outcome: digest.HubConfirmed}),
		strings.TrimSpace("subscribe "+host+" "+secret))
}

func (w world) announced(now time.Time) int {
	w.t.Helper()
	n, err := w.AnnounceLetters(w.ctx(), now)
	w.ok(err)
	return n
}

func (w world) hubSubscriptions(n digest.Newsletter, now time.Time) int {
	w.t.Helper()
	count, err := w.HubSubscriptions(w.ctx(), n.ID, now)
	w.ok(err)
	return count
}

// TestHubDelivers: an issue is delivered to a subscriber once, from its publication until the subscriber accepts it.
func TestHubDelivers(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), f)
		other := w.newsletter("other", w.reader("olga", "Europe/Paris"), w.feed("olga.example"))
		n.DeliverAt = 7 * time.Hour
		w.ok(w.SetNewsletter(w.ctx(), n, noon))
		w.subscribesAtHub(n, "reader.example", "s", noon)
		w.subscribesAtHub(other, "reader.example", "", noon)
		w.record(noon, f, posts(noon, "p"))
		want(w.t, "before midnight", w.announced(parisMidnight.Add(-time.Second)), 0)
		w.hour(parisMidnight)
		leaves := parisMidnight.Add(7 * time.Hour)
		want(w.t, "before it leaves", w.announced(leaves.Add(-time.Second)), 0)
		next, any, err := w.NextHubCall(w.ctx(), parisMidnight)
		w.ok(err)
		want(w.t, "the next look", any && next.Equal(leaves), true)
		want(w.t, "when it has left", w.announced(leaves), 1)
		want(w.t, "once more", w.announced(leaves), 0)

		calls, what := w.claimHub(leaves)
		want(w.t, "delivery", what, "deliver reader.example s")
		want(w.t, "of the letter", calls[0].LetterAt.Equal(leaves), true)
		_, what = w.claimHub(leaves)
		want(w.t, "while it is under way", what, "")
		w.ok(w.MarkHubCall(w.ctx(), calls[0], store.HubMark{Outcome: digest.HubRetried, Next: leaves.Add(time.Minute),
			Error: "500"}, leaves))
		want(w.t, "too early", w.marks(leaves.Add(59*time.Second), store.HubMark{}), "")
		want(w.t, "again", w.marks(leaves.Add(time.Minute),
			store.HubMark{Outcome: digest.HubDelivered, LetterAt: leaves}), "deliver reader.example s")
		want(w.t, "delivered", w.marks(leaves.Add(time.Hour), store.HubMark{}), "")
		want(w.t, "not again", w.announced(leaves.Add(time.Hour)), 0)
	})
}

// TestHubClaimIsOnes: an expired claim marks nothing. An issue that is announced during the delivery of an older one
// gets its own delivery.
func TestHubClaimIsOnes(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), f)
		w.subscribesAtHub(n, "reader.example", "s", noon)
		w.record(noon, f, posts(noon, "p"))
		w.hour(parisMidnight)
		want(w.t, "announced", w.announced(parisMidnight), 1)
		lost, _ := w.claimHub(parisMidnight)
		w.ok(w.GiveBackHubCall(w.ctx(), lost[0], parisMidnight.Add(time.Second)))
		calls, what := w.claimHub(parisMidnight.Add(time.Second))
		want(w.t, "given back", what, "deliver reader.example s")
		w.ok(w.MarkHubCall(w.ctx(), lost[0], store.HubMark{Outcome: digest.HubGone}, parisMidnight))
		want(w.t, "still there", w.hubSubscriptions(n, parisMidnight), 1)

		w.record(parisMidnight, f, posts(parisMidnight, "q"), "p")
		next := parisMidnight.AddDate(0, 0, 1)
		w.hour(next)
		want(w.t, "the second", w.announced(next), 1)
		w.ok(w.MarkHubCall(w.ctx(), calls[0], store.HubMark{Outcome: digest.HubDelivered, LetterAt: parisMidnight},
			next))
		want(w.t, "the second goes out", w.marks(next, store.HubMark{Outcome: digest.HubDelivered, LetterAt: next}),
			"deliver reader.example s")
		want(w.t, "all", w.marks(next.Add(time.Hour), store.HubMark{}), "")
	})
}

// TestHubEnds checks the ways in which subscriptions end.
func TestHubEnds(t *testing.T) {
	letters := func(w world, n digest.Newsletter, f digest.Feed, days int, m store.HubMark) {
		for day := range days {
			at := parisMidnight.AddDate(0, 0, day)
			w.record(at.Add(-time.Hour), f, posts(at.Add(-time.Hour), fmt.Sprint(day)))
			w.hour(at)
			want(w.t, "announced", w.announced(at), 1)
			want(w.t, "called", w.marks(at, m), "deliver reader.example s")
		}
	}
	for name, end := range map[string]func(w world, n digest.Newsletter, f digest.Feed){
		"gone": func(w world, n digest.Newsletter, f digest.Feed) {
			letters(w, n, f, 1, store.HubMark{Outcome: digest.HubGone})
		},
		"dead": func(w world, n digest.Newsletter, f digest.Feed) {
			letters(w, n, f, 3, store.HubMark{Outcome: digest.HubGivenUp})
		},
		"unsubscribed": func(w world, n digest.Newsletter, f digest.Feed) {
			w.ok(w.AskHub(w.ctx(), hubAsk(n, digest.HubUnsubscribe, "reader.example", ""), noon))
			want(w.t, "asked", w.marks(noon, store.HubMark{Outcome: digest.HubConfirmed}), "unsubscribe reader.example")
		},
		"not renewed": func(w world, n digest.Newsletter, f digest.Feed) { w.announced(noon.Add(digest.HubLease)) },
		"the newsletter ends": func(w world, n digest.Newsletter, f digest.Feed) {
			w.ok(w.SetNewsletterState(w.ctx(), n.ID, digest.NewsletterEnded, "", noon))
			want(w.t, "announced", w.announced(noon), 0)
			want(w.t, "told", w.marks(noon, store.HubMark{Outcome: digest.HubDelivered}), "denied reader.example s")
			want(w.t, "told again", w.announced(noon), 0)
		},
		"the newsletter is removed": func(w world, n digest.Newsletter, f digest.Feed) {
			w.ok(w.SetNewsletterState(w.ctx(), n.ID, digest.NewsletterEnded, "", noon))
			w.ok(w.RemoveNewsletter(w.ctx(), n.ID))
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w world) {
				f := w.feed("anna.example")
				n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), f)
				w.subscribesAtHub(n, "reader.example", "s", noon)
				end(w, n, f)
				count, err := w.HubCount(w.ctx(), noon)
				w.ok(err)
				want(t, "subscriptions left", count.Subscriptions, 0)
				want(t, "calls left", len(count.Calls), 0)
			})
		})
	}
}

// TestHubRenews: a request does not change the existing subscription until it is confirmed.
func TestHubRenews(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), f)
		w.subscribesAtHub(n, "reader.example", "first", noon)
		w.record(noon, f, posts(noon, "p"))
		w.hour(parisMidnight)
		w.announced(parisMidnight)
		w.ok(w.AskHub(w.ctx(), hubAsk(n, digest.HubSubscribe, "reader.example", "forged"), parisMidnight))
		want(w.t, "not confirmed", w.marks(parisMidnight, store.HubMark{Outcome: digest.HubRefused}),
			"subscribe reader.example forged")
		calls, what := w.claimHub(parisMidnight)
		want(w.t, "the letter", what, "deliver reader.example first")
		w.ok(w.MarkHubCall(w.ctx(), calls[0],
			store.HubMark{Outcome: digest.HubRetried, Next: parisMidnight.Add(time.Hour)}, parisMidnight))
		w.subscribesAtHub(n, "reader.example", "second", parisMidnight)
		want(w.t, "with the new secret", w.marks(parisMidnight.Add(time.Hour),
			store.HubMark{Outcome: digest.HubDelivered, LetterAt: parisMidnight}), "deliver reader.example second")
		want(w.t, "one subscription", w.hubSubscriptions(n, parisMidnight), 1)
		want(w.t, "renewed", w.hubSubscriptions(n, noon.Add(digest.HubLease)), 1)
	})
}

// TestHubClaims: one call for each domain is in flight, across all workers, and each call has one worker.
func TestHubClaims(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), w.feed("anna.example"))
		other := w.newsletter("other", w.reader("olga", "Europe/Paris"), w.feed("olga.example"))
		for _, host := range []string{"a.example", "b.example"} {
			w.ok(w.AskHub(w.ctx(), hubAsk(n, digest.HubSubscribe, host, "1"), noon))
			w.ok(w.AskHub(w.ctx(), hubAsk(other, digest.HubSubscribe, host, "2"), noon))
		}
		calls, what := w.claimHub(noon)
		want(w.t, "first", what, "subscribe a.example 1; subscribe b.example 1")
		_, what = w.claimHub(noon)
		want(w.t, "meanwhile", what, "")
		w.ok(w.MarkHubCall(w.ctx(), calls[1], store.HubMark{Outcome: digest.HubRefused}, noon))
		_, what = w.claimHub(noon)
		want(w.t, "then", what, "subscribe b.example 2")
		_, what = w.claimHub(noon.Add(5*time.Minute + time.Second))
		want(w.t, "whose worker died", what, "subscribe a.example 1; subscribe b.example 2")
	})
}

// TestHubIsNoAmplifier: the hub soon stops requests to a domain that confirms nothing.
func TestHubIsNoAmplifier(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), w.feed("anna.example"))
		ask := hubAsk(n, digest.HubSubscribe, "victim.example", "")
		calls := 0
		now := noon
		for i := range 200 {
			now = now.Add(time.Second)
			ask.Callback = fmt.Sprintf("https://victim.example/%d", i)
			if err := w.AskHub(w.ctx(), ask, now); err != nil {
				want(w.t, "kind", digest.KindOf(err), digest.Unavailable)
				continue
			}
			claimed, _ := w.claimHub(now)
			for _, c := range claimed {
				calls++
				w.ok(w.MarkHubCall(w.ctx(), c, store.HubMark{Outcome: digest.HubRefused}, now))
			}
		}
		want(w.t, "calls of the victim", calls, 11)
		ask.Callback, ask.Domain = "https://other.example/", "other.example"
		w.ok(w.AskHub(w.ctx(), ask, now))
		ask.Callback, ask.Domain = "https://victim.example/", "victim.example"
		w.ok(w.AskHub(w.ctx(), ask, now.Add(2*time.Hour)))

		// An unsubscribe request without a subscription causes no call.
		w.ok(w.AskHub(w.ctx(), hubAsk(n, digest.HubUnsubscribe, "nobody.example", ""), now))
		calls2, _ := w.claimHub(now.Add(3 * time.Hour))
		want(w.t, "asked of nobody",
			slices.ContainsFunc(calls2, func(c digest.HubCall) bool { return c.Domain == "nobody.example" }), false)
	})
}
