package feed

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mmcdole/gofeed"

	"digest/test/tier"
)

// TestAgainstGofeed reads every RSS and Atom document of the corpus that gofeed can read too. The package must find
// every post and every fact that gofeed finds. Almost all values are equal; docs/parsing.md explains the others.
func TestAgainstGofeed(t *testing.T) {
	tier.Alone(t)
	root := filepath.Join(sharedDir(t), "corpus")
	documents, facts, others := 0, 0, 0
	walk(t, root, func(path string, body []byte) {
		theirs, err := gofeed.NewParser().Parse(bytes.NewReader(body))
		if err != nil || theirs.FeedType == "json" {
			return
		}
		rel, _ := filepath.Rel(root, path)
		name := filepath.ToSlash(rel)
		ours, err := Parse(body, "", "")
		if err != nil || len(ours.Posts) < len(theirs.Items) {
			t.Errorf("%s: %+v, %v; gofeed reads %d posts", name, ours, err, len(theirs.Items))
		}
		known := feedparserDiffers[strings.TrimPrefix(name, "suites/feedparser/tests/")] != ""
		if err != nil || known || len(ours.Posts) != len(theirs.Items) {
			return
		}
		documents++
		check := func(what, value, other string) {
			line := plainLine(other, unsaid)
			if line == "" {
				return
			}
			if facts++; value != other && value != line {
				others++
			}
			if value == "" {
				t.Errorf("%s: no %s, gofeed reads %q", name, what, other)
			}
		}
		check("title", ours.Title, theirs.Title)
		check("link", ours.Link, theirs.Link)
		for i, item := range theirs.Items {
			got := factsOf(&ours.Posts[i])
			check("title", got["title"], item.Title)
			check("link", got["link"], item.Link)
			check("id", got["id"], item.GUID)
			if item.Author != nil {
				check("author", got["author"], firstOf(item.Author.Name, item.Author.Email))
			}
			if at := item.PublishedParsed; at != nil && at.Year() > 1000 {
				check("date", got["date"], at.UTC().String())
			}
			if len(item.Enclosures) > 0 {
				check("enclosure", got["enclosure"], item.Enclosures[0].URL)
			}
			if len(ours.Posts[i].bodies) == 0 {
				check("text", "", firstOf(item.Content, item.Description))
			}
		}
	})
	if t.Logf("%d facts in %d documents, %d other values", facts, documents, others); 100*others > facts {
		t.Error("more than one in a hundred values differs")
	}
}
