package worker_test

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// histories returns the behaviour of publishers, good and bad.
func histories() []history {
	return slices.Concat(addressHistories(), identityHistories(), documentHistories(), archiveHistories(),
		newPostHistories(), deletedHistories(), sameHistories(), otherHistories())
}

// paced is a blog with a number of posts each day, of which it lists the newest.
func paced(name string, perDay, size int, edits ...edit) history {
	return history{name: name, at: func(day int) []item { return apply(day, blog(perDay*day, size), edits...) }}
}

func always(name string, edits ...edit) history { return paced(name, 1, 12, edits...) }

func edited(name string, edits ...edit) history { return always(name, since(3, edits...)) }

// single is a blog that lists one post at a time.
func single(name string, edits ...edit) history { return paced(name, 1, 1, edits...) }

// resized is a blog that lists twelve posts, but another number on some days.
func resized(name string, sizes map[int]int, edits ...edit) history {
	return history{name: name, at: func(day int) []item {
		size, other := sizes[day]
		if !other {
			size = 12
		}
		return apply(day, blog(day, size), edits...)
	}}
}

// An edit changes a post of a blog on a day.
type edit func(day int, it *item)

func apply(day int, items []item, edits ...edit) []item {
	for i := range items {
		all(edits...)(day, &items[i])
	}
	return items
}

// all combines several edits.
func all(edits ...edit) edit {
	return func(day int, it *item) {
		for _, f := range edits {
			f(day, it)
		}
	}
}

// since makes edits from a day on.
func since(first int, edits ...edit) edit {
	return func(day int, it *item) {
		if day >= first {
			all(edits...)(day, it)
		}
	}
}

// one edits one post from a day on.
func one(post string, first int, edits ...edit) edit {
	return func(day int, it *item) {
		if it.name == post {
			since(first, edits...)(day, it)
		}
	}
}

// on makes an edit on one day.
func on(only int, f edit) edit {
	return func(day int, it *item) {
		if day == only {
			f(day, it)
		}
	}
}

// set changes a field to a text with words such as OLD, its old value.
func set(field func(*item) *string, text string) edit {
	return func(day int, it *item) {
		s := field(it)
		*s = strings.NewReplacer("NAME", it.name, "NUMBER", it.name[1:], "OLD", *s, "DAY",
			fmt.Sprint(day), "INDEX", fmt.Sprint(it.index)).Replace(text)
	}
}

func guid(text string) edit  { return set(func(it *item) *string { return &it.guid }, text) }
func link(text string) edit  { return set(func(it *item) *string { return &it.link }, text) }
func title(text string) edit { return set(func(it *item) *string { return &it.title }, text) }
func body(text string) edit  { return set(func(it *item) *string { return &it.text }, text) }

func relinked(old, with string) edit {
	return func(_ int, it *item) { it.link = strings.ReplaceAll(it.link, old, with) }
}

// renamed changes links and GUIDs.
func renamed(old, with string) edit {
	return all(relinked(old, with), func(_ int, it *item) { it.guid = strings.ReplaceAll(it.guid, old, with) })
}

func later(by time.Duration) edit { return func(_ int, it *item) { it.at = it.at.Add(by) } }

func dated(day int, after time.Duration) edit {
	return func(_ int, it *item) { it.at = midnightOf(day).Add(after) }
}

func today(after time.Duration) edit { return func(day int, it *item) { dated(day, after)(day, it) } }

func noGUID(_ int, it *item)     { it.guid = "" }
func undated(_ int, it *item)    { it.at = time.Time{} }
func bare(_ int, it *item)       { it.guid, it.link = "", "" }
func linkAsGUID(_ int, it *item) { it.guid = it.link }
func dayAlone(_ int, it *item)   { it.at = it.at.Truncate(24 * time.Hour) }

func sessionID(day int, it *item) { it.link += fmt.Sprintf("?PHPSESSID=%08x", day*7919+len(it.name)) }

// addressHistories change the addresses of posts.
func addressHistories() []history {
	return []history{
		edited("http to https", renamed("https:", "http:")),
		always("http to https without GUIDs", noGUID, since(3, relinked("https:", "http:"))),
		edited("to www", renamed("//blog.", "//www.blog.")),
		always("to www without GUIDs", noGUID, since(3, relinked("//blog.", "//www.blog."))),
		always("final slashes go", noGUID, since(3, link("https://blog.example/2026/NAME"))),
		edited("a new domain in GUIDs and links", renamed("blog.example", "another.example")),
		always("a new domain", noGUID, since(3, relinked("blog.example", "another.example"))),
		always("utm", noGUID, since(3, link("OLD?utm_source=rss&utm_campaign=NAME"))),
		always("utm that changes daily", noGUID, link("OLD?utm_content=DAY")),
		edited("other paths under the same GUIDs", relinked("/2026/", "/archive/")),
		edited("other GUIDs and paths", guid("urn:uuid:NAME"), link("https://blog.example/posts/NAME.html")),
		edited("other GUIDs and paths in numbers", noGUID, link("https://blog.example/?p=NUMBER")),
		always("other paths", noGUID, since(3, relinked("/2026/", "/archive/"))),
		always("sessionID ids without GUIDs", noGUID, sessionID),
		always("sessionID ids without GUIDs and dates", noGUID, undated, sessionID),
		always("sessionID ids as GUIDs", sessionID, linkAsGUID),
	}
}

// identityHistories change the identities of posts, or have none.
func identityHistories() []history {
	return []history{
		edited("other GUIDs alone", guid("tag:NAME")),
		edited("GUIDs go", noGUID),
		always("no GUIDs", noGUID),
		always("neither GUIDs nor links", bare),
		always("neither GUIDs nor links nor dates", bare, undated),
		always("one link for all", noGUID, link("https://blog.example/")),
		always("one GUID for all", guid("blog")),
		always("titles edited, neither GUIDs nor links", bare, since(3, title("OLD | The Blog"))),
		always("titles edited a little each day, neither GUIDs nor links", bare,
			func(day int, it *item) { it.title += strings.Repeat("!", day) }),
		always("re-dated, neither GUIDs nor links", bare, since(3, later(5*time.Hour))),
		always("dated by the day of reading, neither GUIDs nor links", bare, today(-time.Minute)),
		paced("titles edited, later re-dated, neither GUIDs nor links", 1, 10, bare, since(3, title("OLD EDITED")),
			since(5, dated(5, -time.Hour))),
		paced("texts edited, later re-dated, neither GUIDs nor links", 1, 10, bare,
			since(3, body("OLD<p>And more of it.</p>")), since(5, dated(5, -time.Hour))),
		paced("titles edited, re-dated for a day, neither GUIDs nor links", 1, 10, bare, since(3, title("OLD EDITED")),
			on(5, dated(5+14, 0))),
		paced("re-dated for a day, neither GUIDs nor links", 1, 10, bare, on(5, dated(5, -12*time.Hour))),
		always("one link for all, titles edited", noGUID, link("https://blog.example/"), since(3, title(
			"OLD (archive)"))),
		edited("re-dated to today", dated(3, -time.Hour)),
		edited("re-dated by a zone", later(-8*time.Hour)),
		edited("dates go", undated),
		edited("texts edited", body("OLD<p>And more.</p>")),
		edited("titles edited", title("Edited: OLD")),
		edited("titles, texts and dates edited", title("OLD!"), body("OLD?"), later(time.Hour)),
		edited("other GUIDs, edited texts", guid("tag:NAME"), body("OLD<p>And more.</p>")),
		edited("other GUIDs, paths and dates", guid("urn:uuid:NAME"), link("https://blog.example/posts/NAME.html"),
			later(time.Hour)),
		always("GUIDs are positions", guid("INDEX")),
		always("GUIDs are positions, without links", link(""), guid("INDEX")),
		{name: "GUIDs are positions, a post every second day",
			at: func(day int) []item { return apply(day, blog(day/2, 9), guid("item-INDEX")) }},
		single("the newest has always the same GUID", guid("latest")),
		edited("GUIDs become positions", guid("INDEX")),
	}
}

// documentHistories change the document around the posts.
func documentHistories() []history {
	atom := func(h history) history { h.atom = 3; return h }
	reversed := func(items []item) []item { slices.Reverse(items); return items }
	return []history{
		atom(always("RSS to Atom")),
		atom(edited("RSS to Atom with other ids", guid("tag:blog.example,2026:NAME"))),
		{name: "reordered", at: func(day int) []item {
			if day >= 3 {
				return reversed(blog(day, 12))
			}
			return blog(day, 12)
		}},
		resized("emptied and refilled", map[int]int{3: 0, 4: 0}),
		resized("emptied and refilled with other GUIDs and paths", map[int]int{3: 0},
			since(4, guid("nNAME"), link("https://blog.example/n/NAME"))),
		resized("half of it for a day", map[int]int{4: 5}),
		single("one post at a time"),
		single("one post at a time, undated, without GUIDs", noGUID, undated),
		paced("more posts a day than the document holds", 20, 12, today(-time.Hour)),
		{name: "a pinned post", at: func(day int) []item { return append([]item{posted(-400)}, blog(day, 9)...) }},
		{name: "600 undated entries, the newest first", days: 4,
			at: func(day int) []item { return apply(day, blog(day, 600+day), undated) }},
		{name: "600 undated entries, the oldest first", days: 4,
			at: func(day int) []item { return reversed(apply(day, blog(day, 600+day), undated)) }},
		{name: "600 dated entries, the oldest first", days: 4,
			at: func(day int) []item { return reversed(blog(day, 600+day)) }},
		resized("from twelve to three entries and back", map[int]int{3: 3, 4: 3}),
	}
}

// grown is a blog whose document grows by old posts from day 3 on: by a number on that day, and on each later day.
func grown(name string, first, size, by, daily int, edits ...edit) history {
	return history{name: name, at: func(day int) []item {
		to := size
		if day >= first {
			to += by + daily*day
		}
		items := apply(day, blog(day, to), edits...)
		for i := range items {
			items[i].old = day >= first && i >= size+day
		}
		return items
	}}
}

// archiveHistories list old posts that are not news.
func archiveHistories() []history {
	return []history{
		grown("grows from 10 to 400 with old dates", 3, 10, 390, 0),
		grown("grows from 10 to 20 with old dates", 3, 10, 10, 0),
		grown("grows from 3 to 60 with old dates, without GUIDs", 3, 3, 57, 0, noGUID),
		grown("grows by 100 a day with old dates", 0, 10, 0, 100),
		{name: "another archive altogether", at: func(day int) []item {
			if day < 4 {
				return blog(day, 12)
			}
			items := blog(day, day-3)
			for n := range 40 {
				it := posted(-9 - n)
				it.name, it.old = fmt.Sprintf("q%d", 5000+n), true
				all(guid("aNAME"), link("https://blog.example/a/NAME"), title("Old NAME"),
					body("<p>Long gone: NAME.</p>"))(day, &it)
				items = append(items, it)
			}
			return items
		}},
	}
}

// newPostHistories list new posts that look like others.
func newPostHistories() []history {
	return []history{
		always("each title is the same", title("Daily note")),
		always("titles and texts are the same but for a picture", title("Photo"),
			body(`<img src="https://blog.example/NAME.jpg"> <p>NAME</p>`)),
		always("no titles", title("")),
		always("dated ahead", later(3*24*time.Hour)),
		always("no texts", body("")),
		always("dated by the day", dayAlone),
		paced("three a day of one date", 3, 12, dated(-1, 0)),
		single("one at a time with the same title", title("The menu")),
		always("back-dated by some days", since(1, later(-4*24*time.Hour))),
		{name: "one that is dated before all others", at: func(day int) []item {
			if day >= 3 {
				return append(blog(day, 30), posted(-500))
			}
			return blog(day, 30)
		}},
		{name: "a day's posts come three days late", at: func(day int) []item { return blog(day-3, 12) }},
		always("one title on two days under another GUID and path", one("q1003", 0, title("An open thread")),
			one("q1005", 0, title("An open thread"))),
	}
}

// without returns items without some.
func without(items []item, name string) []item {
	return slices.DeleteFunc(items, func(it item) bool { return it.name == name })
}

// thrice dates posts eight hours apart.
func thrice(_ int, it *item) {
	it.at = midnightOf(0).Add(time.Duration(it.number())*8*time.Hour - 14*time.Hour)
}

// deletedHistories have polls at noon, after which a post disappears.
func deletedHistories() []history {
	// gone is a blog with a new post at each noon and each midnight. The post of the fourth noon is missing
	// for some midnights.
	gone := func(name string, away int, edits ...edit) history {
		at := func(half int) []item {
			items := apply(half, blog(half, 12), append([]edit{thrice}, edits...)...)
			if half > 8 && half <= 8+2*away-1 {
				items = without(items, "q1008")
			}
			return items
		}
		h := history{name: name, ping: func(day int) []item { return at(2 * day) },
			at: func(day int) []item { return at(2*day + 1) }}
		if h.never = []string{"q1008"}; away < historyDays {
			h.never, h.anytime = nil, h.never
		}
		return h
	}
	// newest is a blog whose newest post at the fourth noon is missing for some midnights.
	newest := func(name string, away int, dated bool) history {
		at := func(from int) func(int) []item {
			return func(day int) []item {
				if day < from || day >= 4+away {
					return blog(day, 12)
				}
				return without(blog(day, 12), "q1004")
			}
		}
		h := history{name: name, dated: dated, ping: at(5), at: at(4)}
		switch {
		case away == historyDays:
			h.never = []string{"q1004"}
		case dated:
			h.anytime = []string{"q1004"}
		}
		return h
	}
	slides := func(name string, pinned ...item) history {
		return history{name: name,
			ping: func(day int) []item { return append(slices.Clone(pinned), blog(20*day+1, 10)...) },
			at:   func(day int) []item { return append(slices.Clone(pinned), blog(20*day+15, 10)...) },
		}
	}
	// pinged is polled at noon too, when its document has other edits.
	pinged := func(noon, midnight history) history { midnight.ping = noon.at; return midnight }
	return []history{
		gone("deleted before midnight", historyDays),
		gone("deleted before midnight, undated", historyDays, undated),
		gone("gone at midnight and back the next day", 1),
		gone("gone at midnight and back the next day, undated", 1, undated),
		newest("the newest is deleted before midnight", historyDays, true),
		newest("the newest is gone at midnight and back the next day", 1, true),
		newest("the newest is gone at midnight, and nobody says that the document is later", 1, false),
		slides("slides out of the document before midnight"),
		slides("slides out below a pinned post", posted(-700)),
		pinged(paced("", 3, 12, thrice), history{name: "an earlier version at midnight", at: func(day int) []item {
			newest := 3 * day
			if day == 4 {
				newest -= 2
			}
			return apply(day, blog(newest, 12), thrice)
		}}),
		pinged(always(""), resized("the document is empty at midnight", map[int]int{4: 0})),
		pinged(always(""), always("edited before midnight", title("OLD (edited)"), body("OLD<p>More.</p>"))),
		pinged(always("", guid("draft-NAME")), always("another GUID at midnight")),
	}
}
