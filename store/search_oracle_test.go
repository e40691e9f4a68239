package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"digest"
	"digest/internal/textsearch"
	"digest/store"
	"digest/test/tier"
)

// A search finds the same as reading every post of every edition. This includes former feeds and saved posts, every
// way of searching, and the time in which an upgrade indexes older posts again.
func TestSearchFindsWhatReadingFinds(t *testing.T) {
	tier.Alone(t)
	each(t, func(w world) {
		r := rand.New(rand.NewPCG(3, 4))
		ada := w.reader("ada")
		var feeds []digest.Feed
		for i := range 60 {
			feeds = append(feeds, w.feed(fmt.Sprintf("f%d.example", i)))
		}
		w.subscribe(ada, feeds[:50]...)
		texts := make(map[string][]string) // by identity
		var order []string                 // of the delivered posts, latest first
		now := parisMidnight
		for day := range 3 {
			var came []string
			for i, f := range feeds {
				var list []digest.Post
				for k := range 4 {
					p := written(fmt.Sprintf("d%d-f%d-%d", day, i, k), "", "<p>"+randomText(r, 25)+"</p>")
					p.Title = randomText(r, 3)
					texts[p.Identity] = textsearch.Document(p.Title, p.Author, textsearch.Text(p.Content))
					list = append(list, p)
					if i < 50 && (i >= 10 || day < 2) {
						came = append(came, p.Identity)
					}
				}
				w.record(now.Add(-time.Hour), f, list)
			}
			w.indexed()
			w.hour(now)
			w.send(now)
			slices.Reverse(came)
			order = append(came, order...)
			if day == 1 {
				for _, f := range feeds[:10] {
					w.unsubscribe(ada, f)
				}
			}
			now = now.Add(24 * time.Hour)
		}
		w.exec(`ANALYZE`) // so that PostgreSQL knows the number of posts
		for i := range 40 {
			if i == 25 {
				w.ok(w.ForgetBareWords(w.ctx, 7))
			}
			q := w.query(randomQuery(r))
			var wanted []string
			for _, identity := range order {
				if matches(texts[identity], q) {
					wanted = append(wanted, identity)
				}
			}
			for _, n := range []int{0, 1, 150, 1_000_000} {
				w.Thresholds(n, n)
				found := w.searches(ada, store.SearchQuery{Query: q, Now: now, Limit: 100})
				want(w, fmt.Sprint(q, n), found, strings.Join(wanted, " "))
			}
		}
	})
}

// someWords are in many posts and in few, include prefixes of each other, and have several scripts.
var someWords = strings.Fields(
	"the of and news newspaper new café 東京 京都 東京都 ไทย 한국 rust rusty go golang gopher a1 " +
		"12 feed feeds straße x y z zebra")

// randomText returns words of which the first are the most common.
func randomText(r *rand.Rand, n int) string {
	var text []string
	for range n {
		text = append(text, someWords[min(r.IntN(len(someWords)), r.IntN(len(someWords)))])
	}
	return strings.Join(text, " ")
}

func randomQuery(r *rand.Rand) string {
	typed := []string{someWords[r.IntN(len(someWords))]}
	for range r.IntN(3) {
		one := someWords[r.IntN(len(someWords))]
		switch r.IntN(5) {
		case 0:
			one = "-" + one
		case 1:
			one = `"` + one + " " + someWords[r.IntN(8)] + `"`
		case 2:
			if utf8.RuneCountInString(one) >= 3 {
				one += "*"
			}
		}
		typed = append(typed, one)
	}
	return strings.Join(typed, " ")
}

// matches reads a document to find whether a query matches it.
func matches(document []string, q textsearch.Query) bool {
	for _, term := range q.Terms {
		if stands(document, term) == term.Exclude {
			return false
		}
	}
	return true
}

// stands reports whether a document contains the words of a term in a row.
func stands(document []string, term textsearch.Term) bool {
	last := len(term.Words) - 1
	for i := range len(document) - last {
		in := true
		for k, word := range term.Words {
			at := document[i+k]
			in = in && (at == word || term.Prefix && k == last && strings.HasPrefix(at, word))
		}
		if in {
			return true
		}
	}
	return false
}
