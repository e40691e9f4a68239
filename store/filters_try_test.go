package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// rehearsed describes a rehearsal: date, posts, hidden and shown posts of each edition, and the listed posts.
func rehearsed(r store.Rehearsal) string {
	var out []string
	for _, e := range r.Editions {
		out = append(out, fmt.Sprintf("%s %d-%d+%d", e.Date, e.Posts, e.Hidden, e.Shown))
	}
	for _, h := range append(r.Hidden, r.Shown...) {
		out = append(out, fmt.Sprintf("%s %q%s", h.Identity, h.Words, h.Kind))
	}
	return strings.Join(out, "; ")
}

// TestOnlyAndShorts: the rehearsal of a filter names the posts that the filter then hides, and stores nothing.
func TestOnlyAndShorts(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		f, g := w.feed("a.example"), w.feed("b.example")
		w.subscribe(ada, f, g)
		only := digest.Filter{DigestID: ada.ID, FeedID: f.ID, Kind: digest.OnlyWords, Words: "boats"}
		short := titled("4", "Boats, short", noon)
		short.URL = "https://www.youtube.com/shorts/abc"
		w.record(noon, f, []digest.Post{titled("1", "Boats", noon), titled("2", "Trains", noon),
			titled("3", "Planes", noon), short})
		w.record(noon, g, []digest.Post{titled("5", "Trains", noon)})
		w.hour(parisMidnight)
		try := func(name string, f digest.Filter, wish string) {
			w.Helper()
			want(w, name, rehearsed(must(w.Subscriptions.TryFilter(w.ctx, f, parisMidnight))), wish)
		}
		hide := digest.Filter{DigestID: ada.ID, FeedID: f.ID, Kind: digest.HideShorts, Words: digest.ShortsName}
		try("only", only, `2026-11-20 4-2+0; 2 "boats"only; 3 "boats"only`)
		try("shorts", hide, `2026-11-20 4-1+0; 4 "Shorts"shorts`)
		try("of all sites", digest.Filter{DigestID: ada.ID, Words: "trains"},
			`2026-11-20 5-2+0; 2 "trains"; 5 "trains"`)
		_, err := w.Subscriptions.TryFilter(w.ctx, digest.Filter{DigestID: ada.ID, Kind: digest.OnlyWords, Words: "a"},
			noon)
		oneLine(w, err, digest.Invalid)
		_, err = w.Subscriptions.AddFilter(w.ctx, digest.Filter{DigestID: ada.ID, Kind: "other", Words: "a"}, noon)
		oneLine(w, err, digest.Invalid)
		want(w, "stored nothing", len(must(w.Subscriptions.Filters(w.ctx, ada.ID))), 0)

		must(w.Subscriptions.AddFilter(w.ctx, only, noon))
		must(w.Subscriptions.AddFilter(w.ctx, hide, noon))
		next := parisMidnight.Add(time.Hour)
		again := titled("9", "More boats, short", next)
		again.URL = "https://www.youtube.com/shorts/def"
		w.record(next, f, []digest.Post{titled("6", "Boats again", next), titled("7", "More trains", next),
			titled("8", "More planes", next), again})
		w.hour(parisMidnight.Add(24 * time.Hour))
		want(w, "held", w.held(ada), "1120 7 by boats; 1120 8 by boats; 1120 9 by Shorts")
		only.Words = "trains"
		want(w, "an alternative", rehearsed(must(w.Subscriptions.TryFilter(w.ctx, only,
			parisMidnight.Add(24*time.Hour)))), `2026-11-21 1-0+1; 2026-11-20 4-0+0; 7 "boats"only`)
		must(w.Subscriptions.AddFilter(w.ctx, only, noon))

		w.unsubscribe(ada, f)
		want(w, "left", len(must(w.Subscriptions.Filters(w.ctx, ada.ID))), 0)
		must(w.Subscriptions.Resubscribe(w.ctx, ada.ID, []digest.FeedID{f.ID}, next))
		var all []string
		for _, f := range must(w.Subscriptions.Filters(w.ctx, ada.ID)) {
			all = append(all, string(f.Kind)+" "+f.Words)
		}
		want(w, "again", strings.Join(all, "; "), "only boats; only trains; shorts Shorts")
		r := must(w.Subscriptions.LastEditions(w.ctx, ada.ID, f.ID, parisMidnight.Add(24*time.Hour)))
		want(w, "posts of the site", rehearsed(r), "2026-11-21 1-0+0; 2026-11-20 4-0+0")
		_, err = w.Subscriptions.LastEditions(w.ctx, ada.ID, 999, noon)
		oneLine(w, err, digest.NotFound)
	})
}
