package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/internal/textsearch"
	"digest/store"
	"digest/test/tier"
)

func (w world) indexed() {
	w.Helper()
	for {
		n := must(w.Posts.IndexPosts(w.ctx, 30))
		if n == 0 {
			return
		}
	}
}

// finds lists the identities of the posts that a reader finds, read two at a time.
func (w world) finds(d digest.Digest, typed string, now time.Time) string {
	w.Helper()
	return w.searches(d, store.SearchQuery{Query: w.query(typed), Now: now, Limit: 2})
}

func (w world) query(typed string) textsearch.Query {
	w.Helper()
	q := must(textsearch.Parse(typed))
	return q
}

func (w world) searches(d digest.Digest, q store.SearchQuery) string {
	w.Helper()
	var all []string
	for {
		found := must(w.Posts.Search(w.ctx, d.UserID, q))
		for _, p := range found.Posts {
			all = append(all, p.Identity)
			q.After = p.Key()
		}
		if !found.More {
			return strings.Join(all, " ")
		}
	}
}

func written(identity, title, content string) digest.Post {
	p := post(identity, noon)
	p.Title, p.Content = title, content
	return p
}

func TestSearch(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f, g := w.feed("f.example"), w.feed("g.example")
		w.subscribe(ada, f)
		w.subscribe(bob, g)
		w.record(noon, f, []digest.Post{
			written("cafe", "Das Café", "<p>Ein Kaffee, bitte; die Straße ist naß.</p>"),
			written("words", "Whole words",
				`<p>the quick brown fox</p><p>jumps over the <b>la</b>zy dog &amp; sleeps</p>`),
			written("back", "Backwards", "<p>fox brown quick</p>"),
			written("han", "新聞", "<p>今日は東京で雨が降りました。中国人民</p>"),
			written("thai", "ข่าววันนี้",
				"<p>ประเทศไทยอากาศดี</p>"),
			written("korean", "소식", "<p>한국은 오늘 맑음</p>"),
			written("syntax", "NOT AND OR", "<p>c++ node.js don't 3.14 foo:bar a*b</p>"),
			written("arabic", "سَلَامٌ", "<p>مرحبا می\u200cخواهم</p>"),
			written("hindi", "हिन्दी", "<p>कुछ भी</p>"),
		})
		w.posted(g, "of bob")
		w.indexed()
		second := parisMidnight.Add(-time.Second)
		want(w, "hidden", w.finds(ada, "fox", second), "")
		w.hour(parisMidnight)
		want(w, "by a clock that is behind", w.finds(ada, "fox", second), "")
		want(w, "what others have", w.finds(ada, "content", parisMidnight), "")
		for range 2 {
			w.findsAll(ada)
			w.record(parisMidnight, f, many(600)) // too many to compare one by one
			w.indexed()
			w.hour(parisMidnight.Add(day))
		}
	})
}

// many returns posts that no query finds.
func many(n int) []digest.Post {
	list := make([]digest.Post, n)
	for i := range list {
		list[i] = written(fmt.Sprintf("filler %d", i), "Filler", "<p>brown, and then quick</p>")
	}
	return list
}

// findsAll checks all results of TestSearch.
func (w world) findsAll(ada digest.Digest) {
	w.Helper()
	now := parisMidnight.Add(day)
	for typed, wanted := range map[string]string{
		"fox": "back words", "FOX": "back words", "quick fox": "back words", `"quick brown"`: "words",
		`"brown quick"`: "back",
		"fox -dog":      "back", `fox -"brown quick"`: "words", "-dog fox": "back",
		"cafe": "cafe", "CAFÉ": "cafe", "caf": "", "caf*": "cafe", "kaf*": "cafe", "ca": "", "strasse": "cafe",
		"STRASSE nass": "cafe",
		"lazy":         "words", "dog sleeps": "words", `"fox jumps"`: "words", `"words the"`: "",
		"東京": "han", "東": "han", "京": "han", "東京で雨": "han", "京東": "", "中国": "han",
		"国人": "han", "人民": "han", "民": "han", "中人": "", "新聞": "han",
		"ไทย": "thai", "อากาศ": "thai", "한국": "korean", "국은": "korean",
		"c++": "syntax", "node.js": "syntax", "don't": "syntax", "don’t": "syntax", "3.14": "syntax",
		"foo:bar": "syntax", "not": "syntax", "NOT AND": "syntax",
		"سلام": "arabic", "میخواهم": "arabic", "कुछ": "hindi", "हिन्दी": "hindi",
		"nowhere": "", "fox nowhere": "", "Title": "",
	} {
		want(w, typed, w.finds(ada, typed, now), wanted)
	}
}

// The latest post is first, page after page. A saved post is found after its edition is deleted.
func TestSearchInOrder(t *testing.T) {
	tier.Alone(t)
	each(t, func(w world) {
		ada, f := w.follows()
		var all []string
		now := parisMidnight
		for range 40 {
			id := now.Format("d060102")
			w.record(now.Add(-time.Hour), f, posts(now.Add(-time.Hour), id+"a", id+"b", id+"c"))
			all = append([]string{id + "c", id + "b", id + "a"}, all...)
			w.hour(now)
			w.send(now)
			now = now.Add(day)
		}
		w.indexed()
		want(w, "all of it", w.finds(ada, "content", now), strings.Join(all, " "))
		want(w, "one", w.finds(ada, all[len(all)-1], now), all[len(all)-1])

		w.save(ada, now, all[0], all[len(all)-2])
		kept := all[0] + " " + all[len(all)-2]
		saved := store.SearchQuery{Query: w.query("content"), Now: now, Saved: true, Limit: 1}
		want(w, "kept", w.searches(ada, saved), kept)
		late := now.Add(keep)
		w.exec(`UPDATE feeds SET listed_at = ?`, late.Add(100*day).Unix())
		w.exec(`UPDATE digests SET next_due_at = ?`, late.Add(48*time.Hour).Unix())
		w.prune(late.Add(100 * day))
		w.holds("editions", 0, `SELECT count(*) FROM editions`)
		w.holds("posts", 2, `SELECT count(*) FROM posts`)
		want(w, "kept for good", w.finds(ada, "content", late), kept)
		want(w, "kept for good", w.searches(ada, saved), kept)
		w.remove(ada.UserID, noon)
		want(w, "of nobody", w.finds(ada, "content", late), "")
	})
}

// A post that a filter holds back is not found, although it is listed.
func TestHeldPostsAreNotFound(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		must(w.Subscriptions.AddFilter(w.ctx, digest.Filter{DigestID: ada.ID, Words: "football"}, noon))
		w.record(noon, f, []digest.Post{written("held", "Football", "<p>a match</p>"),
			written("news", "News", "<p>a match of words</p>")})
		w.indexed()
		w.hour(parisMidnight)
		want(w, "found", w.finds(ada, "match", parisMidnight), "news")
		held := w.find("held")
		want(w, "seen", w.sees(ada, held), false)
		oneLine(w, w.Posts.SavePost(w.ctx, ada.UserID, held, parisMidnight), digest.NotFound)
	})
}

func TestIndexFollowsPosts(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.record(noon, f, []digest.Post{written("a", "First", "<p>before</p>")})
		w.indexed()
		edited := written("a", "Second", "<p>after</p>")
		edited.ContentHash = "another"
		w.record(noon.Add(time.Hour), f, []digest.Post{edited})
		w.indexed()
		w.hour(parisMidnight)
		w.send(parisMidnight)
		want(w, "the old words", w.finds(ada, "before", parisMidnight)+w.finds(ada, "first", parisMidnight), "")
		want(w, "the new", w.finds(ada, "second after", parisMidnight), "a")
		edited.Title, edited.ContentHash = "Third", "a third"
		w.record(parisMidnight.Add(time.Hour), f, []digest.Post{edited})
		w.indexed()
		want(w, "what was delivered stays", w.finds(ada, "second", parisMidnight), "a")

		w.unsubscribe(ada, f)
		w.exec(`UPDATE feed_times SET last_attempt_at = ?`, parisMidnight.Unix())
		late := noon.Add(keep + 60*day)
		w.hour(late)
		w.prune(late)
		w.holds("posts", 0, `SELECT count(*) FROM posts`)
		w.holds("words", 0, `SELECT count(*) FROM post_words`)
		w.holds("queue", 0, `SELECT count(*) FROM index_queue`)
	})
}

// Posts that were stored before their readers subscribed are indexed when one does.
func TestIndexOfWhatASubscriptionBrings(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		f := w.newFeed("f.example")
		old := post("old", noon)
		old.PublishedAt = noon.Add(-90 * day)
		w.record(noon, f, []digest.Post{old, post("new", noon)})
		w.indexed()
		w.holds("indexed", 1, `SELECT count(*) FROM post_words`)
		w.exec(`UPDATE posts SET published_at = ? WHERE identity = 'old'`, noon.Unix())
		w.subscribe(ada, f)
		w.indexed()
		w.hour(parisMidnight)
		want(w, "found", w.finds(ada, "content", parisMidnight), "new old")
	})
}

// Any text, long or odd, can be indexed, and both databases find the same in it.
func TestIndexTakesAnyText(t *testing.T) {
	var distinct, long strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&distinct, "%d%s ", i, strings.Repeat("𐌰", 70))
		fmt.Fprintf(&long, "w%d ", i)
	}
	each(t, func(w world) {
		ada, f := w.follows()
		w.record(noon, f, []digest.Post{
			written("distinct", "Distinct", distinct.String()),
			written("long", "Long", long.String()),
			written("often", "Often", strings.Repeat("the ", 300)+"end of the matter"),
			written("nothing", "🙂", "<p>!?</p>"),
			written("quotes", `it's \' "'" \\`, `<p>' OR '1'='1 \</p>`),
		})
		w.indexed()
		w.hour(parisMidnight)
		for typed, wanted := range map[string]string{
			"w15000": "long", `"w15000 w15001"`: "long", "w19999": "",
			// The index omits the 256th "the".
			"the end": "often", `"the end"`: "", `"end of"`: "often", `"the the"`: "often",
			`it's`: "quotes", `' OR '1'='1`: "quotes",
		} {
			want(w, typed, w.finds(ada, typed, parisMidnight), wanted)
		}
	})
}
