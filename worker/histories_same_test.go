package worker_test

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// one returns a blog with twelve posts in its document. The publisher edits one post on a day.
func one(name, post string, start int, edits ...func(*item)) history {
	return history{name: name, at: func(day int) []item {
		return blog(day, 12, from(day, start, func(it *item) {
			if it.name == post {
				all(edits...)(it)
			}
		}))
	}}
}

// age returns how many days ago a post appeared.
func age(day int, it *item) int {
	var n int
	fmt.Sscanf(it.name, "q%d", &n)
	return day - (n - 1000)
}

func newGUID(it *item)  { it.guid = "tag:blog.example,2026:" + it.name }
func newPath(it *item)  { it.link = "https://blog.example/moved/" + it.name + ".html" }
func newTitle(it *item) { it.title = "Now: " + it.name + " again" }
func newText(it *item) {
	it.text = "<p>Corrected: of " + it.name + " there was less to be said than we thought.</p>"
}
func hourLater(it *item)   { it.at = it.at.Add(61*time.Minute + 3*time.Second) }
func dayLater(it *item)    { it.at = it.at.AddDate(0, 0, 1) }
func linkAsGUID(it *item)  { it.guid = it.link }
func atClockZero(it *item) { it.at = time.Unix(0, 0).UTC() }
func placeholder(it *item) { it.guid = "N/A" }
func pageOfAll(it *item)   { it.link = "https://blog.example/today" }
func pictureOnly(it *item) {
	it.title, it.text = "Picture of the day", `<img src="https://blog.example/`+it.name+`.jpg" alt="`+it.name+`">`
}
func guidPerDay(it *item)    { it.guid = "picture-" + it.name }
func oneDateForAll(it *item) { it.at = midnightOf(-30).Add(time.Hour) }

// sameHistories change a little of a post, or of one post only, so that it stays the same post.
func sameHistories() []history {
	anew := func(day int, it *item) { it.guid = fmt.Sprintf("build-%d-%s", day, it.name) }
	edits := func(day int, it *item) {
		n := min(max(age(day, it), 0), 3)
		it.link = "https://blog.example/articles/" + it.name
		it.guid = fmt.Sprintf("%s#%d", it.link, n)
		if n > 0 {
			it.title = fmt.Sprintf("Edit %d of %s", n, it.name)
		}
		if n > 1 {
			it.text = fmt.Sprintf("<p>This is version %d of a report about %s, and it differs.</p>", n, it.name)
		}
	}
	return []history{
		always("a fragment of the GUID counts edits", edits),
		always("a fragment of the GUID counts edits, dates too", func(day int, it *item) {
			edits(day, it)
			if n := age(day, it); n == 1 {
				it.title = "All about " + it.name
				hourLater(it)
			}
		}),
		always("a fragment of the GUID counts edits, undated", func(day int, it *item) { edits(day, it); undated(it) }),
		edited("dates become 1970-01-01", atClockZero),
		{name: "dates become 1970-01-01, neither GUIDs nor links", at: func(day int) []item {
			return blog(day, 12, all(bare, from(day, 3, atClockZero)))
		}},
		edited("GUIDs become placeholders", placeholder),
		one("a fresh post gets another GUID", "q1004", 5, newGUID),
		one("a fresh post gets another GUID and title", "q1004", 5, newGUID, newTitle),
		one("a fresh post gets another GUID, title and text", "q1004", 5, newGUID, newTitle, newText),
		one("a fresh post gets another path", "q1004", 5, newPath, linkAsGUID),
		one("a fresh post gets another path and title", "q1004", 5, newPath, linkAsGUID, newTitle),
		one("a fresh post gets another path and text", "q1004", 5, newPath, linkAsGUID, newText),
		one("a fresh post gets another path and date", "q1004", 5, newPath, linkAsGUID, hourLater),
		one("an old post gets another path and text", "q998", 4, newPath, linkAsGUID, newText),
		one("a post is published again on the next day", "q1003", 4, newPath, linkAsGUID, dayLater),
		always("GUIDs made anew at each build, undated", func(day int, it *item) { undated(it); anew(day, it) }),
		always("GUIDs made anew at each build, undated, with counters", func(day int, it *item) {
			undated(it)
			anew(day, it)
			it.text += fmt.Sprintf("<p>%d comments</p>", 7*age(day, it))
		}),
		always("GUIDs made anew at each build, undated, without links",
			func(day int, it *item) { undated(it); anew(day, it); it.link = "" }),
		{name: "one title is edited, neither GUIDs nor links", at: bareWith("q1004", 5, newTitle)},
		{name: "one text is edited, neither GUIDs nor links", at: bareWith("q1004", 5, newText)},
		{name: "title and text of one are edited, neither GUIDs nor links",
			at: bareWith("q1003", 5, newTitle, newText)},
		{name: "one is re-dated, neither GUIDs nor links", at: bareWith("q1003", 5, hourLater)},
		{name: "one is re-dated by a day, neither GUIDs nor links", at: bareWith("q1002", 5, dayLater)},
		{name: "one is re-dated and corrected, neither GUIDs nor links", at: bareWith("q1003", 5, hourLater, newText)},
		{name: "one title is edited, neither GUIDs nor links nor dates", at: func(day int) []item {
			return blog(day, 12, all(bare, undated, func(it *item) {
				if day >= 5 && it.name == "q1003" {
					newTitle(it)
				}
			}))
		}},
		{name: "each article twice, in two categories", at: func(day int) []item {
			var items []item
			for _, it := range blog(day, 12, nil) {
				twin := it
				twin.guid += "-again"
				items = append(items, it, twin)
			}
			return items
		}},
		{name: "each article twice, the category first by turns", at: func(day int) []item {
			items := blog(day, 12, nil)
			again := blog(day, 12, func(it *item) { it.guid += "-again" })
			if day%2 == 1 {
				items, again = again, items
			}
			return append(items, again...)
		}},
		always("dated ahead, GUIDs anew", func(day int, it *item) { it.at = it.at.AddDate(0, 0, 30); anew(day, it) }),
	}
}

// bareWith returns a blog without GUIDs and links. The publisher edits one post on a day.
func bareWith(post string, start int, edits ...func(*item)) func(int) []item {
	return func(day int) []item {
		return blog(day, 12, all(bare, from(day, start, func(it *item) {
			if it.name == post {
				all(edits...)(it)
			}
		})))
	}
}

// otherHistories have new posts that have much in common with others, or old dates.
func otherHistories() []history {
	several := func(name string, edits ...func(*item)) history {
		return history{name: name, at: func(day int) []item {
			return blog(3*day, 12, all(append([]func(*item){func(it *item) {
				var n int
				fmt.Sscanf(it.name, "q%d", &n)
				it.at = midnightOf((n-1000+30000+2)/3 - 10000).Add(-6 * time.Hour)
			}}, edits...)...))
		}}
	}
	single := func(name string, edits ...func(*item)) history {
		return history{name: name, at: func(day int) []item { return blog(day, 1, all(edits...)) }}
	}
	return []history{
		several("one GUID, link and date for several", func(it *item) { it.guid = "feed-id" }, pageOfAll),
		several("one GUID and date for several", func(it *item) { it.guid = "feed-id" }),
		several("one date for several, neither GUIDs nor links", bare),
		several("one date for several, untitled, neither GUIDs nor links", bare, func(it *item) { it.title = "" }),
		several("the GUID is a placeholder", placeholder),
		several("the GUID is a placeholder, one link for all", placeholder, pageOfAll),
		single("one at a time, the GUID is a placeholder", placeholder),
		single("one at a time, the GUID is a placeholder, one link for all", placeholder, pageOfAll),
		single("a picture of the day, one at a time, no GUID", pictureOnly, noGUID, pageOfAll),
		always("pictures of the day, no GUIDs, one link for all",
			func(_ int, it *item) { pictureOnly(it); noGUID(it); pageOfAll(it) }),
		always("pictures of the day, neither GUIDs nor dates, one link for all", func(_ int, it *item) {
			all(pictureOnly, noGUID, pageOfAll, undated)(it)
		}),
		single("a picture of the day, one at a time", pictureOnly, guidPerDay, pageOfAll),
		single("a picture of the day, one at a time, undated", pictureOnly, guidPerDay, pageOfAll, undated),
		always("pictures of the day, one link for all", func(_ int, it *item) {
			pictureOnly(it)
			guidPerDay(it)
			pageOfAll(it)
		}),
		always("pictures of the day, one link for all, undated",
			func(_ int, it *item) { pictureOnly(it); guidPerDay(it); pageOfAll(it); undated(it) }),
		always("pictures of the day, one link and date for all",
			func(_ int, it *item) { pictureOnly(it); guidPerDay(it); pageOfAll(it); oneDateForAll(it) }),
		several("all dated 1970-01-01", atClockZero),
		several("all dated 1970-01-01, neither GUIDs nor links", atClockZero, bare),
		several("all of one date long ago", oneDateForAll),
		always("anchors of one page", func(_ int, it *item) {
			it.guid = "https://blog.example/log#" + it.name
			it.link = it.guid
		}),
		always("anchors of one page as GUIDs, one link, dated by the day", func(_ int, it *item) {
			it.guid = "https://blog.example/log#" + it.name
			pageOfAll(it)
			it.at = it.at.Truncate(24 * time.Hour)
		}),
		{name: "another undated document each day", at: func(day int) []item {
			return blog(12*day, 12, undated)
		}},
		{name: "a journal's issue replaces the last one", at: journal(0)},
		{name: "a journal's issue replaces the last one, with dates between", at: journal(9)},
		{name: "a document of other posts, some days old", at: func(day int) []item {
			if day < 4 {
				return blog(day, 12, nil)
			}
			items := blog(0, 7, func(it *item) {
				it.name = strings.Replace(it.name, "q", "q7", 1)
				it.guid, it.link, it.title, it.text = it.name, "https://blog.example/b/"+it.name, "Late: "+it.name,
					"<p>Late, and young: "+it.name+" was not listed before.</p>"
			})
			return append(blog(day, day-4, nil), items...)
		}},
	}
}

// journal lists the twelve articles of its current issue, and another issue from day 3 on. The dates of the
// issues overlap by a number of days.
func journal(overlap int) func(int) []item {
	return func(day int) []item {
		issue := 0
		if day >= 3 {
			issue = 1
		}
		var items []item
		for n := range 12 {
			it := posted(12*issue + n)
			it.at = midnightOf(-60 + (24-overlap)*issue + 2*n)
			it.guid, it.link = "https://journal.example/doi/"+it.name, "https://journal.example/doi/"+it.name
			items = append(items, it)
		}
		slices.Reverse(items)
		return items
	}
}
