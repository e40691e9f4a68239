package feed

import (
	"testing"
	"time"
)

// TestElsewhere checks that a JSON Feed post with its own page and an external page links to both.
func TestElsewhere(t *testing.T) {
	for name, c := range map[string]struct{ item, url, leadsTo string }{
		"both": {`"url":"https://a.example/1","external_url":"https://www.b.example/x?utm_source=a"`,
			"https://a.example/1", "https://www.b.example/x"},
		"only outside": {`"external_url":"https://b.example/x"`, "https://b.example/x", ""},
		"the same": {`"url":"https://a.example/1","external_url":"https://www.a.example/2"`, "https://a.example/1",
			""},
		"a script": {`"url":"https://a.example/1","external_url":"javascript:alert(1)"`, "https://a.example/1", ""},
		"a password": {`"url":"https://a.example/1","external_url":"https://u:p@b.example/"`, "https://a.example/1",
			"https://b.example/"},
	} {
		doc, err := Parse([]byte(
			`{"version":"https://jsonfeed.org/version/1.1","title":"A","items":[{"id":"1","title":"T",`+c.item+`}]}`),
			"", "https://a.example/feed.json")
		if err != nil {
			t.Fatal(err)
		}
		if p := doc.Posts[0].Sanitise(time.Unix(0, 0)); p.URL != c.url || p.LeadsTo != c.leadsTo || p.Untitled {
			t.Errorf("%s: %q, %q", name, p.URL, p.LeadsTo)
		}
	}
}
