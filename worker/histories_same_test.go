package worker_test

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// age returns how many days ago a post appeared.
func age(day int, it *item) int { return day - it.number() }

func hourLater(_ int, it *item)   { it.at = it.at.Add(61*time.Minute + 3*time.Second) }
func atClockZero(_ int, it *item) { it.at = time.Unix(0, 0).UTC() }

// sameHistories change a little of a post, or of one post only, so that it stays the same post.
func sameHistories() []history {
	newGUID, newPath := guid("tag:blog.example,2026:NAME"), all(link("https://blog.example/moved/NAME.html"),
		linkAsGUID)
	newTitle := title("Now: NAME again")
	newText := body("<p>Corrected: of NAME there was less to be said than we thought.</p>")
	anew := guid("build-DAY-NAME")
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
		always("a fragment of the GUID counts edits, dates too", edits, func(day int, it *item) {
			if age(day, it) == 1 {
				it.title = "All about " + it.name
				hourLater(day, it)
			}
		}),
		always("a fragment of the GUID counts edits, undated", edits, undated),
		edited("dates become 1970-01-01", atClockZero),
		always("dates become 1970-01-01, neither GUIDs nor links", bare, since(3, atClockZero)),
		edited("GUIDs become placeholders", guid("N/A")),
		always("a fresh post gets another GUID", one("q1004", 5, newGUID)),
		always("a fresh post gets another GUID and title", one("q1004", 5, newGUID, newTitle)),
		always("a fresh post gets another GUID, title and text", one("q1004", 5, newGUID, newTitle, newText)),
		always("a fresh post gets another path", one("q1004", 5, newPath)),
		always("a fresh post gets another path and title", one("q1004", 5, newPath, newTitle)),
		always("a fresh post gets another path and text", one("q1004", 5, newPath, newText)),
		always("a fresh post gets another path and date", one("q1004", 5, newPath, hourLater)),
		always("an old post gets another path and text", one("q998", 4, newPath, newText)),
		always("a post is published again on the next day", one("q1003", 4, newPath, later(24*time.Hour))),
		always("GUIDs made anew at each build, undated", undated, anew),
		always("GUIDs made anew at each build, undated, with counters", undated, anew,
			func(day int, it *item) { it.text += fmt.Sprintf("<p>%d comments</p>", 7*age(day, it)) }),
		always("GUIDs made anew at each build, undated, without links", undated, anew, link("")),
		always("one title is edited, neither GUIDs nor links", bare, one("q1004", 5, newTitle)),
		always("one text is edited, neither GUIDs nor links", bare, one("q1004", 5, newText)),
		always("title and text of one are edited, neither GUIDs nor links", bare, one("q1003", 5, newTitle, newText)),
		always("one is re-dated, neither GUIDs nor links", bare, one("q1003", 5, hourLater)),
		always("one is re-dated by a day, neither GUIDs nor links", bare, one("q1002", 5, later(24*time.Hour))),
		always("one is re-dated and corrected, neither GUIDs nor links", bare, one("q1003", 5, hourLater, newText)),
		always("one title is edited, neither GUIDs nor links nor dates", bare, undated, one("q1003", 5, newTitle)),
		{name: "each article twice, in two categories", at: func(day int) []item {
			var items []item
			for _, it := range blog(day, 12) {
				twin := it
				twin.guid += "-again"
				items = append(items, it, twin)
			}
			return items
		}},
		{name: "each article twice, the category first by turns", at: func(day int) []item {
			items, again := blog(day, 12), apply(day, blog(day, 12), guid("OLD-again"))
			if day%2 == 1 {
				items, again = again, items
			}
			return append(items, again...)
		}},
		always("dated ahead, GUIDs anew", later(30*24*time.Hour), anew),
	}
}

// otherHistories have new posts that have much in common with others, or old dates.
func otherHistories() []history {
	threeADay := func(_ int, it *item) { it.at = midnightOf((it.number()+30000+2)/3 - 10000).Add(-6 * time.Hour) }
	several := func(name string, edits ...edit) history { return paced(name, 3, 12, threeADay, all(edits...)) }
	placeholder, pageOfAll := guid("N/A"), link("https://blog.example/today")
	picture := all(title("Picture of the day"), body(`<img src="https://blog.example/NAME.jpg" alt="NAME">`), pageOfAll)
	pictureGUID, longAgo := guid("picture-NAME"), dated(-30, time.Hour)
	anchor := guid("https://blog.example/log#NAME")
	return []history{
		several("one GUID, link and date for several", guid("feed-id"), pageOfAll),
		several("one GUID and date for several", guid("feed-id")),
		several("one date for several, neither GUIDs nor links", bare),
		several("one date for several, untitled, neither GUIDs nor links", bare, title("")),
		several("the GUID is a placeholder", placeholder),
		several("the GUID is a placeholder, one link for all", placeholder, pageOfAll),
		single("one at a time, the GUID is a placeholder", placeholder),
		single("one at a time, the GUID is a placeholder, one link for all", placeholder, pageOfAll),
		single("a picture of the day, one at a time, no GUID", picture, noGUID),
		always("pictures of the day, no GUIDs, one link for all", picture, noGUID),
		always("pictures of the day, neither GUIDs nor dates, one link for all", picture, noGUID, undated),
		single("a picture of the day, one at a time", picture, pictureGUID),
		single("a picture of the day, one at a time, undated", picture, pictureGUID, undated),
		always("pictures of the day, one link for all", picture, pictureGUID),
		always("pictures of the day, one link for all, undated", picture, pictureGUID, undated),
		always("pictures of the day, one link and date for all", picture, pictureGUID, longAgo),
		several("all dated 1970-01-01", atClockZero),
		several("all dated 1970-01-01, neither GUIDs nor links", atClockZero, bare),
		several("all of one date long ago", longAgo),
		always("anchors of one page", anchor, link("https://blog.example/log#NAME")),
		always("anchors of one page as GUIDs, one link, dated by the day", anchor, pageOfAll, dayAlone),
		paced("another undated document each day", 12, 12, undated),
		{name: "a journal's issue replaces the last one", at: journal(0)},
		{name: "a journal's issue replaces the last one, with dates between", at: journal(9)},
		{name: "a document of other posts, some days old", at: func(day int) []item {
			if day < 4 {
				return blog(day, 12)
			}
			others := apply(day, blog(0, 7), func(_ int, it *item) { it.name = strings.Replace(it.name, "q", "q7", 1) },
				guid("NAME"), link("https://blog.example/b/NAME"), title("Late: NAME"),
				body("<p>Late, and young: NAME was not listed before.</p>"))
			return append(blog(day, day-4), others...)
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
			it.link = "https://journal.example/doi/" + it.name
			it.guid = it.link
			items = append(items, it)
		}
		slices.Reverse(items)
		return items
	}
}
