package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/test/tier"
)

// held describes the filtered posts of a digest, newest midnight first.
func (w world) held(d digest.Digest) string {
	w.Helper()
	list := must(w.Subscriptions.HeldPosts(w.ctx, d.ID, time.Time{}, 1000))
	var out []string
	for _, h := range list {
		out = append(out, h.DueAt.Format("0102")+" "+h.Post.Identity+" by "+h.Words)
	}
	return strings.Join(out, "; ")
}

// titled returns a post with a title and its own hash.
func titled(identity, title string, seen time.Time) digest.Post {
	p := post(identity, seen)
	p.Title, p.ContentHash = title, "hash of "+title
	return p
}

func TestFiltersHoldBack(t *testing.T) {
	each(t, func(w world) {
		ada, bob, cyd := w.reader("ada"), w.reader("bob"),
			w.reader("cyd")
		f, g := w.feed("a.example"), w.feed("b.example")
		for _, d := range []digest.Digest{ada, bob, cyd} {
			w.subscribe(d, f, g)
		}
		w.filter(ada, "Fußball")
		w.filter(ada, "only here", g)
		w.filter(cyd, "a cup")
		body := post("body", noon)
		body.Content = "<p>Much of <b>FUSS</b>BALL.</p>"
		w.record(noon, f, []digest.Post{titled("1", "A cup of tea", noon), titled("2", "FUSSBALL: a cup", noon),
			titled("3", "only here, not", noon), body})
		w.record(noon, g, []digest.Post{titled("4", "Only  here", noon), titled("5", "A cup", noon)})
		want(w, "preview", w.waiting(ada), "1 3 5")
		want(w, "preview of all", w.waiting(bob), "1 2 3 body 4 5")
		want(w, "made", w.hour(parisMidnight), 3)
		want(w, "ada", w.editions(ada), "2026-11-20 1 3 5")
		want(w, "bob", w.editions(bob), "2026-11-20 1 2 3 body 4 5")
		want(w, "cyd", w.editions(cyd), "2026-11-20 3 body 4")
		want(w, "held", w.held(ada), "1119 2 by Fußball; 1119 body by Fußball; 1119 4 by only here")
		b := must(w.Editions.Beside(w.ctx, digest.Edition{DigestID: ada.ID, DueAt: parisMidnight}, parisMidnight))
		want(w, "count", b.Held, 3)
		list := must(w.Subscriptions.HeldPosts(w.ctx, ada.ID, parisMidnight, 9))
		want(w, "before", len(list), 0)
		list = must(w.Subscriptions.HeldPosts(w.ctx, ada.ID, time.Time{}, 1))
		want(w, "a midnight is whole", len(list), 3)
		want(w, "source", list[2].Label, digest.FeedLabel{FeedID: g.ID, Title: "b.example", SiteURL: g.URL,
			URL: g.URL, Host: "b.example"})
		want(w, "no content", list[1].Post.Content, "")
	})
}

// TestNothingLeft: a digest whose posts are all filtered gets no edition, and its next edition gets the next number.
func TestNothingLeft(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f := w.feed("a.example")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.filter(ada, "title")
		w.posted(f, "a")
		want(w, "made", w.hour(parisMidnight), 1)
		want(w, "ada", w.editions(ada), "")
		want(w, "number", w.again(ada).Editions, 0)
		want(w, "next", w.again(ada).NextDueAt, parisMidnight.Add(day))
		want(w, "held", w.held(ada), "1119 a by title")
		filters := must(w.Subscriptions.Filters(w.ctx, ada.ID))
		w.ok(w.Subscriptions.RemoveFilter(w.ctx, ada.ID, filters[0].ID))
		later := parisMidnight.Add(12 * time.Hour)
		w.record(later, f, posts(later, "b"), "a")
		w.hour(parisMidnight.Add(day))
		want(w, "what was held back stays so", w.editions(ada), "2026-11-21 b")
	})
}

// TestHeldBackNeverComes: no poll, edit or new GUID releases a filtered post, and neither does a new subscription or
// the end of a pause (I4).
func TestHeldBackNeverComes(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		key := w.filter(ada, "spoiler")
		w.record(noon, f, []digest.Post{titled("a", "A spoiler", noon)})
		w.hour(parisMidnight)
		w.ok(w.Subscriptions.RemoveFilter(w.ctx, ada.ID, key.ID))
		now := parisMidnight.Add(time.Hour)
		edited := titled("a", "Nothing", noon)
		w.record(now, f, []digest.Post{edited})
		renamed := edited
		renamed.Identity = "new guid"
		w.record(now, f, []digest.Post{renamed})
		want(w, "polled again", w.waiting(ada), "")
		w.unsubscribe(ada, f)
		must(w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: ada.ID, FeedID: f.ID}, now))
		want(w, "subscribed again", w.waiting(ada), "")
		w.pauseFeed(ada, f)
		w.resumeFeed(ada, f, now)
		want(w, "woken", w.waiting(ada), "")
	})
}

// TestFiltersAndMerges: filters of a merged feed move to the other feed and still apply to its hidden posts. Filtered
// posts do not appear from the other feed, and a paused subscription remains paused.
func TestFiltersAndMerges(t *testing.T) {
	each(t, func(w world) {
		ada, bob, cyd := w.reader("ada"), w.reader("bob"),
			w.reader("cyd")
		from, to := w.feed("old.example"), w.feed("new.example")
		w.subscribe(ada, from)
		w.subscribe(bob, from, to)
		w.subscribe(cyd, from, to)
		w.filter(ada, "title", from)
		w.filter(bob, "TITLE", from)
		same := w.filter(bob, "title", to)
		w.pauseFeed(cyd, to)
		w.posted(to, "x")
		w.hour(parisMidnight)
		want(w, "held", w.held(bob), "1119 x by title")
		now := parisMidnight.Add(time.Hour)
		w.record(now, from, posts(now, "x", "y"))
		moved := from
		moved.URL, moved.Host = to.URL, to.Host
		w.poll(now.Add(time.Hour), store.Polled{Feed: moved, Listed: []string{"x", "y"}, Arrival: arrival(posts(now,
			"x", "y"), nil)})
		filters := must(w.Subscriptions.Filters(w.ctx, bob.ID))
		want(w, "one is enough", len(filters), 1)
		want(w, "of the other", filters[0].FeedID, same.FeedID)
		want(w, "taken under one name, taken", len(must(w.Subscriptions.PausedSubscriptions(w.ctx, cyd.ID))), 0)
		want(w, "preview", w.waiting(ada), "")
		w.hour(parisMidnight.Add(day))
		want(w, "ada", w.editions(ada)+w.held(ada), "1120 x by title; 1120 y by title")
		want(w, "bob has x held back once", w.editions(bob)+w.held(bob), "1120 y by TITLE; 1119 x by title")
		w.unsubscribe(ada, to)
		w.subscribe(ada, to)
		want(w, "held back under the other name", w.waiting(ada), "")
	})
}

// TestHeldArePruned: filtered posts are pruned after their period. A paused feed is not pruned.
func TestHeldArePruned(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.filter(ada, "title")
		w.posted(f, "a")
		w.hour(parisMidnight)
		w.pauseFeed(ada, f)
		w.exec(`UPDATE posts SET listed_at = 0`)
		w.exec(`UPDATE digests SET next_due_at = ?`, parisMidnight.AddDate(2, 0, 0).Unix())
		for day := range 60 {
			now := parisMidnight.AddDate(0, 0, 380+day)
			w.prune(now)
			if len(w.held(ada)) > 0 != now.Add(-400*24*time.Hour).Before(parisMidnight.Add(time.Second)) {
				w.Fatalf("day %d: held %q", day, w.held(ada))
			}
		}
		w.holds("the feed that rests", 1, `SELECT count(*) FROM feeds`)
		w.unsubscribe(ada, f)
		w.exec(`UPDATE feed_times SET last_attempt_at = 1`)
		w.prune(parisMidnight.AddDate(2, 0, 0))
		w.holds("nobody rests it", 0, `SELECT count(*) FROM feeds`)
	})
}

// TestFilteringSeesWhatCameMeanwhile: changes of posts and filters between filtering and release count (I8).
func TestFilteringSeesWhatCameMeanwhile(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two() // bob's filters do not change
		f, g := w.feed("a.example"), w.feed("b.example")
		w.subscribe(ada, f, g)
		w.subscribe(bob, f)
		w.filter(ada, "spoiler")
		w.filter(bob, "spoiler")
		w.record(noon, f, []digest.Post{titled("a", "Fine", noon), titled("b", "A spoiler", noon),
			titled("c", "Other", noon)})
		w.record(noon, g, []digest.Post{titled("g", "A spoiler too", noon)})
		must(w.Feeds.Plan(w.ctx, parisMidnight, queueNothing))
		n := must(w.ReleaseFiltered(w.ctx, parisMidnight, func() {
			w.record(parisMidnight, f,
				[]digest.Post{titled("a", "Now a spoiler", noon), titled("b", "Fine by now", noon),
					titled("d", "One more spoiler", noon), titled("e", "And one", noon)}, "c")
			w.filter(ada, "other")
			w.unsubscribe(ada, g)
		}))
		want(w, "made", n, 2)
		want(w, "edition", w.editions(ada), "2026-11-20 b e")
		want(w, "held", w.held(ada), "1119 a by spoiler; 1119 c by other; 1119 d by spoiler")
		want(w, "edition of bob", w.editions(bob), "2026-11-20 b c e")
		want(w, "held of bob", w.held(bob), "1119 a by spoiler; 1119 d by spoiler")
	})
}

// TestFilteringPostponed: if a digest already has an edition of this date, filters apply at the next midnight.
func TestFilteringPostponed(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.filter(ada, "spoiler")
		w.record(noon, f, []digest.Post{titled("a", "Fine", noon)})
		w.hour(parisMidnight)
		w.move(ada, parisMidnight.Add(time.Hour)) // the same date again
		later := parisMidnight.Add(30 * time.Minute)
		w.record(later, f, []digest.Post{titled("b", "A spoiler", later), titled("c", "Fine", later)}, "a")
		want(w, "made", w.hour(parisMidnight.Add(time.Hour)), 0)
		want(w, "held", w.held(ada), "")
		want(w, "made", w.hour(parisMidnight.Add(day)), 1)
		want(w, "editions", w.editions(ada), "2026-11-20 a; 2026-11-21 c")
		want(w, "held", w.held(ada), "1120 b by spoiler")
	})
}

// TestFiltersAgainstOracle compares the editions of random days with a simple implementation.
func TestFiltersAgainstOracle(t *testing.T) {
	tier.Alone(t)
	const readers, feeds, days = 6, 4, 12
	vocabulary := strings.Fields("alpha beta gamma delta épée zeta")
	each(t, func(w world) {
		rng := rand.New(rand.NewPCG(7, 11))
		word := func() string { return vocabulary[rng.IntN(len(vocabulary))] }
		var all []digest.Feed
		for i := range feeds {
			all = append(all, w.feed(fmt.Sprintf("f%d.example", i)))
		}
		type rule struct {
			key   int64
			words string
			feed  digest.FeedID
		}
		type waits struct {
			identity string
			words    []string
			feed     digest.FeedID
		}
		var ds []digest.Digest
		rules, open := make([][]rule, readers), make([][]waits, readers)
		expect, heldBack := make([]string, readers), make([]int, readers)
		for i := range readers {
			ds = append(ds, w.reader(fmt.Sprint("r", i), []string{"Europe/Paris", "Asia/Tokyo"}[i%2]))
			w.subscribe(ds[i], all...)
		}
		for day := range days {
			now := noon.AddDate(0, 0, day)
			for i := range all {
				var found []digest.Post
				for n := range rng.IntN(4) {
					words := []string{word(), word(), word()}
					id := fmt.Sprintf("%02d.%d.%d", day, i, n)
					p := titled(id, strings.ToUpper(words[0]), now)
					p.Author, p.Content = words[1], "<i>"+words[2]+"</i>"
					found = append(found, p)
					for r := range open {
						open[r] = append(open[r], waits{id, words, all[i].ID})
					}
				}
				w.record(now, all[i], found)
			}
			for r, d := range ds {
				if r > 0 && rng.IntN(2) == 0 { // the first has no filters
					f := digest.Filter{DigestID: d.ID, Words: strings.ReplaceAll(word(), "é", "E")}
					if rng.IntN(2) == 0 {
						f.FeedID = all[rng.IntN(feeds)].ID
					}
					f = must(w.Subscriptions.AddFilter(w.ctx, f, now))
					if !slices.ContainsFunc(rules[r], func(o rule) bool { return o.key == f.ID }) {
						rules[r] = append(rules[r], rule{f.ID, f.Words, f.FeedID})
					}
				}
				if len(rules[r]) > 1 && rng.IntN(2) == 0 {
					n := rng.IntN(len(rules[r]))
					w.ok(w.Subscriptions.RemoveFilter(w.ctx, d.ID, rules[r][n].key))
					rules[r] = slices.Delete(rules[r], n, n+1)
				}
				var comes []string
				for _, p := range open[r] {
					if slices.ContainsFunc(rules[r], func(f rule) bool {
						return (f.feed == 0 || f.feed == p.feed) && slices.ContainsFunc(p.words, func(w string) bool {
							return strings.EqualFold(strings.ReplaceAll(w, "é", "e"), f.words)
						})
					}) {
						heldBack[r]++
					} else {
						comes = append(comes, p.identity)
					}
				}
				open[r] = nil
				want(w, "preview", w.waiting(d), strings.Join(comes, " "))
				if len(comes) > 0 {
					date := digest.DateOf(noon).Plus(day + 1)
					expect[r] = strings.TrimPrefix(expect[r]+"; "+date.String()+" "+strings.Join(comes, " "), "; ")
				}
			}
			w.hour(now.Add(3 * time.Hour))  // Tokyo
			w.hour(now.Add(11 * time.Hour)) // Paris
			w.exec(`UPDATE editions SET state = 'sent' WHERE state = 'ready'`)
		}
		for r, d := range ds {
			want(w, fmt.Sprint("reader ", r), w.editions(d), expect[r])
			list := must(w.Subscriptions.HeldPosts(w.ctx, d.ID, time.Time{}, 10_000))
			want(w, fmt.Sprint("held of ", r), len(list), heldBack[r])
		}
		w.holds("in one place only", 0,
			`SELECT count(*) FROM filtered_posts h JOIN digest_posts p ON p.digest_id = h.digest_id
				AND p.post_id = h.post_id`)
	})
}
