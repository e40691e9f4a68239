package edition_test

import (
	"strings"
	"testing"

	"digest"
	"digest/render"
)

// TestAtMost: an edition contains at most the reader's limit of posts of a site, the newest ones. The email links to a
// page with the others.
func TestAtMost(t *testing.T) {
	s := stocked()
	s.choices = map[digest.DigestID]map[digest.FeedID]digest.Subscription{1: {1: {Most: 1}, 2: {Most: 5}}}
	b := builder(s)
	d := deliveries()[0]
	e, err := b.Edition(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	zebra := siteOf(t, e, 1)
	if len(zebra.Posts) != 1 || zebra.Posts[0].Title != "Newer" && zebra.Posts[0].Title != "Undated" ||
		zebra.Beyond != 2 {
		t.Errorf("%d posts, %d beyond them", len(zebra.Posts), zebra.Beyond)
	}
	if apple := siteOf(t, e, 2); apple.Beyond != 0 {
		t.Errorf("%d beyond the only post", apple.Beyond)
	}
	m, err := render.New(nil).Mail(e)
	if err != nil {
		t.Fatal(err)
	}
	link := e.WebURL + "?site=1"
	if !strings.Contains(m.HTML, `href="`+link+`"`) || !strings.Contains(m.HTML, "And 2 more") ||
		!strings.Contains(m.Text, "And 2 more:\n"+link) {
		t.Errorf("the mail does not lead to the others:\n%s", m.Text)
	}
	whole, err := b.Site(t.Context(), d, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(whole.Sections) != 1 || len(whole.Sections[0].Posts) != 3 || whole.Sections[0].Beyond != 0 {
		t.Errorf("all of the site is %+v", whole.Sections)
	}
	if _, err := b.Site(t.Context(), d, 99); digest.KindOf(err) != digest.NotFound {
		t.Errorf("of a site that is not in it: %v", err)
	}
}

func siteOf(t *testing.T, e render.Edition, feed digest.FeedID) render.Section {
	t.Helper()
	for _, s := range e.Sections {
		if s.Feed == feed {
			return s
		}
	}
	t.Fatalf("nothing of feed %d", feed)
	return render.Section{}
}
