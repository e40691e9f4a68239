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

// edited is a blog with twelve posts in its document, each edited from day 3 on.
func edited(name string, edit func(*item)) history {
	return history{name: name, at: func(day int) []item { return blog(day, 12, from(day, 3, edit)) }}
}

// always is a blog with twelve posts in its document, each changed by edit.
func always(name string, edit func(day int, it *item)) history {
	return history{name: name, at: func(day int) []item {
		return blog(day, 12, func(it *item) { edit(day, it) })
	}}
}

func noGUID(it *item)   { it.guid = "" }
func linkOnly(it *item) { it.link = "https://blog.example/" }
func undated(it *item)  { it.at = time.Time{} }

// all combines several edits of an item.
func all(edits ...func(*item)) func(*item) {
	return func(it *item) {
		for _, edit := range edits {
			if edit != nil {
				edit(it)
			}
		}
	}
}

// bare removes the GUID and the link of an item.
func bare(it *item) { it.guid, it.link = "", "" }

func replaceIn(fields func(*item) []*string, old, with string) func(*item) {
	return func(it *item) {
		for _, s := range fields(it) {
			*s = strings.ReplaceAll(*s, old, with)
		}
	}
}

func guidAndLink(it *item) []*string { return []*string{&it.guid, &it.link} }
func onlyLink(it *item) []*string    { return []*string{&it.link} }

// addressHistories change the addresses of posts.
func addressHistories() []history {
	withoutGUID := func(name string, edit func(*item)) history {
		return history{name: name, at: func(day int) []item {
			return blog(day, 12, all(noGUID, func(it *item) {
				if day >= 3 {
					edit(it)
				}
			}))
		}}
	}
	session := func(day int, it *item) { it.link += fmt.Sprintf("?PHPSESSID=%08x", day*7919+len(it.name)) }
	return []history{
		edited("http to https", replaceIn(guidAndLink, "https:", "http:")),
		withoutGUID("http to https without GUIDs", replaceIn(onlyLink, "https:", "http:")),
		edited("to www", replaceIn(guidAndLink, "//blog.", "//www.blog.")),
		withoutGUID("to www without GUIDs", replaceIn(onlyLink, "//blog.", "//www.blog.")),
		withoutGUID("final slashes go", func(it *item) { it.link = strings.TrimSuffix(it.link, "/") }),
		edited("a new domain in GUIDs and links", replaceIn(guidAndLink, "blog.example", "another.example")),
		withoutGUID("a new domain", replaceIn(onlyLink, "blog.example", "another.example")),
		withoutGUID("utm", func(it *item) { it.link += "?utm_source=rss&utm_campaign=" + it.name }),
		always("utm that changes daily",
			func(day int, it *item) { it.guid = ""; it.link += fmt.Sprintf("?utm_content=%d", day) }),
		edited("other paths under the same GUIDs", replaceIn(onlyLink, "/2026/", "/archive/")),
		edited("other GUIDs and paths",
			func(it *item) { it.guid, it.link = "urn:uuid:"+it.name, "https://blog.example/posts/"+it.name+".html" }),
		edited("other GUIDs and paths in numbers", func(it *item) {
			it.guid, it.link = "", "https://blog.example/?p="+
				it.name[1:]
		}),
		withoutGUID("other paths", replaceIn(onlyLink, "/2026/", "/archive/")),
		always("session ids without GUIDs", func(day int, it *item) { it.guid = ""; session(day, it) }),
		always("session ids without GUIDs and dates",
			func(day int, it *item) { it.guid = ""; undated(it); session(day, it) }),
		always("session ids as GUIDs", func(day int, it *item) { session(day, it); it.guid = it.link }),
	}
}

// identityHistories change the identities of posts, or have none.
func identityHistories() []history {
	return []history{
		edited("other GUIDs alone", func(it *item) { it.guid = "tag:" + it.name }),
		edited("GUIDs come", func(it *item) { it.guid = "tag:" + it.name }),
		edited("GUIDs go", noGUID),
		always("no GUIDs", func(_ int, it *item) { noGUID(it) }),
		always("neither GUIDs nor links", func(_ int, it *item) { bare(it) }),
		always("neither GUIDs nor links nor dates", func(_ int, it *item) { bare(it); undated(it) }),
		always("one link for all", func(_ int, it *item) { it.guid = ""; linkOnly(it) }),
		always("one GUID for all", func(_ int, it *item) { it.guid = "blog" }),
		{name: "titles edited, neither GUIDs nor links", at: func(day int) []item {
			return blog(day, 12, all(bare, func(it *item) {
				if day >= 3 {
					it.title += " | The Blog"
				}
			}))
		}},
		{name: "titles edited a little each day, neither GUIDs nor links", at: func(day int) []item {
			return blog(day, 12, all(bare, func(it *item) { it.title += strings.Repeat("!", day) }))
		}},
		{name: "re-dated, neither GUIDs nor links", at: func(day int) []item {
			return blog(day, 12, all(bare, func(it *item) {
				if day >= 3 {
					it.at = it.at.Add(5 * time.Hour)
				}
			}))
		}},
		{name: "dated by the day of reading, neither GUIDs nor links", at: func(day int) []item {
			return blog(day, 12, all(bare, func(it *item) { it.at = midnightOf(day).Add(-time.Minute) }))
		}},
		{name: "titles edited, later re-dated, neither GUIDs nor links", at: func(day int) []item {
			return blog(day, 10, all(bare, from(day, 3, func(it *item) { it.title += " EDITED" }),
				from(day, 5, func(it *item) { it.at = midnightOf(5).Add(-time.Hour) })))
		}},
		{name: "texts edited, later re-dated, neither GUIDs nor links", at: func(day int) []item {
			return blog(day, 10, all(bare, from(day, 3, func(it *item) { it.text += "<p>And more of it.</p>" }),
				from(day, 5, func(it *item) { it.at = midnightOf(5).Add(-time.Hour) })))
		}},
		{name: "titles edited, re-dated for a day, neither GUIDs nor links", at: func(day int) []item {
			return blog(day, 10, all(bare, from(day, 3, func(it *item) { it.title += " EDITED" }), func(it *item) {
				if day == 5 {
					it.at = midnightOf(day).AddDate(0, 0, 14)
				}
			}))
		}},
		{name: "re-dated for a day, neither GUIDs nor links", at: func(day int) []item {
			return blog(day, 10, all(bare, func(it *item) {
				if day == 5 {
					it.at = midnightOf(day).Add(-12 * time.Hour)
				}
			}))
		}},
		{name: "one link for all, titles edited", at: func(day int) []item {
			return blog(day, 12, all(noGUID, linkOnly, func(it *item) {
				if day >= 3 {
					it.title += " (archive)"
				}
			}))
		}},
		edited("re-dated to today", func(it *item) { it.at = midnightOf(3).Add(-time.Hour) }),
		edited("re-dated by a zone", func(it *item) { it.at = it.at.Add(-8 * time.Hour) }),
		edited("dates go", undated),
		edited("texts edited", func(it *item) { it.text += "<p>And more.</p>" }),
		edited("titles edited", func(it *item) { it.title = "Edited: " + it.title }),
		edited("titles, texts and dates edited",
			func(it *item) { it.title += "!"; it.text += "?"; it.at = it.at.Add(time.Hour) }),
		edited("other GUIDs, edited texts",
			func(it *item) { it.guid = "tag:" + it.name; it.text += "<p>And more.</p>" }),
		edited("other GUIDs, paths and dates", func(it *item) {
			it.guid, it.link = "urn:uuid:"+it.name, "https://blog.example/posts/"+it.name+".html"
			it.at = it.at.Add(time.Hour)
		}),
		{name: "GUIDs are positions", at: func(day int) []item {
			return numbered(blog(day, 12, nil), func(i int) string { return fmt.Sprint(i + 1) })
		}},
		{name: "GUIDs are positions, without links", at: func(day int) []item {
			return numbered(blog(day, 12, func(it *item) { it.link = "" }),
				func(i int) string { return fmt.Sprint(i + 1) })
		}},
		{name: "GUIDs are positions, a post every second day", at: func(day int) []item {
			return numbered(blog(day/2, 9, nil), func(i int) string { return fmt.Sprint("item-", i) })
		}},
		{name: "the newest has always the same GUID", at: func(day int) []item {
			return numbered(blog(day, 1, nil), func(int) string { return "latest" })
		}},
		{name: "GUIDs become positions", at: func(day int) []item {
			items := blog(day, 12, nil)
			if day >= 3 {
				numbered(items, func(i int) string { return fmt.Sprint(i + 1) })
			}
			return items
		}},
	}
}

func numbered(items []item, guid func(i int) string) []item {
	for i := range items {
		items[i].guid = guid(i)
	}
	return items
}

// documentHistories change the document around the posts.
func documentHistories() []history {
	return []history{
		{name: "RSS to Atom", at: func(day int) []item { return blog(day, 12, nil) },
			atom: func(day int) bool { return day >= 3 }},
		{name: "RSS to Atom with other ids", at: func(day int) []item {
			return blog(day, 12, from(day, 3, func(it *item) { it.guid = "tag:blog.example,2026:" + it.name }))
		}, atom: func(day int) bool { return day >= 3 }},
		{name: "reordered", at: func(day int) []item {
			items := blog(day, 12, nil)
			if day >= 3 {
				slices.Reverse(items)
			}
			return items
		}},
		{name: "emptied and refilled", at: func(day int) []item {
			if day == 3 || day == 4 {
				return nil
			}
			return blog(day, 12, nil)
		}},
		{name: "emptied and refilled with other GUIDs and paths", at: func(day int) []item {
			if day == 3 {
				return nil
			}
			return blog(day, 12, from(day, 4,
				func(it *item) { it.guid, it.link = "n"+it.name, "https://blog.example/n/"+it.name }))
		}},
		{name: "half of it for a day", at: func(day int) []item {
			if day == 4 {
				return blog(day, 5, nil)
			}
			return blog(day, 12, nil)
		}},
		{name: "one post at a time", at: func(day int) []item { return blog(day, 1, nil) }},
		{name: "one post at a time, undated, without GUIDs",
			at: func(day int) []item { return blog(day, 1, all(noGUID, undated)) }},
		{name: "more posts a day than the document holds", at: func(day int) []item {
			return blog(20*day, 12, func(it *item) { it.at = midnightOf(day).Add(-time.Hour) })
		}},
		{name: "a pinned post", at: func(day int) []item {
			pinned := posted(-400)
			return append([]item{pinned}, blog(day, 9, nil)...)
		}},
		{name: "600 undated entries, the newest first", days: 4,
			at: func(day int) []item { return blog(day, 600+day, undated) }},
		{name: "600 undated entries, the oldest first", days: 4, at: func(day int) []item {
			items := blog(day, 600+day, undated)
			slices.Reverse(items)
			return items
		}},
		{name: "600 dated entries, the oldest first", days: 4, at: func(day int) []item {
			items := blog(day, 600+day, nil)
			slices.Reverse(items)
			return items
		}},
		{name: "from twelve to three entries and back", at: func(day int) []item {
			if day >= 3 && day < 5 {
				return blog(day, 3, nil)
			}
			return blog(day, 12, nil)
		}},
	}
}

// grown is a blog whose document grows by old posts on day 3.
func grown(name string, size, to int, edit func(*item)) history {
	return history{name: name, at: func(day int) []item {
		if day < 3 {
			return blog(day, size, edit)
		}
		items := blog(day, to, edit)
		for i := range items {
			items[i].old = i >= size+day
		}
		return items
	}}
}

// archiveHistories list old posts that are not news.
func archiveHistories() []history {
	return []history{
		grown("grows from 10 to 400 with old dates", 10, 400, nil),
		grown("grows from 10 to 20 with old dates", 10, 20, nil),
		grown("grows from 3 to 60 with old dates, without GUIDs", 3, 60, noGUID),
		{name: "grows by 100 a day with old dates", at: func(day int) []item {
			items := blog(day, 10+100*day, nil)
			for i := range items {
				items[i].old = i >= 10+day
			}
			return items
		}},
		{name: "another archive altogether", at: func(day int) []item {
			if day < 4 {
				return blog(day, 12, nil)
			}
			items := blog(day, 12, nil)[:day-3]
			for n := range 40 {
				it := posted(-9 - n)
				it.name = fmt.Sprintf("q%d", 5000+n)
				it.guid, it.link, it.title, it.text = "a"+it.name, "https://blog.example/a/"+it.name, "Old "+
					it.name, "<p>Long gone: "+it.name+".</p>"
				it.old = true
				items = append(items, it)
			}
			return items
		}},
	}
}

// newPostHistories list new posts that look like others.
func newPostHistories() []history {
	return []history{
		always("each title is the same", func(_ int, it *item) { it.title = "Daily note" }),
		always("titles and texts are the same but for a picture", func(_ int, it *item) {
			it.title, it.text = "Photo", `<img src="https://blog.example/`+it.name+`.jpg"> <p>`+it.name+`</p>`
		}),
		always("no titles", func(_ int, it *item) { it.title = "" }),
		always("dated ahead", func(_ int, it *item) { it.at = it.at.AddDate(0, 0, 3) }),
		always("no texts", func(_ int, it *item) { it.text = "" }),
		always("dated by the day", func(_ int, it *item) { it.at = it.at.Truncate(24 * time.Hour) }),
		{name: "three a day of one date", at: func(day int) []item {
			return blog(3*day, 12, func(it *item) { it.at = midnightOf(0).AddDate(0, 0, -1) })
		}},
		{name: "one at a time with the same title", at: func(day int) []item {
			return blog(day, 1, func(it *item) { it.title = "The menu" })
		}},
		{name: "back-dated by some days", at: func(day int) []item {
			return blog(day, 12, func(it *item) {
				if day >= 1 {
					it.at = it.at.AddDate(0, 0, -4)
				}
			})
		}},
		{name: "one that is dated before all others", at: func(day int) []item {
			items := blog(day, 30, nil)
			if day >= 3 {
				old := posted(-500)
				items = append(items, old)
			}
			return items
		}},
		{name: "a day's posts come three days late", at: func(day int) []item { return blog(day-3, 12, nil) }},
		{name: "one title on two days under another GUID and path", at: func(day int) []item {
			return blog(day, 12, func(it *item) {
				if it.name == "q1003" || it.name == "q1005" {
					it.title = "An open thread"
				}
			})
		}},
	}
}

// without returns items without some.
func without(items []item, names ...string) []item {
	return slices.DeleteFunc(items, func(it item) bool { return slices.Contains(names, it.name) })
}

// thrice dates posts eight hours apart.
func thrice(it *item) {
	var n int
	fmt.Sscanf(it.name, "q%d", &n)
	it.at = midnightOf(0).Add(time.Duration(n-1000)*8*time.Hour - 14*time.Hour)
}

// deletedHistories have polls at noon, after which a post disappears.
func deletedHistories() []history {
	// gone is a blog with a new post at each noon and each midnight. The post of the fourth noon is missing
	// for some midnights.
	gone := func(name string, away int, edit func(*item)) history {
		at := func(n, half int) []item {
			items := blog(n, 12, all(thrice, edit))
			if half > 8 && half <= 8+2*away-1 {
				items = without(items, "q1008")
			}
			return items
		}
		h := history{name: name, ping: func(day int) []item { return at(2*day, 2*day) },
			at: func(day int) []item { return at(2*day+1, 2*day+1) }}
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
					return blog(day, 12, nil)
				}
				return without(blog(day, 12, nil), "q1004")
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
			ping: func(day int) []item { return append(slices.Clone(pinned), blog(20*day+1, 10, nil)...) },
			at:   func(day int) []item { return append(slices.Clone(pinned), blog(20*day+15, 10, nil)...) },
		}
	}
	return []history{
		gone("deleted before midnight", historyDays, func(*item) {}),
		gone("deleted before midnight, undated", historyDays, undated),
		gone("gone at midnight and back the next day", 1, func(*item) {}),
		gone("gone at midnight and back the next day, undated", 1, undated),
		newest("the newest is deleted before midnight", historyDays, true),
		newest("the newest is gone at midnight and back the next day", 1, true),
		newest("the newest is gone at midnight, and nobody says that the document is later", 1, false),
		slides("slides out of the document before midnight"),
		slides("slides out below a pinned post", posted(-700)),
		{name: "an earlier version at midnight", ping: func(day int) []item { return blog(3*day, 12, thrice) },
			at: func(day int) []item {
				if day == 4 {
					return blog(3*day-2, 12, thrice)
				}
				return blog(3*day, 12, thrice)
			}},
		{name: "the document is empty at midnight", ping: func(day int) []item { return blog(day, 12, nil) },
			at: func(day int) []item {
				if day == 4 {
					return nil
				}
				return blog(day, 12, nil)
			}},
		{name: "edited before midnight", ping: func(day int) []item { return blog(day, 12, nil) },
			at: func(day int) []item {
				return blog(day, 12, func(it *item) { it.title += " (edited)"; it.text += "<p>More.</p>" })
			}},
		{name: "another GUID at midnight",
			ping: func(day int) []item { return blog(day, 12, func(it *item) { it.guid = "draft-" + it.name }) },
			at: func(day int) []item {
				return blog(day, 12, nil)
			}},
	}
}
