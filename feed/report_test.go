package feed

import (
	"encoding/json"
	"testing"
)

// TestReport: an outline without a title is reported under its address, and stays
// without one in the document; a page's feed has none then; a list that is empty is
// a list, and what a document cannot have is left out.
func TestReport(t *testing.T) {
	for name, c := range map[string]struct {
		doc  Document
		want string
	}{
		"list": {Document{Kind: OPML, Feeds: []Offer{{URL: "https://a.example/", Folder: "F", Line: 3, Paused: true}}},
			`{"kind":"opml","title":null,"link":null,"language":null,"count":1,"feeds":[{"url":"https://a.example/","title":"https://a.example/","folder":"F"}]}`},
		"page": {Document{Kind: HTML, Feeds: []Offer{{URL: "https://a.example/", Type: "application/rss+xml"}}},
			`{"kind":"html","title":null,"link":null,"language":null,"count":1,"feeds":[{"url":"https://a.example/","title":"","type":"application/rss+xml"}]}`},
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
