package feed

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An expected contains a suite's expectations for a feed or an item: any of the values is correct.
type expected map[string][]string

// expectedBy reads the objects of several suites: gofeed's formats, its common feed, JSON Feed, and granary's objects
// of ActivityStreams 1.
func expectedBy(o map[string]any) expected {
	s := expected{}
	for name, as := range map[string]string{
		"title": "title", "displayName": "title", "link": "link", "links": "link", "url": "link",
		"home_page_url": "link", "language": "language",
		"guid": "id", "id": "id", "pubDateParsed": "date", "publishedParsed": "date", "updatedParsed": "date",
		"date_published": "date", "published": "date",
		"author": "author", "authors": "author", "enclosure": "enclosure", "enclosures": "enclosure",
		"attachments": "enclosure",
	} {
		s[as] = append(s[as], stringsIn(o[name])...)
	}
	return s
}

// stringsIn returns the strings of a value; of an object, its names and addresses.
func stringsIn(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, stringsIn(one)...)
		}
		return all
	case map[string]any:
		var all []string
		for _, name := range []string{"value", "href", "name", "email", "displayName", "url", "stream"} {
			all = append(all, stringsIn(v[name])...)
		}
		return all
	}
	return nil
}

func objectsIn(o map[string]any, names ...string) []map[string]any {
	var all []map[string]any
	for _, name := range names {
		list, _ := o[name].([]any)
		for _, v := range list {
			if object, is := v.(map[string]any); is {
				all = append(all, object)
			}
		}
	}
	return all
}

// check compares the parsed values with a suite's, and returns the number of comparisons.
func (s expected) check(t *testing.T, name string, got map[string]string) (facts int) {
	t.Helper()
	for _, what := range slices.Sorted(maps.Keys(got)) {
		if s[what] = slices.DeleteFunc(s[what], func(v string) bool { return strings.TrimSpace(v) == "" }); len(
			s[what]) == 0 {
			continue
		}
		facts++
		same := func(want string) bool {
			switch what {
			case "date":
				return parseDate(want).IsZero() && got[what] == "" || parseDate(want).UTC().String() == got[what]
			case "author":
				return slices.Contains(strings.Split(got[what], ", "), personName(want)) ||
					got[what] == personName(want)
			case "title":
				return got[what] == plainLine(want, unsaid) || got[what] == plainLine(want, markup) ||
					got[what] == (text{raw: want}).plain()
			}
			return got[what] == strings.TrimSpace(want)
		}
		if !slices.ContainsFunc(s[what], same) && peersDiffer[name+" "+what] == "" {
			t.Errorf("%s: %s is %q, the suite says %q", name, what, got[what], s[what])
		}
	}
	return facts
}

func factsOf(p *Post) map[string]string {
	f := map[string]string{"title": p.Title, "link": p.Link, "id": p.GUID, "author": p.Author, "date": "",
		"enclosure": ""}
	if !p.Published.IsZero() {
		f["date"] = p.Published.String()
	}
	if len(p.Enclosures) > 0 {
		f["enclosure"] = p.Enclosures[0].URL
	}
	return f
}

// TestGofeedSuite compares the result with the expectations of gofeed's own tests for each format.
func TestGofeedSuite(t *testing.T) {
	root := filepath.Join(sharedDir(t), "corpus", "suites", "gofeed", "testdata")
	facts := 0
	for _, dir := range []string{"parser/atom", "parser/rss", "parser/json", "translator/json", "extensions"} {
		walk(t, filepath.Join(root, filepath.FromSlash(dir)), func(path string, body []byte) {
			rel, _ := filepath.Rel(root, path)
			name, beside := filepath.ToSlash(rel), strings.TrimSuffix(path, ".xml")+".json"
			if strings.HasSuffix(path, ".json") {
				beside = strings.TrimSuffix(path, ".json") + "_expected.json"
			}
			beneath, err := os.ReadFile(beside)
			if err != nil || strings.HasSuffix(path, "_expected.json") {
				return
			}
			var want map[string]any
			if err := json.Unmarshal(beneath, &want); err != nil {
				t.Fatal(name, err)
			}
			d, err := Parse(body, "", "")
			if err != nil {
				if peersDiffer[name] == "" {
					t.Errorf("%s: %v", name, err)
				}
				return
			}
			facts += expectedBy(want).check(t, name,
				map[string]string{"title": d.Title, "link": d.Link, "language": d.Language})
			items := objectsIn(want, "items", "entries")
			if len(items) != len(d.Posts) && len(items) > 0 && peersDiffer[name] == "" {
				t.Errorf("%s: %d posts, the suite says %d", name, len(d.Posts), len(items))
				return
			}
			for i := range min(len(items), len(d.Posts)) {
				facts += expectedBy(items[i]).check(t, name, factsOf(&d.Posts[i]))
			}
		})
	}
	if _, err := Parse([]byte(`{"broken"`), "", ""); err == nil {
		t.Error("what is broken is a feed")
	}
	t.Logf("%d facts", facts)
}

func TestGranarySuite(t *testing.T) {
	root := filepath.Join(sharedDir(t), "corpus", "suites", "granary", "granary", "tests", "testdata")
	facts := 0
	walk(t, root, func(path string, body []byte) {
		for end, beside := range map[string]string{".rss.xml": ".as-from-rss.json",
			".feed.json": ".as-from-feed.json"} {
			stem, found := strings.CutSuffix(path, end)
			if !found {
				continue
			}
			beneath, err := os.ReadFile(stem + beside)
			if err != nil {
				beneath, err = os.ReadFile(stem + ".as.json")
			}
			var want any
			if err != nil || json.Unmarshal(beneath, &want) != nil {
				t.Fatal(path, err)
			}
			d, err := Parse(body, "", "")
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			items := objectsIn(map[string]any{"": want}, "")
			for i := range min(len(items), len(d.Posts)) {
				facts += expectedBy(items[i]).check(t, "granary/"+filepath.Base(path), factsOf(&d.Posts[i]))
			}
		}
	})
	t.Logf("%d facts", facts)
}

// TestGranaryAccounts compares single posts of pages, outboxes and Bluesky with the same posts in ActivityStreams 1.
func TestGranaryAccounts(t *testing.T) {
	root := filepath.Join(sharedDir(t), "corpus", "suites", "granary", "granary", "tests", "testdata")
	facts := 0
	walk(t, root, func(path string, body []byte) {
		stem, format, _ := strings.Cut(filepath.Base(path), ".")
		address, doc := granaryDocument(format, body)
		if doc == "" {
			return
		}
		var want map[string]any
		for _, beside := range []string{".as-from-" + strings.Split(format, ".")[0] + ".json", ".as.json"} {
			if b, err := os.ReadFile(filepath.Join(filepath.Dir(path), stem+beside)); err == nil && want == nil {
				_ = json.Unmarshal(b, &want) // one file contains raw tabs
			}
		}
		if d, err := Parse([]byte(doc), "", address); err == nil && want != nil {
			if format == "bsky.json" {
				delete(want, "attachments") // they are the quoted post
			}
			if f := d.AsFeed(); f != nil {
				d = f
			}
			for i := range min(1, len(d.Posts)) {
				facts += expectedBy(want).check(t, "granary/"+filepath.Base(path), factsOf(&d.Posts[i]))
			}
		}
	})
	t.Logf("%d facts", facts)
}

// granaryDocument wraps a single post of one of granary's formats in a feed; "": another format.
func granaryDocument(format string, body []byte) (address, doc string) {
	switch format {
	case "mf2.html":
		return "https://x.example/", "<html><body>" + string(body)
	case "bsky.json":
		return "https://x.example/", `{"feed":[` + string(body) + `]}`
	case "as2.json":
		var o map[string]any
		if json.Unmarshal(body, &o) != nil || o["id"] == nil {
			return "", ""
		}
		o["to"] = "as:Public"
		item, _ := json.Marshal(o)
		id, _ := o["id"].(string)
		return "https://" + hostAndPort(id) + "/outbox", `{"type":"OrderedCollectionPage","orderedItems":[` +
			string(item) + `]}`
	}
	return "", ""
}

// TestValidatorSuite checks that the parser reads every feed in which W3C's validator finds no errors.
func TestValidatorSuite(t *testing.T) {
	root := filepath.Join(sharedDir(t), "corpus", "suites", "feedvalidator", "testcases")
	read := 0
	walk(t, root, func(path string, body []byte) {
		rel, _ := filepath.Rel(root, path)
		name := filepath.ToSlash(rel)
		m := expectLine.FindSubmatch(body)
		if !strings.HasSuffix(path, ".xml") || m == nil || !strings.HasPrefix(string(m[1]), "!") ||
			strings.HasPrefix(name, "kml/") || strings.HasPrefix(name, "opensearch/") {
			return
		}
		if _, err := Parse(body, "", "http://example.org/"); err != nil && peersDiffer["feedvalidator/"+name] == "" {
			t.Errorf("feedvalidator/%s: %v", name, err)
		}
		read++
	})
	t.Logf("%d documents", read)
}

// peersDiffer lists intended differences from the suites, by file or by file and fact, with reasons; docs/parsing.md
// has the same table.
var peersDiffer = map[string]string{
	"parser/atom/atom10_feed_link_multiple.xml link":       "a link to the feed itself is none to its site",
	"parser/atom/feed_link_xml_base.xml link":              "a link to the feed itself is none to its site",
	"parser/atom/entry_id_xml_base.xml id":                 "an id is a name, not an address (RFC 4287 section 4.2.6)",
	"parser/rss/rss_channel_item_guid_naked_markup.xml id": "a GUID is plain text",
	"granary/feed_with_audio_video.rss.xml author":         "the title of a feed is no person",
	"granary/feed_with_authors.rss.xml author":             "the title of a feed is no person",
	"granary/feed_with_note.rss.xml author":                "the title of a feed is no person",
	"granary/activity_with_actor.as2.json id": "a post has the id of its object, not of the activity " +
		"that published it",
	"granary/repost.as2.json link":         "a boost leads to what it passes on",
	"granary/note.bsky.json link":          "an account keeps its DID; its handle may change",
	"granary/quote.bsky.json link":         "an account keeps its DID; its handle may change",
	"feedvalidator/ext/app/category.xml":   "categories of the Atom Publishing Protocol are no feed",
	"feedvalidator/ext/xrd/spec_noerr.xml": "XRDS is no feed",
}
