package feed

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sharedDir returns the directory with the data that all checkouts share, beside the module.
func sharedDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("DIGEST_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "corpus")); err != nil {
		t.Skip("the shared corpus is not beside this checkout (or in DIGEST_SHARED)")
	}
	return dir
}

var (
	expectLine = regexp.MustCompile(`Expect:\s*(.+)`)
	headerLine = regexp.MustCompile(`(?i)Header:\s*Content-Type:\s*(.+)`)
	pySource   = `(feed|entries\[(\d+)\])(?:\.(\w+)|\[u?'(\w+)'\])(?:\[(\d+)\])?(?:\[u?'(\w+)'\])?\s*==\s*(u?'(?:[^'\\]|\\.)*'|u?"(?:[^"\\]|\\.)*"|\([^)]*\))`
	pyEquation = regexp.MustCompile(pySource)
)

// An expectation is a condition in feedparser's suite about a value that digest reads.
type expectation struct {
	entry int // -1: the feed
	field string
	want  string
}

func expectations(doc string) []expectation {
	m := expectLine.FindStringSubmatch(doc)
	if m == nil || strings.Contains(m[1], " or ") {
		return nil
	}
	var out []expectation
	for _, e := range pyEquation.FindAllStringSubmatch(m[1], -1) {
		x := expectation{entry: -1, field: firstOf(e[3], e[4])}
		if e[2] != "" {
			x.entry, _ = strconv.Atoi(e[2])
		}
		if e[5] != "" && e[5] != "0" {
			continue
		}
		if x.field == "enclosures" {
			x.field = "enclosure." + e[6]
		} else if e[6] != "" || e[5] != "" {
			x.field += "." + e[6]
		}
		x.want = pythonValue(e[7])
		out = append(out, x)
	}
	return out
}

// pythonValue reads a literal: a string, or a time tuple, which it returns in RFC 3339.
func pythonValue(s string) string {
	if strings.HasPrefix(s, "(") {
		var n []int
		for f := range strings.SplitSeq(strings.Trim(s, "()"), ",") {
			i, _ := strconv.Atoi(strings.TrimSpace(f))
			n = append(n, i)
		}
		if len(n) < 6 {
			return s
		}
		return fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02dZ", n[0], n[1], n[2], n[3], n[4], n[5])
	}
	s = strings.TrimPrefix(s, "u")
	s = s[1 : len(s)-1]
	s = strings.ReplaceAll(strings.ReplaceAll(s, `\'`, `'`), `"`, `\"`)
	s = strings.ReplaceAll(s, `\x`, `\u00`)
	if u, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `\\"`, `\"`) + `"`); err == nil {
		return u
	}
	return s
}

// fact returns digest's value for a field of feedparser; false: digest does not store it.
func fact(d *Document, x expectation) (string, bool) {
	if x.entry < 0 {
		switch x.field {
		case "title":
			return d.Title, true
		case "link":
			return d.Link, true
		case "language":
			return d.Language, true
		}
		return "", false
	}
	e := &Post{}
	if x.entry < len(d.Posts) {
		e = &d.Posts[x.entry]
	}
	switch x.field {
	case "title":
		return e.Title, true
	case "link":
		return e.Link, true
	case "id", "guid":
		return e.GUID, true
	case "author", "author_detail.name":
		return e.Author, true
	case "published_parsed", "created_parsed", "issued_parsed", "updated_parsed":
		return e.Published.Format("2006-01-02T15:04:05Z"), true
	case "enclosure.href", "enclosure.url", "enclosure.type":
		if len(e.Enclosures) == 0 {
			return "", true
		}
		if x.field == "enclosure.type" {
			return e.Enclosures[0].Type, true
		}
		return e.Enclosures[0].URL, true
	}
	return "", false
}

func TestFeedparserSuite(t *testing.T) {
	root := filepath.Join(sharedDir(t), "corpus", "suites", "feedparser", "tests")
	facts, wrong := 0, 0
	walk(t, root, func(path string, body []byte) {
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		doc, _ := decode(body, "")
		contentType := ""
		if m := headerLine.FindStringSubmatch(doc); m != nil {
			contentType = strings.TrimSpace(m[1])
		}
		d, err := Parse(body, contentType, "http://127.0.0.1:8097/tests/"+rel)
		for _, x := range expectations(doc) {
			if err != nil {
				if feedparserDiffers[rel] == "" && x.field != "encoding" {
					if _, ours := fact(&Document{}, x); ours {
						t.Errorf("%s: %v", rel, err)
					}
				}
				continue
			}
			got, ours := fact(d, x)
			if !ours {
				continue
			}
			facts++
			if want := x.want; got != want && got != plainLine(want, formOf(want)) {
				if feedparserDiffers[rel] == "" {
					t.Errorf("%s: entry %d %s = %q, feedparser says %q", rel, x.entry, x.field, got, want)
				}
				wrong++
			}
		}
	})
	t.Logf("%d facts, %d where we mean to differ", facts, wrong)
}

// feedparserDiffers lists intended differences from feedparser, with reasons.
var feedparserDiffers = map[string]string{
	"entities/lang.xml":                                            "U+27E8 since HTML 5",
	"entities/rang.xml":                                            "U+27E9 since HTML 5",
	"wellformed/atom/entry_author_map_author.xml":                  "a name needs no address",
	"wellformed/atom10/entry_author_map_author.xml":                "a name needs no address",
	"wellformed/atom/entry_created_multiple_values.xml":            "the first of two counts",
	"wellformed/atom/entry_updated_multiple_values.xml":            "the first of two counts",
	"wellformed/base/http_channel_link_base_content_location.xml":  "Content-Location is not handed to Parse",
	"wellformed/base/http_item_link_base_content_location.xml":     "Content-Location is not handed to Parse",
	"wellformed/base/http_entry_id_base_content_location.xml":      "an id is a name, not an address",
	"wellformed/base/http_entry_id_base_docuri.xml":                "an id is a name, not an address",
	"wellformed/http/headers_content_location-relative.xml":        "Content-Location is not handed to Parse",
	"wellformed/lang/http_content_language.xml":                    "Content-Language is not handed to Parse",
	"wellformed/sanitize/entry_title_crazy.xml":                    "we keep the text",
	"wellformed/sanitize/feed_title_crazy.xml":                     "we keep the text",
	"wellformed/sanitize/xml_declaration_unexpected_character.xml": "a declaration is no text",
	"wellformed/sanitize/xml_malicious_comment.xml":                "the comment goes to the end, as in browsers",
}

func walk(t *testing.T, root string, f func(path string, body []byte)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f(path, body)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A pair contains the expectations of the two other suites: gofeed's universal feed, and feedparser's result in the
// fastfeedparser suite.
type pair struct {
	Title, Link, Language string
	Feed                  *pair
	Items, Entries        []pairEntry
}

type pairEntry struct {
	Title, Link, GUID, ID, PublishedParsed string
	Published                              string
	Author                                 json.RawMessage
	Enclosures                             []struct{ URL, Href string }
}

func TestPairSuites(t *testing.T) {
	suites := filepath.Join(sharedDir(t), "corpus", "suites")
	for _, dir := range []string{"gofeed/testdata/translator", "fastfeedparser-integration/tests/integration"} {
		root := filepath.Join(suites, filepath.FromSlash(dir))
		walk(t, root, func(path string, body []byte) {
			expected, err := os.ReadFile(strings.TrimSuffix(path, ".xml") + ".json")
			if !strings.HasSuffix(path, ".xml") || err != nil {
				return
			}
			var want pair
			if err := json.Unmarshal(expected, &want); err != nil {
				t.Logf("%s: %v", filepath.Base(path), err)
				return
			}
			if reason := pairsDiffer[filepath.Base(path)]; reason == "" {
				comparePair(t, filepath.Base(path), body, &want)
			}
		})
	}
}

var pairsDiffer = map[string]string{
	"feed_item_links_-_rss_channel_item_links.xml": "the first of several links counts",
	"feed_links_-_rdf_channel_links.xml":           "the first of several links counts",
	"feed_links_-_rss_channel_links.xml":           "the first of several links counts",
	"malformed_rss_namespaced.xml":                 "a link is not an id",
	"utf16_encoded.xml":                            "a link is not an id",
	"osm-pl.xml":                                   "cut off in its eighth item; whole items only",
}

func comparePair(t *testing.T, name string, body []byte, want *pair) {
	t.Helper()
	d, err := Parse(body, "", "")
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	check := func(what, got, want string) {
		t.Helper()
		if want != "" && got != want && got != plainLine(want, formOf(want)) {
			t.Errorf("%s: %s = %q, the suite says %q", name, what, got, want)
		}
	}
	feed, entries := want, want.Items
	if want.Feed != nil {
		feed, entries = want.Feed, want.Entries
	}
	check("title", d.Title, feed.Title)
	check("link", d.Link, feed.Link)
	check("language", d.Language, feed.Language)
	if len(entries) != len(d.Posts) && len(entries) > 0 {
		t.Errorf("%s: %d entries, the suite says %d", name, len(d.Posts), len(entries))
		return
	}
	for i, w := range entries {
		e := &d.Posts[i]
		check("entry title", e.Title, w.Title)
		check("entry link", e.Link, w.Link)
		check("entry id", e.GUID, firstOf(w.GUID, w.ID))
		if date := firstOf(w.PublishedParsed, w.Published); date != "" {
			check("entry date", e.Published.String(), parseDate(date).String())
		}
		var person struct{ Name, Email string }
		author := ""
		if json.Unmarshal(w.Author, &author) != nil && json.Unmarshal(w.Author, &person) == nil {
			author = firstOf(person.Name, person.Email)
		}
		if personName(author) != e.Author {
			check("entry author", e.Author, author)
		}
		if len(w.Enclosures) > 0 && len(e.Enclosures) > 0 {
			check("enclosure", e.Enclosures[0].URL, firstOf(w.Enclosures[0].URL, w.Enclosures[0].Href))
		}
	}
}

func formOf(s string) form {
	if strings.ContainsAny(s, "<&") {
		return markup
	}
	return unsaid
}
