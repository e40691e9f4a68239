package edition_test

import (
	"fmt"
	"strings"
	"testing"

	"digest"
	"digest/newsletter"
)

// TestCountedLinks: if a newsletter counts clicks, the headlines in its HTML use counting links. Headlines that show an
// address, other links, other editions and test emails use the original links.
func TestCountedLinks(t *testing.T) {
	s := stocked()
	for id, p := range s.posts {
		p.Content = `<p>See <a href="https://elsewhere.example/x">there</a>.</p>`
		s.posts[id] = p
	}
	p := s.posts[s.editions[100][0].PostID]
	p.Title = "See " + p.URL
	s.posts[p.ID] = p
	b := builder(s)
	var ds []digest.Delivery
	for _, n := range []*digest.Newsletter{nil, {ID: 7, Slug: "n"}, {ID: 8, Slug: "m", CountClicks: true},
		{ID: 9, Slug: "o", CountClicks: true}} {
		d := deliveries()[0]
		d.Look.Layout, d.Newsletter = digest.FullText, n
		ds = append(ds, d)
	}
	for range 2 { // the second time from the cache
		letters, err := b.Render(t.Context(), ds)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range letters {
			html := strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(inARow(l))
			if strings.Contains(strings.Join(l.Encoded.Text, ""), newsletter.ClickPath) ||
				!strings.Contains(html, `href="https://elsewhere.example/x"`) {
				t.Errorf("letter %d: links that are not of headlines are counted", i)
			}
			for _, id := range []string{"8", "9"} {
				own := ds[i].Newsletter != nil && ds[i].Newsletter.CountClicks &&
					fmt.Sprint(int64(ds[i].Newsletter.ID)) == id
				if has := strings.Contains(html, newsletter.ClickPath+id+"."); has != own {
					t.Errorf("letter %d is counted for newsletter %s: %t", i, id, has)
				}
			}
			if !strings.Contains(html, `href="`+p.URL+`" style="color:#1f1d1a;text-decoration:none">See `) {
				t.Errorf("letter %d: a headline that shows its address leads elsewhere: %s", i, html)
			}
		}
	}
}
