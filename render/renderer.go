// Package render makes an edition into mail: a subject, a page of HTML and a
// plain text, all three from the same Edition. It also makes the posts' texts
// for pages in a browser, and letters. It is pure: no clock, no network, no
// database; the same Edition always gives the same bytes.
//
// A post is rendered once, by Renderer.Post, and shared by all its readers; Mail
// only chooses how much of each post fits and puts the pieces in a row. Nothing
// of a feed reaches a mail but plain text, escaped, and http(s) addresses.
//
// What mail looks like is in templates, and in styles.go for what stands within
// posts; its colours and fonts are in theme.go.
package render

// A Renderer makes posts, sections and mail. It holds the templates, which are
// read once. It is safe for concurrent use.
type Renderer struct {
	proxy Proxy

	edition *part[editionData]
	notice  *part[noticeData]
	more    *part[moreData]

	label, labelAlone, head   *part[headingData]
	lateLabel, lateHead, rest *part[headingData]

	headline, row, top   *part[postData]
	post, teaser, onward *part[postData]

	late, lateRTL, notLate *lateMarks
}

// New makes a Renderer. proxy gives the addresses of pictures for readers who
// want them shown; without one their descriptions are shown.
func New(proxy Proxy) *Renderer {
	all := parseTemplates()
	heading := func(name string) *part[headingData] { return newPart[headingData](all, name) }
	post := func(name string) *part[postData] { return newPart[postData](all, name) }
	r := &Renderer{
		proxy:   proxy,
		edition: newPart[editionData](all, "edition"), notice: newPart[noticeData](all, "notice"), more: newPart[moreData](all, "more"),
		label: heading("section-label"), labelAlone: heading("section-label-alone"), head: heading("section-head"),
		lateLabel: heading("late-label"), lateHead: heading("late-head"), rest: heading("rest"),
		headline: post("headline"), row: post("row"), top: post("post-top"),
		post: post("post"), teaser: post("teaser"), onward: post("onward"),
	}
	r.late, r.lateRTL, r.notLate = r.newLateMarks(false), r.newLateMarks(true), &lateMarks{}
	return r
}
