package feed

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestIdentity(t *testing.T) {
	d := mustParse(t, `<rss><channel>
		<item><guid>a</guid><link>https://x.org/1</link><title>1</title></item>
		<item><link>https://x.org/2</link><title>2</title></item>
		<item><title>3</title><pubDate>Mon, 02 Jan 2006 15:04:05 GMT</pubDate></item>
		<item><guid>same</guid><link>https://x.org/4</link><title>4</title></item>
		<item><guid>same</guid><link>https://x.org/5</link><title>5</title></item>
		<item><guid>same</guid><link>https://x.org/6</link><title>6</title></item>
		<item><guid>same</guid><link>https://x.org/6</link><title>7</title></item>
		<item><guid>`+strings.Repeat("long", 1000)+`</guid></item>
		<item><description>only words</description></item>
	</channel></rss>`, "")
	want := []string{"a", "https://x.org/2", "", "https://x.org/4", "https://x.org/5", "", "", "", ""}
	seen := map[string]bool{}
	for i, e := range d.Posts {
		if want[i] != "" && e.Identity != want[i] {
			t.Errorf("entry %d: identity %q, want %q", i, e.Identity, want[i])
		}
		if want[i] == "" && !strings.HasPrefix(e.Identity, "sha256:") {
			t.Errorf("entry %d: identity %q, want a hash", i, e.Identity)
		}
		if seen[e.Identity] || len(e.Identity) > maxAddress {
			t.Errorf("entry %d: identity %.40q is not its own", i, e.Identity)
		}
		seen[e.Identity] = true
	}
}

// TestRepetitions checks that repeated entries of a document share one identity. Each case lists the entries, and for
// each the index of the entry that it repeats.
func TestRepetitions(t *testing.T) {
	texts := strings.NewReplacer("-", "", "date", "Mon, 16 Nov 2026 10:00:00 GMT", "later",
		"Mon, 16 Nov 2026 11:00:00 GMT")
	for _, c := range []struct{ reason, entries, want string }{ // of an entry: GUID, path, date, title and text
		{"one GUID, link and date; an edited title", "a p date T words + a p date U words", "0 0"},
		{"one GUID, link and date; an edited text", "a p date T words + a p date T others", "0 0"},
		{"one GUID, link and date; other titles and texts", "a p date T words + a p date U others", "0 1"},
		{"one GUID, link and date; an edited title, no text", "a p date T - + a p date U -", "0 0"},
		{"anchors of one page, no texts", "c#0 p date T - + c#1 p date U -", "0 1"},
		{"one GUID and link, other dates", "a p date T words + a p later T words", "0 1"},
		{"all the same but the GUID", "a p date T words + b p date T words", "0 0"},
		{"all the same but the GUID, undated", "a p - T words + b p - T words", "0 0"},
		{"all the same but the GUID, neither link nor date", "a - - T words + b - - T words", "0 1"},
		{"a GUID and link without a date; an edited text", "a p - T words + a p - T others", "0 1"},
		{"a fragment counts edits of the title", "c#0 p date T words + c#1 p date U words", "0 0"},
		{"one article twice, an excerpt and the whole",
			"a p date T words + b p date T words and more + c q date C words + d r date D words", "0 0 2 3"},
		{"one article twice, with a counter in an address",
			"a p date T words + b p/?utm_source=x date T words + c q date C words", "0 0 2"},
		{"one article twice, with a counter in an address, undated",
			"a p - T words + b p?utm_source=x - T words + c p?utm_source=y - T others", "0 0 2"},
		{"one link, title and date for all", "a p date T words + b p date T others", "0 1"},
		{"anchors of one page", "c#0 p date T words + c#1 p date T others", "0 1"},
		{"the third repeats by its text the second", "a p date T words + a p date T more + a p date U more", "0 0 0"},
		{"one title and date, no GUID and no link", "- - date T words + - - date T others", "0 1"},
	} {
		doc := "<rss><channel>"
		for e := range strings.SplitSeq(c.entries, " + ") {
			f := strings.SplitN(e, " ", 5)
			for i := range f {
				f[i] = texts.Replace(f[i])
			}
			if f[1] != "" {
				f[1] = "<link>https://x.org/" + f[1] + "</link>"
			}
			doc += "<item><guid isPermaLink='false'>" + f[0] + "</guid>" + f[1] + "<pubDate>" + f[2] +
				"</pubDate><title>" +
				f[3] + "</title><description>" + f[4] + "</description></item>"
		}
		d := mustParse(t, doc+"</channel></rss>", "")
		var got []string
		for _, p := range d.Posts {
			got = append(got, strconv.Itoa(slices.IndexFunc(d.Posts,
				func(q Post) bool { return q.Identity == p.Identity })))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: the entries repeat %s, want %s", c.reason, got, c.want)
		}
	}
}

func TestNoIdentity(t *testing.T) {
	for _, guid := range []string{"N/A", "none", "NULL", "0", " - ", "[undefined]",
		"00000000-0000-0000-0000-000000000000"} {
		p := first(t, item("<guid isPermaLink='false'>"+guid+"</guid><link>https://x.org/1</link>"))
		if p.Identity != "https://x.org/1" || p.Alias != "" {
			t.Errorf("%s: identity %q, alias %q, want the link alone", guid, p.Identity, p.Alias)
		}
	}
	for _, date := range []string{"Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 01 Jan 1970 05:30:00 +0530",
		"1969-12-31T16:00:00-08:00", "1900-01-01", "1601-01-01T00:00:00Z"} {
		if p := first(t, item("<guid>a</guid><pubDate>"+date+"</pubDate>")); !p.Published.IsZero() {
			t.Errorf("%s is read as %s, want no date", date, p.Published)
		}
	}
	if p := first(t, item("<guid>a</guid><pubDate>Fri, 02 Jan 1970 15:00:00 GMT</pubDate>")); p.Published.IsZero() {
		t.Error("a date a day after the zero of Unix is not read")
	}
}

func TestHashChangesWithEdits(t *testing.T) {
	base := first(t, item(`<guid>a</guid><title>T</title><link>https://x.org/1</link><description>words</description>`))
	for _, c := range []struct {
		reason, inside string
		same           bool
	}{
		{"nothing changed",
			`<guid>a</guid><title>T</title><link>https://x.org/1</link><description>words</description>`, true},
		{"a counter of comments", `<guid>a</guid><title>T</title><link>https://x.org/1</link><description>` +
			`words</description><comments>7</comments>`, true},
		{"the title", `<guid>a</guid><title>U</title><link>https://x.org/1</link><description>words</description>`,
			false},
		{"the link", `<guid>a</guid><title>T</title><link>https://x.org/2</link><description>words</description>`,
			false},
		{"the content", `<guid>a</guid><title>T</title><link>https://x.org/1</link><description>more ` +
			`words</description>`, false},
		{"from title to content", `<guid>a</guid><link>https://x.org/1</link><description>words</description>`, false},
	} {
		e := first(t, item(c.inside))
		if (e.Hash == base.Hash) != c.same || e.Identity != base.Identity {
			t.Errorf("%s: hash %s, before %s; identity %q", c.reason, e.Hash, base.Hash, e.Identity)
		}
	}
}
