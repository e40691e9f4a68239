package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

func TestRecordHidesFromActiveReaders(t *testing.T) {
	each(t, func(w world) {
		ada, bob, cyd, dan := w.reader("ada"), w.reader("bob", "Asia/Tokyo"), w.reader("cyd", "UTC"),
			w.reader("dan", "UTC")
		f, g := w.feed("f.example"), w.feed("g.example")
		w.subscribe(ada, f, g)
		w.subscribe(bob, f)
		w.subscribe(cyd, f)
		w.setState(cyd, digest.DigestPaused, noon)
		r := w.poll(noon, store.Polled{Feed: f, Posts: posts(noon, "1", "2"), Listed: []string{"1", "2"}},
			store.Polled{Feed: g, Posts: posts(noon, "3"), Listed: []string{"3"}})
		want(w, "result", r, store.RecordResult{Posts: 3, Hidden: 5})
		want(w, "ada", w.waiting(ada), "1 2 3")
		want(w, "bob", w.waiting(bob), "1 2")
		want(w, "cyd, paused", w.waiting(cyd), "")
		want(w, "dan, no reader of either", w.waiting(dan), "")
		again := w.record(noon, f, posts(noon, "1", "2"))
		want(w, "the same once more", again, store.RecordResult{})
	})
}

func TestRecordFirstRead(t *testing.T) {
	day := func(hours int) digest.Post {
		p := post("p"+time.Duration(hours*int(time.Hour)).String(), noon)
		p.PublishedAt = noon.Add(-time.Duration(hours) * time.Hour)
		return p
	}
	undated := func(id string) digest.Post {
		p := post(id, noon)
		p.PublishedAt = time.Time{}
		return p
	}
	cases := []struct {
		name  string
		posts []digest.Post
		want  string
	}{
		{"the last 24 hours", []digest.Post{day(1), day(23), day(25), undated("u")}, "p1h0m0s p23h0m0s"},
		{"else the newest", []digest.Post{day(50), day(30), day(99)}, "p30h0m0s"},
		{"else the first in the document", []digest.Post{undated("u"), undated("v")}, "u"},
		{"a date beats none", []digest.Post{undated("u"), day(99)}, "p99h0m0s"},
	}
	each(t, func(w world) {
		for i, c := range cases {
			ada := w.reader(fmt.Sprint("ada", i))
			f := w.newFeed(fmt.Sprintf("f%d.example", i))
			w.subscribe(ada, f)
			r := w.record(noon, f, c.posts)
			want(w, c.name+": stored", r.Posts, len(c.posts))
			want(w, c.name, w.waiting(ada), c.want)
			late := w.record(noon.Add(time.Hour), f, []digest.Post{day(200)})
			want(w, c.name+": a later post, however old, is new", late.Hidden, 1)
		}
	})
}

func TestRecordFencesZombies(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.ok(w.Enqueue(w.ctx, f.ID, noon))
		first := w.claim(noon, 1, "first")
		later := noon.Add(2 * time.Hour)
		second := w.claim(later, 1, "second")
		if len(first) != 1 || len(second) != 1 {
			w.Fatal("the lease did not pass on")
		}
		result := func(token, etag string) store.RecordResult {
			rec := second[0].Feed
			rec.ETag, rec.PollAt = etag, time.Time{}
			r := w.poll(later, store.Polled{Feed: rec, Token: token, Posts: posts(later, token),
				Listed: []string{token}})
			return r
		}
		want(w, "zombie", result("first", "zombie"), store.RecordResult{Stale: 1})
		want(w, "nothing of it", w.waiting(ada)+w.feedAgain(f).ETag, "")
		want(w, "holder", result("second", "holder"), store.RecordResult{Posts: 1, Hidden: 1})
		want(w, "record", w.feedAgain(f).ETag, "holder")
		want(w, "holder, once more", result("second", "twice"), store.RecordResult{Stale: 1})
	})
}

func TestRecordKeepsTheWholeFeed(t *testing.T) {
	each(t, func(w world) {
		at := func(h int) time.Time { return noon.Add(time.Duration(h) * time.Hour) }
		f := w.newFeed("f.example")
		full := digest.Feed{
			ID: f.ID, URL: f.URL, Host: f.Host, Kind: "atom", Title: "T", SiteURL: "https://s", Language: "de",
			Validators: digest.Validators{ETag: `W/"x"`, LastModified: "Thu, 19 Nov 2026 12:00:00 GMT",
				ValidatorURL: "https://v", BodyHash: "b"},
			Schedule: digest.Schedule{LastAttemptAt: f.LastAttemptAt, LastOKAt: at(2), ParsedAt: at(3),
				NotBefore: at(4), FreshUntil: at(5), PollAt: at(6)},
			Failures: digest.Failures{Errors: 7, FirstErrorAt: at(8), LastStatus: 503, LastError: "down"},
			State:    digest.FeedDead,
			Learned: digest.Learned{
				Head:         digest.Works,
				Conditional:  digest.Useless,
				HeadRetestAt: at(9)}, Move: digest.Move{MovedTo: "https://m",
				MovedSince: at(10),
			},
		}
		w.poll(noon, store.Polled{Feed: full})
		want(w, "feed", w.feedAgain(f), full)
		full.PollAt = time.Time{}
		w.poll(noon, store.Polled{Feed: full})
		want(w, "not queued", w.feedAgain(f), full)
		was := full
		full.PollAt, full.LastStatus, full.FreshUntil, full.Errors = at(20), 304, at(21), 0
		w.poll(noon, store.Polled{Feed: full, Was: was})
		want(w, "numbers alone", w.feedAgain(f), full)
		was, full.LastError, full.NotBefore = full, "worse", at(22)
		w.poll(noon, store.Polled{Feed: full, Was: was})
		want(w, "numbers and a text", w.feedAgain(f), full)
	})
}

func TestRecordMoves(t *testing.T) {
	each(t, func(w world) {
		f, g := w.feed("f.example"), w.feed("g.example")
		f.URL = "https://www.f.example/feed"
		w.poll(noon, store.Polled{Feed: f, Arrival: store.Arrival{Rename: true}})
		moved := w.feedAgain(f)
		want(w, "moved", moved.ID, f.ID)
		g.URL = f.URL
		w.poll(noon, store.Polled{Feed: g, Arrival: store.Arrival{Rename: true}})
		want(w, "the address is taken: the other keeps its own", w.feedAgain(f).ID, f.ID)
	})
}

// TestFormerAddress: a feed that moved permanently is not added again under its old address (I4, I5).
func TestFormerAddress(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.reader("ada", "UTC"), w.feed("f.example")
		old := f.URL
		w.subscribe(ada, f)
		moved := f
		moved.URL = "https://new.example/feed"
		w.posted(moved, "1")
		found := must(w.Feeds.FeedByURL(w.ctx, old))
		want(w, "under its old address", found.URL, moved.URL)
		f = found
		found, created := must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: old, Host: "f.example"}))
		want(w, "taken again by address", [2]any{found.ID, created}, [2]any{f.ID, false})
		result := must(w.Subscriptions.Import(w.ctx, ada.ID, []store.ImportItem{{URL: old, Host: "f.example"}}, 1e6,
			noon))
		want(w, "taken again by list", [2]int{result.Added, result.Already}, [2]int{0, 1})
		all := storetest.All(w, w.Feeds.Feeds(w.ctx))
		want(w, "feeds", len(all), 1)

		f.URL = old
		w.poll(noon, store.Polled{Feed: f})
		want(w, "back where it was", w.feedAgain(f).ID, f.ID)
	})
}

func TestRecordFreesTheHostThatWasClaimed(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("old.example")
		w.ok(w.Enqueue(w.ctx, f.ID, noon))
		claimed := w.claim(noon, 1, "t")
		want(w, "claimed", len(claimed), 1)
		f = claimed[0].Feed
		f.URL, f.Host = "https://new.example/feed", "new.example"
		free := noon.Add(2 * time.Second)
		w.poll(noon, store.Polled{Feed: f, Was: claimed[0].Feed, Token: "t",
			HostFreeAt: free})
		g, _ := must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: "https://old.example/other", Host: "old.example"}))
		w.ok(w.Enqueue(w.ctx, g.ID, noon))
		want(w, "while the host rests", len(w.claim(noon, 1, "u")), 0)
		want(w, "when it may be asked again", len(w.claim(free, 1, "u")), 1)
	})
}

func TestChangedGUIDs(t *testing.T) {
	old := post("guid-1", noon)
	cases := []struct {
		name   string
		change func(*digest.Post)
		listed []string
		same   bool
	}{
		{"another GUID, all else equal", func(*digest.Post) {}, nil, true},
		{"from http to https, and a slash", func(p *digest.Post) { p.URL = "http" + p.URL[len("https"):] + "/" }, nil,
			true},
		{"another host, by www or altogether", func(p *digest.Post) { p.URL = "https://www.example.net/guid-1" }, nil,
			true},
		{"another query", func(p *digest.Post) { p.URL += "?p=2" }, nil, false},
		{"the old one is still listed", func(*digest.Post) {}, []string{"guid-1"}, false},
		{"another date", func(p *digest.Post) { p.PublishedAt = p.PublishedAt.Add(-time.Hour) }, nil, false},
		{"another title, the same address and date", func(p *digest.Post) { p.Title = "Other" }, nil, true},
		{"another title and address", func(p *digest.Post) { p.Title, p.URL = "Other", "https://f.example/other" }, nil,
			false},
		{"no date now, same content", func(p *digest.Post) { p.PublishedAt = time.Time{} }, nil, true},
		{"no date now, other content", func(p *digest.Post) { p.PublishedAt = time.Time{}; p.ContentHash = "x" }, nil,
			false},
		{"neither address nor title", func(p *digest.Post) { p.URL, p.Title = "", "" }, nil, false},
	}
	each(t, func(w world) {
		for i, c := range cases {
			ada := w.reader(fmt.Sprint("ada", i))
			f := w.feed(fmt.Sprintf("f%d.example", i))
			w.subscribe(ada, f)
			w.record(noon, f, []digest.Post{old})
			p := old
			p.Identity = "guid-2"
			c.change(&p)
			r := w.record(noon.Add(time.Hour), f, []digest.Post{p}, c.listed...)
			want(w, c.name+": the same", r.Posts == 0, c.same)
			if c.same {
				want(w, c.name+": one post, under its new name", w.waiting(ada), "guid-2")
			}
		}
	})
}

func TestChangedGUIDsOfTwins(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		twin := func(id string) digest.Post {
			p := post("twin", noon)
			p.Identity = id
			return p
		}
		w.record(noon, f, []digest.Post{twin("a"), twin("b")})
		r := w.record(noon.Add(time.Hour), f, []digest.Post{twin("c"), twin("c"), twin("d"), twin("e")})
		want(w, "two take over, one is new", r, store.RecordResult{Posts: 1, Hidden: 1})
		want(w, "waiting", w.waiting(ada), "c d e")
	})
}

func TestEditsBeforeAndAfterRelease(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada"), w.reader("bob", "America/Los_Angeles")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.posted(f, "p")
		edit := func(now time.Time, title string) string {
			p := post("p", now)
			p.Title, p.Comments, p.ContentHash = title, "https://c.example/"+title, "hash of "+title
			w.record(now, f, []digest.Post{p})
			refs := must(w.Editions.WaitingPosts(w.ctx, bob.ID))
			if len(refs) != 1 {
				w.Fatalf("bob waits for %v", refs)
			}
			stored := must(w.Editions.Posts(w.ctx, []digest.PostID{refs[0].PostID}))
			known := must(w.Feeds.KnownPosts(w.ctx, f.ID, []string{"p", "q"}))
			want(w, "known", len(known), 1)
			want(w, "the hash follows, so that nothing is read twice", known["p"], p.ContentHash)
			if stored[0].PublishedAt.After(stored[0].SeenAt) {
				w.Error("published after it was seen")
			}
			want(w, "seen", stored[0].SeenAt, noon)
			want(w, "comments", stored[0].Comments, "https://c.example/"+stored[0].Title)
			return stored[0].Title
		}
		want(w, "before release", edit(noon.Add(time.Hour), "second"), "second")
		want(w, "released", w.hour(parisMidnight), 1)
		want(w, "frozen by ada's edition", edit(parisMidnight.Add(time.Hour), "third"), "second")
		w.unsubscribe(ada, f)
		want(w, "also when she has left the feed", edit(parisMidnight.Add(2*time.Hour), "fourth"), "second")
	})
}

// TestEnclosures: a post has its enclosures as they were recorded, as the author changed them, and after its feed has
// moved.
func TestEnclosures(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		old, target := w.feed("old.example"), w.feed("new.example")
		w.subscribe(ada, old)
		w.subscribe(bob, target)
		expect := func(what string, reader digest.Digest, files []digest.Enclosure) {
			w.Helper()
			refs := must(w.Editions.WaitingPosts(w.ctx, reader.ID))
			if len(refs) != 1 {
				w.Fatalf("%s: %d posts wait", what, len(refs))
			}
			stored := must(w.Editions.Posts(w.ctx, []digest.PostID{refs[0].PostID}))
			if diff := cmp.Diff(files, stored[0].Enclosures); diff != "" {
				w.Errorf("%s (-want +got)\n%s", what, diff)
			}
		}
		files := []digest.Enclosure{
			{URL: "https://old.example/1.mp3?a=1&b=<2>", Type: "audio/mpeg", Length: 12345678901},
			{URL: "https://old.example/Ärger.pdf"},
		}
		episode := post("p", noon)
		episode.Enclosures = files
		w.record(noon, old, []digest.Post{episode})
		expect("as recorded", ada, files)
		episode.Enclosures, episode.ContentHash = files[1:], "edited"
		w.record(noon.Add(time.Hour), old, []digest.Post{episode})
		expect("as edited", ada, files[1:])
		moved := old
		moved.URL, moved.Host = target.URL, target.Host
		w.poll(noon.Add(2*time.Hour), store.Polled{Feed: moved, Listed: []string{"p"},
			Arrival: arrival([]digest.Post{episode}, nil)})
		expect("where the feed has moved to", bob, files[1:])
		episode.Enclosures, episode.ContentHash = nil, "without"
		w.record(noon.Add(3*time.Hour), target, []digest.Post{episode})
		expect("when they are gone", bob, nil)
	})
}

func TestSubscribeBrings(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		f := w.feed("f.example")
		old := post("old", noon.Add(-72*time.Hour))
		older := post("older", noon.Add(-90*time.Hour))
		w.record(noon.Add(-72*time.Hour), f, []digest.Post{older, old})
		w.subscribe(ada, f)
		want(w, "the newest", w.waiting(ada), "old")
		created := must(w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: ada.ID, FeedID: f.ID}, noon))
		want(w, "again", created, false)

		w.posted(f, "new")
		w.hour(parisMidnight)
		want(w, "edition", w.editions(ada), "2026-11-20 old new")
		w.unsubscribe(ada, f)
		w.subscribe(ada, f)
		want(w, "nothing twice (I4)", w.waiting(ada), "")

		bob := w.reader("bob")
		w.subscribe(bob, f)
		want(w, "of the last 24 hours", w.waiting(bob), "new")
		w.unsubscribe(bob, f)
		want(w, "gone with the subscription", w.waiting(bob), "")
		oneLine(w, w.Subscriptions.Unsubscribe(w.ctx, bob.ID, f.ID), digest.NotFound)
	})
}

func TestImport(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		known := w.feed("known.example")
		w.posted(known, "k")
		items := []store.ImportItem{
			{URL: known.URL, Host: known.Host, Title: "Mine", Folder: "Tech"},
			{URL: "https://a.example/feed", Host: "a.example"},
			{URL: "https://b.example/feed", Host: "b.example", Folder: "Tech"},
			{URL: "https://a.example/feed", Host: "a.example"},
		}
		r := must(w.Subscriptions.Import(w.ctx, ada.ID, items, 1e6, noon))
		want(w, "added, already", [2]int{r.Added, r.Already}, [2]int{3, 1})
		want(w, "first polls", len(r.FirstPolls), 2)
		want(w, "queued", len(w.claim(noon, 10, "t")), 2)
		want(w, "brought", w.waiting(ada), "k")
		subs := must(w.Subscriptions.Subscriptions(w.ctx, ada.ID))
		want(w, "subscriptions", len(subs), 3)
		want(w, "first", subs[0].Subscription, digest.Subscription{DigestID: ada.ID, FeedID: known.ID, Title: "Mine",
			Folder: "Tech"})
		settings := must(w.Editions.SubscriptionSettings(w.ctx, []digest.DigestID{ada.ID}))
		want(w, "settings", len(settings[ada.ID]), 2)
		want(w, "setting", settings[ada.ID][known.ID], subs[0].Subscription)
		r = must(w.Subscriptions.Import(w.ctx, ada.ID, items, 1e6, noon))
		want(w, "again", [2]int{r.Added, r.Already}, [2]int{0, 4})

		if _, err := w.Subscriptions.Import(w.ctx, 999, items, 1e6, noon); err == nil {
			w.Error("a list was imported for nobody")
		}
	})
}
