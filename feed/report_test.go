package feed

import (
	"encoding/json"
	"testing"
)

// TestReport checks that a list's outline without a title gets its address as its title, but a page's feed gets none.
// An empty list is [], and fields that a kind of document cannot have are absent.
func TestReport(t *testing.T) {
	for name, c := range map[string]struct {
		doc  Document
		want string
	}{
		"list": {Document{Kind: OPML, Feeds: []Offer{{URL: "https://a.example/", Folder: "F", Line: 3, Paused: true}}},
			`{"kind":"opml","title":null,"link":null,"language":null,"count":1,` +
				`"feeds":[{"url":"https://a.example/","title":"https://a.example/","folder":"F"}]}`},
		"page": {Document{Kind: HTML, Feeds: []Offer{{URL: "https://a.example/", Type: "application/rss+xml"}}},
			`{"kind":"html","title":null,"link":null,"language":null,"count":1,` +
				`"feeds":[{"url":"https://a.example/","title":"","type":"application/rss+xml"}]}`},
		"empty": {Document{Kind: OPML},
			`{"kind":"opml","title":null,"link":null,"language":null,"count":0,"feeds":[]}`},
		"feed": {Document{Kind: Atom},
			`{"kind":"atom","title":null,"link":null,"language":null,"count":0,"entries":[]}`},
	} {
		got, err := json.Marshal(Report(&c.doc))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
		for _, o := range c.doc.Feeds {
			if o.Title != "" {
				t.Errorf("%s: the report gave the document the title %q", name, o.Title)
			}
		}
	}
}
