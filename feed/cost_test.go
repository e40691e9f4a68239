package feed

import (
	"strings"
	"testing"
	"time"

	"digest/test/grammar"
	"digest/test/tier"
)

// hostilePages and hostileLists are parts of pages that a site may serve, and of lists that a reader may upload, to
// consume much time.
var (
	hostilePages = map[string]string{
		"elements in each other": "<div>", "offers": "<link rel=alternate type=application/rss+xml href=/#>",
		"the same offer": "<link rel=feed href=/>",
		"bases":          "<base href=http://#>", "titles": "<title></title>", "a title of tags": "<b>&amp;",
		"titles in SVG":    "<svg><title>",
		"tags without end": "<", "declarations": "<!", "comments": "<!--", "sections": "<![CDATA[",
		"scripts": "<script><!--<script>",
		"quotes":  "<a b='", "attributes": "<link rel=alternate a#=b c#>", "ends of none": "<textarea></texta",
		"ampersands": "&", "zeros": "\x00",
	}
	hostileLists = map[string]string{
		"feeds": `<outline xmlUrl="http://x.org/#"/>`, "folders in each other": `<outline text="a#">`,
		"feeds in each other": `<outline text="a#" xmlUrl="http://x.org/#">`,
		"quotes without end":  `<outline text="a# xmlUrl='http://x.org/#'>`, "tags without end": `<outline text=a `,
		"no names":       `<outline xmlUrl= `,
		"tags in quotes": `<outline a="><b `, "tags in tags": `<outline><a `,
		"entities": `<!ENTITY a# "&a#;&a#;"><outline text="&a#;"/>`, "ends": `</outline>`,
		"titles": `<title>`, "escaped": `&lt;outline xmlUrl="http://x.org/#"/&gt;`,
		"no addresses": `<outline type=rss text="a#"/>`, "half a root": "<opm",
		"instructions": "<?", "sections": "<![CDATA[", "declarations": "<!", "types": "<!DOCTYPE x [",
		"two bytes a letter": "\xe4\xa4",
	}
)

// TestCostOfPagesAndLists checks that eight times the length costs at most 24 times the time. It repeats measurements
// that other processes disturb.
func TestCostOfPagesAndLists(t *testing.T) {
	tier.Acceptance(t)
	page := func(s string) { _, _ = Parse([]byte("<!doctype html><html><body>"+s), "text/html", "http://x.org/") }
	list := func(s string) { _, _ = ReadList([]byte(`<opml version="2.0"><body>` + s)) }
	for read, texts := range map[*func(string)]map[string]string{&page: hostilePages, &list: hostileLists} {
		for name, part := range texts {
			checkGrowth(t, 20, name, grammar.Repeated(1<<20, part), grammar.Repeated(8<<20, part), *read)
		}
	}
}

// TestCostOfFeeds does the same for feeds of a quarter of that size.
func TestCostOfFeeds(t *testing.T) {
	tier.Acceptance(t)
	read := func(s string) { _, _ = Parse([]byte(s), "", "http://x.org/") }
	for _, h := range hostiles {
		checkGrowth(t, 20, h.name, h.make(1<<18), h.make(1<<21), read)
	}
}

// TestCostOfHostsAndMarks checks the same for documents whose cost is not in their length. They are small enough for
// every run.
func TestCostOfHostsAndMarks(t *testing.T) {
	tier.Alone(t)
	read := func(s string) { _, _ = Parse([]byte(s), "", "http://x.org/") }
	for _, h := range hostiles {
		if !t.Failed() && (strings.HasPrefix(h.name, "hosts ") || strings.HasPrefix(h.name, "marked: ")) {
			checkGrowth(t, 5, h.name, h.make(1<<12), h.make(1<<15), read)
		}
	}
	host := numbered(`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://`+otherLetters(250)+`/">`,
		`<entry><link href="b#"/></entry>`, `</feed>`)(1 << 16)
	plain := strings.Replace(host, otherLetters(250), strings.Repeat("a", len(otherLetters(250))), 1)
	for try := 1; ; try++ {
		if other, ascii := timeOf(func() { read(host) }),
			timeOf(func() { read(plain) }); other <= 5*ascii+50*time.Millisecond {
			break
		} else if try == 5 {
			t.Errorf("a host of other letters takes %v, one of ASCII %v", other, ascii)
			break
		}
	}
}

// checkGrowth checks that the long text, eight times as long as the short one, costs at most 24 times as much.
func checkGrowth(t *testing.T, tries int, name, short, long string, read func(string)) {
	t.Helper()
	for try := 1; ; try++ {
		first, all := timeOf(func() { read(short) }), timeOf(func() { read(long) })
		if all <= 24*first+50*time.Millisecond {
			return
		}
		if try == tries {
			t.Errorf("%s: %d bytes %v, %d bytes %v: %.60s", name, len(short), first, len(long), all,
				strings.ReplaceAll(short, "\x00", "0"))
			return
		}
	}
}

// TestListsAreNotReadAgainAndAgain limits how often tags without an end are searched.
func TestListsAreNotReadAgainAndAgain(t *testing.T) {
	doc := `<opml version="2.0"><body>` + grammar.Repeated(1<<16, `<outline xmlUrl= `)
	r := &listReader{scanner: scanner{doc: doc}, Document: &Document{Kind: OPML}, folders: []string{""}, line: 1}
	for tok := r.next(); tok.kind != tokenEOF; tok = r.next() {
		if tok.kind == tokenStart && tok.name == "outline" {
			r.outline(&tok)
		}
	}
	if r.again > (mostReread+1)*len(doc) || len(r.Repairs) != 1 {
		t.Errorf("%d bytes of %d were read again, %v", r.again, len(doc), r.Repairs)
	}
}

func timeOf(f func()) time.Duration {
	begun := time.Now()
	f()
	return time.Since(begun)
}
