package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestLinkChanges: the store records each change by a link. An undo restores the value once.
func TestLinkChanges(t *testing.T) {
	week := parisMidnight.Add(7 * day)
	type scene struct {
		world
		d    digest.Digest
		f, g digest.Feed
	}
	for _, test := range []struct {
		name   string
		before func(s *scene) // changes that the owner made earlier
		change func(s *scene, st *store.Store) error
		want   string
	}{
		{"pause", nil, func(s *scene, st *store.Store) error {
			return st.Readers.PauseDigest(s.ctx, s.d.ID, week,
				noon)
		},
			fmt.Sprintf("Daily Digest state: active -> paused %d", week.Unix())},
		{"pause without an end", nil,
			func(s *scene, st *store.Store) error {
				return st.Readers.PauseDigest(s.ctx, s.d.ID, time.Time{}, noon)
			},
			"Daily Digest state: active -> paused"},
		{"resume", func(s *scene) { s.ok(s.Readers.PauseDigest(s.ctx, s.d.ID, week, noon)) },
			func(s *scene, st *store.Store) error { return st.Readers.ResumeDigest(s.ctx, s.d.ID, noon) },
			fmt.Sprintf("Daily Digest state: paused %d -> active", week.Unix())},
		{"a longer pause", func(s *scene) { s.ok(s.Readers.PauseDigest(s.ctx, s.d.ID, week, noon)) },
			func(s *scene, st *store.Store) error {
				return st.Readers.PauseDigest(s.ctx, s.d.ID, time.Time{}, noon)
			},
			fmt.Sprintf("Daily Digest state: paused %d -> paused", week.Unix())},
		{"stop", nil, func(s *scene, st *store.Store) error {
			return st.Readers.SetDigestState(s.ctx, s.d.ID, digest.DigestLeft, noon)
		}, "Daily Digest state: active -> left"},
		{"stop a pause", func(s *scene) { s.ok(s.Readers.PauseDigest(s.ctx, s.d.ID, week, noon)) },
			func(s *scene, st *store.Store) error {
				return st.Readers.SetDigestState(s.ctx, s.d.ID, digest.DigestLeft, noon)
			}, fmt.Sprintf("Daily Digest state: paused %d -> left", week.Unix())},
		{"start again", func(s *scene) { s.ok(s.Readers.SetDigestState(s.ctx, s.d.ID, digest.DigestLeft, noon)) },
			func(s *scene, st *store.Store) error {
				_, _, err := st.Readers.BringBack(s.ctx, s.d.ID, noon)
				return err
			}, "Daily Digest state: left -> active"},
		{"days", nil, func(s *scene, st *store.Store) error {
			return st.Readers.SetCadence(s.ctx, s.d.ID, digest.Monthly(1),
				noon)
		}, "Daily Digest days: daily -> monthly"},
		{"display", nil, func(s *scene, st *store.Store) error {
			return st.Subscriptions.SetSubscription(s.ctx,
				digest.Subscription{DigestID: s.d.ID, FeedID: s.f.ID, Title: "Mine",
					Folder: "News", Display: digest.Headlines})
		}, "Mine display: full -> headlines"},
		{"pause a site", nil, func(s *scene, st *store.Store) error {
			return st.Subscriptions.PauseSubscriptionUntil(s.ctx, s.d.ID,
				s.f.ID, week)
		},
			fmt.Sprintf("Mine subscription: active -> paused %d", week.Unix())},
		{"resume a site", func(s *scene) { s.ok(s.Subscriptions.PauseSubscription(s.ctx, s.d.ID, s.f.ID)) },
			func(s *scene, st *store.Store) error {
				return st.Subscriptions.ResumeSubscription(s.ctx, s.d.ID, s.f.ID, noon)
			},
			"Mine subscription: paused -> active"},
		{"leave a site", nil, func(s *scene, st *store.Store) error {
			return st.Subscriptions.Unsubscribe(s.ctx,
				s.d.ID, s.f.ID)
		},
			"Mine subscription: active -> left"},
		{"leave a paused site", func(s *scene) {
			s.ok(s.Subscriptions.PauseSubscriptionUntil(s.ctx, s.d.ID, s.f.ID,
				week))
		},
			func(s *scene, st *store.Store) error { return st.Subscriptions.Unsubscribe(s.ctx, s.d.ID, s.f.ID) },
			fmt.Sprintf("Mine subscription: paused %d -> left", week.Unix())},
		{"return to a site", func(s *scene) { s.ok(s.Subscriptions.Unsubscribe(s.ctx, s.d.ID, s.f.ID)) },
			func(s *scene, st *store.Store) error {
				_, err := st.Subscriptions.Resubscribe(s.ctx, s.d.ID, []digest.FeedID{s.f.ID}, noon)
				return err
			}, "Mine subscription: left -> active"},
		{"replace a site", nil, func(s *scene, st *store.Store) error {
			if _, err := st.Subscriptions.Subscribe(s.ctx, digest.Subscription{DigestID: s.d.ID, FeedID: s.g.ID},
				noon); err != nil {
				return err
			}
			return st.Subscriptions.ReplaceSubscription(s.ctx, s.d.ID, s.f.ID, s.g.ID)
		}, "Mine feed: 1 -> 2"},
		{"nothing", nil, func(s *scene, st *store.Store) error {
			return st.Readers.SetCadence(s.ctx, s.d.ID, digest.Daily,
				noon)
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			each(t, func(w world) {
				s := scene{world: w, d: w.reader("ada"), f: w.feed("f.example"), g: w.feed("g.example")}
				must(w.Subscriptions.Subscribe(w.ctx,
					digest.Subscription{DigestID: s.d.ID, FeedID: s.f.ID, Title: "Mine",
						Folder: "News", Display: digest.FullText}, noon))
				w.filter(s.d, "football", s.f)
				w.record(noon, s.f, posts(noon, "a"))
				if test.before != nil {
					test.before(&s)
				}
				was, waited := w.linkSetting(s.d), w.waiting(s.d)
				w.byLink(s.d, noon, func(st *store.Store) error { return test.change(&s, st) })
				want(w, "recorded", w.recorded(s.d), test.want)
				if test.want == "" {
					return
				}
				x := w.linkChanges(s.d)[0]
				want(w, "by the email of", x.EmailDate.String(), "2026-11-18")
				v := must(w.Readers.LinkChange(w.ctx, s.d.ID, x.ID, noon))
				want(w, "stands", v.Standing, store.LinkOpen)
				v = must(w.Readers.UndoLinkChange(w.ctx, s.d.ID, x.ID, noon.Add(time.Minute)))
				want(w, "undone", fmt.Sprint(v.Standing, v.Done), fmt.Sprint(store.LinkUndone, true))
				want(w, "as it was", w.linkSetting(s.d), was)
				want(w, "what waits", w.waiting(s.d), waited)
				v = must(w.Readers.UndoLinkChange(w.ctx, s.d.ID, x.ID, noon.Add(time.Hour)))
				want(w, "once", fmt.Sprint(v.Standing, v.Done), fmt.Sprint(store.LinkUndone, false))
				w.byLink(s.d, noon.Add(2*time.Hour), func(st *store.Store) error { return test.change(&s, st) })
				want(w, "recorded once more", strings.Count(w.recorded(s.d), "->"), 2)
			})
		})
	}
}

// TestUndoOfOldAndOtherChanges: nobody can undo a change that was overwritten, that is too old, or that is in
// another reader's digest.
func TestUndoOfOldAndOtherChanges(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		w.byLink(ada, noon, func(st *store.Store) error {
			return st.Readers.SetCadence(w.ctx, ada.ID, digest.Workdays,
				noon)
		})
		id := w.linkChanges(ada)[0].ID
		w.setCadence(ada, digest.Monthly(3), noon)
		v := must(w.Readers.UndoLinkChange(w.ctx, ada.ID, id, noon))
		want(w, "superseded", v.Standing, store.LinkSuperseded)
		want(w, "stays", w.again(ada).Cadence, digest.Monthly(3))
		w.setCadence(ada, digest.Workdays, noon)
		oneLine(w, err2(w.Readers.UndoLinkChange(w.ctx, bob.ID, id, noon)), digest.NotFound)
		oneLine(w, err2(w.Readers.UndoLinkChange(w.ctx, ada.ID, id, noon.Add(digest.LinkUndoTime))), digest.NotFound)
		want(w, "stays", w.again(ada).Cadence, digest.Workdays)

		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.byLink(ada, noon, func(st *store.Store) error { return st.Subscriptions.Unsubscribe(w.ctx, ada.ID, f.ID) })
		w.exec(`DELETE FROM former_subscriptions`)
		oneLine(w, err2(w.Readers.UndoLinkChange(w.ctx, ada.ID, w.linkChanges(ada)[0].ID, noon)), digest.Conflict)
	})
}

// TestLinkChangesGather: changes of one setting share one record until the reader knows of them. The record goes if
// the setting is back at its first value.
func TestLinkChangesGather(t *testing.T) {
	each(t, func(w world) {
		d := w.reader("ada")
		set := func(c digest.Cadence) {
			w.Helper()
			w.byLink(d, noon, func(st *store.Store) error { return st.Readers.SetCadence(w.ctx, d.ID, c, noon) })
		}
		for range 50 {
			set(digest.Workdays)
			set(digest.Monthly(1))
		}
		want(w, "gathered", w.recorded(d), "Daily Digest days: daily -> monthly")
		set(digest.Daily)
		want(w, "as it was", w.recorded(d), "")
		_, said := w.linkNews(noon.Add(time.Hour))
		want(w, "nothing to tell", said, "")
		want(w, "no edition for it", w.hour(parisMidnight), 0)
		set(digest.Monthly(1))
		w.setCadence(d, digest.Workdays, noon) // by the reader
		set(digest.Daily)
		want(w, "not as the reader set it", w.recorded(d),
			"Daily Digest days: weekdays -> daily; Daily Digest days: daily -> monthly")

		bob := w.reader("bob")
		w.setState(bob, digest.DigestLeft, noon)
		w.byLink(bob, noon, func(st *store.Store) error {
			_, _,
				err := st.Readers.BringBack(w.ctx, bob.ID, noon)
			return err
		})
		w.byLink(bob, noon, func(st *store.Store) error {
			return st.Readers.SetDigestState(w.ctx, bob.ID, digest.DigestLeft,
				noon)
		})
		want(w, "left after a return", w.recorded(bob),
			"Daily Digest state: active -> left; Daily Digest state: left -> active")
	})
}

// TestEditionTellsOfLinkChanges: the next edition reports the changes, even on a day without posts. The edition
// after it reports later ones.
func TestEditionTellsOfLinkChanges(t *testing.T) {
	each(t, func(w world) {
		d, f := w.follows()
		w.byLink(d, noon, func(st *store.Store) error {
			return st.Subscriptions.PauseSubscription(w.ctx, d.ID,
				f.ID)
		})
		want(w, "waits", len(must(w.Editions.WaitingNotices(w.ctx, d.ID))), 1)
		_, said := w.linkNews(noon.Add(time.Hour))
		want(w, "no email", said, "")
		want(w, "an edition", w.hour(parisMidnight), 1)
		want(w, "told", w.editionChanges(d), "2026-11-20: f.example subscription: active -> paused")
		w.sendTo(parisMidnight, d)
		later := parisMidnight.Add(time.Hour)
		w.byLink(d, later, func(st *store.Store) error {
			return st.Subscriptions.ResumeSubscription(w.ctx, d.ID, f.ID,
				later)
		})
		want(w, "of the first edition", w.editionChanges(d), "2026-11-20: f.example subscription: active -> paused")
		w.hour(parisMidnight.Add(day))
		w.sendTo(parisMidnight.Add(day), d)
		want(w, "told too", w.editionChanges(d), "2026-11-21: f.example subscription: paused -> active")

		undone := parisMidnight.Add(day + time.Hour)
		w.byLink(d, undone, func(st *store.Store) error {
			return st.Readers.SetCadence(w.ctx, d.ID, digest.Workdays,
				undone)
		})
		must(w.Readers.UndoLinkChange(w.ctx, d.ID, w.linkChanges(d)[0].ID, undone))
		want(w, "what is undone is not told", w.hour(parisMidnight.Add(2*day)), 0)
	})
}

// TestEmailTellsOfLinkChanges: if no edition is due soon, an email reports all changes that have gathered. A reader
// gets one such email a day at most.
func TestEmailTellsOfLinkChanges(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f := w.feed("f.example")
		w.subscribe(ada, f)
		headlines := digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Display: digest.Headlines}
		w.byLink(ada, noon, func(st *store.Store) error { return st.Subscriptions.SetSubscription(w.ctx, headlines) })
		w.byLink(ada, noon, func(st *store.Store) error {
			return st.Readers.SetDigestState(w.ctx, ada.ID, digest.DigestLeft,
				noon)
		})
		_, said := w.linkNews(noon.Add(9 * time.Minute))
		want(w, "others may gather", said, "")
		const both = "ada@example.org: f.example display:  -> headlines; Daily Digest state: active -> left"
		_, said = w.linkNews(noon.Add(10 * time.Minute))
		want(w, "all of it", said, both)
		_, said = w.linkNews(noon.Add(11 * time.Minute))
		want(w, "one worker has it", said, "")
		want(w, "again, as it was not sent", w.tellLinkNews(noon.Add(25*time.Minute)), both)
		_, said = w.linkNews(noon.Add(time.Hour))
		want(w, "told once", said, "")
		want(w, "no edition", w.hour(parisMidnight), 0)

		for i := range 20 { // somebody with the link changes settings all day
			now := noon.Add(time.Hour + time.Duration(i)*time.Minute)
			w.byLink(ada, now, func(st *store.Store) error {
				if _, _, err := st.Readers.BringBack(w.ctx, ada.ID, now); err != nil {
					return err
				}
				return st.Readers.SetCadence(w.ctx, ada.ID, digest.Monthly(i+1), now)
			})
		}
		w.byLink(bob, noon, func(st *store.Store) error {
			return st.Readers.PauseDigest(w.ctx, bob.ID, time.Time{},
				noon)
		})
		want(w, "another reader", w.tellLinkNews(noon.Add(5*time.Hour)),
			"bob@example.org: Daily Digest state: active -> paused")
		_, said = w.linkNews(noon.Add(day))
		want(w, "not within a day", said, "")
		want(w, "after a day", w.tellLinkNews(noon.Add(day+26*time.Minute)),
			"ada@example.org: Daily Digest state: left -> active; Daily Digest days: daily -> monthly on 20")
		_, said = w.linkNews(noon.Add(60 * time.Hour))
		want(w, "no more", said, "")
	})
}

// TestLinkNewsIsStillTrue: an email omits changes that were undone, that the reader has overwritten, or that are
// days old.
func TestLinkNewsIsStillTrue(t *testing.T) {
	each(t, func(w world) {
		later := noon.Add(time.Hour)
		for name, then := range map[string]func(d digest.Digest){
			"undone": func(d digest.Digest) {
				must(w.Readers.UndoLinkChange(w.ctx, d.ID, w.linkChanges(d)[0].ID, noon))
			},
			"resumed by its reader": func(d digest.Digest) { w.ok(w.Readers.ResumeDigest(w.ctx, d.ID, noon)) },
			"unsubscribed by a mail program": func(d digest.Digest) {
				w.ok(w.ByLink(w.ctx, store.LinkUse{DigestID: d.ID, OneClick: true}, noon,
					func(st *store.Store) error {
						return st.Readers.SetDigestState(w.ctx, d.ID, digest.DigestLeft, noon)
					}))
			},
		} {
			d := w.reader(strings.Fields(name)[0]+strings.Fields(name + " x")[1], "Europe/Paris")
			w.byLink(d, noon, func(st *store.Store) error {
				return st.Readers.PauseDigest(w.ctx, d.ID, time.Time{},
					noon)
			})
			then(d)
			for range 3 {
				if news, said := w.linkNews(later); len(news.Changes) > 0 {
					w.Errorf("%s: %s", name, said)
				}
			}
		}
		d := w.reader("late")
		w.byLink(d, noon, func(st *store.Store) error {
			return st.Readers.PauseDigest(w.ctx, d.ID, time.Time{},
				noon)
		})
		_, said := w.linkNews(noon.Add(4 * day))
		want(w, "what mail could not tell for days", said, "")
	})
}

// TestMembersAreToldByEmail: members get the email, because an issue reports no changes and needs new posts.
func TestMembersAreToldByEmail(t *testing.T) {
	each(t, func(w world) {
		anna := w.reader("anna")
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", anna, f)
		m := w.member(n, "mo@example.org", "Europe/Paris")
		d := must(w.Readers.Digest(w.ctx, m.DigestID))
		w.byLink(d, noon, func(st *store.Store) error {
			return st.Readers.SetCadence(w.ctx, d.ID, digest.Monthly(1),
				noon)
		})
		want(w, "told", w.tellLinkNews(noon.Add(time.Hour)), "mo@example.org: "+d.Name+" days: daily -> monthly")
		want(w, "no issue for it", w.hour(parisMidnight), 0)
	})
}

// TestLinkChangesArePruned: changes are deleted with the edition that reported them, and never while they can be
// undone.
func TestLinkChangesArePruned(t *testing.T) {
	each(t, func(w world) {
		d := w.reader("ada")
		w.byLink(d, noon, func(st *store.Store) error {
			return st.Readers.SetCadence(w.ctx, d.ID, digest.Workdays,
				noon)
		})
		w.hour(parisMidnight)
		w.sendTo(parisMidnight, d)
		w.pruneHard(noon.Add(20 * day))
		want(w, "can be undone", w.recorded(d), "Daily Digest days: daily -> weekdays")
		w.pruneHard(noon.Add(40 * day))
		want(w, "gone", w.recorded(d), "")
	})
}

// TestToldByEdition is the table of digests whose next edition reports a change soon.
func TestToldByEdition(t *testing.T) {
	for _, test := range []struct {
		name string
		d    digest.Digest
		want bool
	}{
		{"tomorrow", digest.Digest{State: digest.DigestActive, NextDueAt: noon.Add(12 * time.Hour)}, true},
		{"on Monday, on Saturday", digest.Digest{State: digest.DigestActive, NextDueAt: noon.Add(48 * time.Hour)},
			true},
		{"on Monday, on Friday", digest.Digest{State: digest.DigestActive, NextDueAt: noon.Add(49 * time.Hour)}, false},
		{"left", digest.Digest{State: digest.DigestLeft, NextDueAt: noon.Add(12 * time.Hour)}, false},
		{"paused", digest.Digest{State: digest.DigestPaused, NextDueAt: noon.Add(12 * time.Hour)}, false},
		{"paused until tomorrow", digest.Digest{State: digest.DigestPaused, PausedUntil: noon.Add(12 * time.Hour),
			NextDueAt: noon.Add(12 * time.Hour)}, true},
		{"paused for a week", digest.Digest{State: digest.DigestPaused, PausedUntil: noon.Add(7 * day),
			NextDueAt: noon.Add(7 * day)}, false},
		{"a newsletter", digest.Digest{State: digest.DigestActive, NewsletterID: 1,
			NextDueAt: noon.Add(12 * time.Hour)}, false},
	} {
		want(t, test.name, digest.ToldByEdition(test.d, noon), test.want)
	}
}
