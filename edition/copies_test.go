package edition_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"digest"
	"digest/test/tier"
)

// threeNetworks returns a store in which a reader follows an author's site, her fediverse account, her Bluesky account,
// and an aggregator. Each has the same post.
func threeNetworks() *shelf {
	s := stocked()
	const url = "https://anna.example/boats"
	link := `<p>The old boat <a href="` + url + `">anna.example/boats</a></p>`
	for i, p := range []struct{ host, url, content string }{
		{"anna.example", url, "<p>" + strings.Repeat("Water came in at every seam of her. ", 30) + "</p>"},
		{"social.example", "https://social.example/@anna/1", link},
		{"bsky.example", "https://bsky.example/profile/anna/post/1", link},
		{"news.example", url, "<p>Comments</p>"},
	} {
		feed, id := digest.FeedID(50+i), digest.PostID(500+i)
		s.sources[feed] = digest.FeedLabel{FeedID: feed, Title: p.host, SiteURL: "https://" + p.host +
			"/", URL: "https://" + p.host + "/feed", Host: p.host, Domain: p.host, Me: "https://anna.example/"}
		s.posts[id] = digest.Post{ID: id, FeedID: feed, URL: p.url, Title: "The old boat", Content: p.content,
			SeenAt: noon(19)}
	}
	s.editions[100] = []digest.PostRef{{PostID: 30, FeedID: 3}, {PostID: 503, FeedID: 53}, {PostID: 502, FeedID: 52},
		{PostID: 501, FeedID: 51}, {PostID: 500, FeedID: 50}}
	return s
}

// TestOnce: an edition shows a post of four feeds once, in the email and on the web, with links to its copies. If a
// reader has three of the feeds, and none is known to be the site's, the edition shows the post three times.
func TestOnce(t *testing.T) {
	s := threeNetworks()
	bld := builder(s)
	for range 2 { // the second time it uses the stored verdicts
		web, err := bld.Edition(t.Context(), deliveries()[0])
		if err != nil {
			t.Fatal(err)
		}
		if got, want := shape(web), "anna.example 1+0 late 0, A fruit of my own 1+0 late 0, "; got != want {
			t.Errorf("the web edition has %s, want %s", got, want)
		}
		var labels []string
		for _, f := range web.Sections[0].Posts[0].Files {
			labels = append(labels, fmt.Sprint(f.Label, " ", f.URL))
		}
		want := []string{"Also on social.example https://social.example/@anna/1",
			"Also on bsky.example https://bsky.example/profile/anna/post/1",
			"Also on news.example https://news.example/"}
		if !slices.Equal(labels, want) {
			t.Errorf("links %q, want %q", labels, want)
		}
		letters, err := bld.Render(t.Context(), deliveries()[:1])
		if err != nil {
			t.Fatal(err)
		}
		mail := inARow(letters[0])
		if !strings.HasPrefix(letters[0].Subject, "The old boat · ") ||
			!strings.Contains(mail, "Also on social.example") || !strings.Contains(mail, "Also on news.example") {
			t.Errorf("the mail is %q\n%s", letters[0].Subject, mail)
		}
	}
	s.editions[100] = s.editions[100][:4] // without the site's own
	web, err := bld.Edition(t.Context(), deliveries()[0])
	if err != nil {
		t.Fatal(err)
	}
	if got, want := shape(web),
		"A fruit of my own 1+0 late 0, bsky.example 1+0 late 0, news.example 1+0 late 0, social.example 1+0 late 0, "; got != want {
		t.Errorf("without the site's own: %s, want %s", got, want)
	}
}

// TestPreviewOnce: a preview shows waiting posts as the edition will.
func TestPreviewOnce(t *testing.T) {
	s := threeNetworks()
	s.waiting = map[digest.DigestID][]digest.PostRef{1: s.editions[100]}
	web, err := builder(s).Preview(t.Context(), digest.Digest{ID: 1, TimeZone: "UTC", NextDueAt: noon(20)},
		digest.User{})
	if err != nil {
		t.Fatal(err)
	}
	if got := shape(web); !strings.Contains(got, "anna.example 1") || strings.Contains(got, "social") {
		t.Errorf("the preview has %s", got)
	}
}

// TestPreviewForgets: waiting posts may still change, so an edition does not use what a preview has cached.
func TestPreviewForgets(t *testing.T) {
	s := threeNetworks()
	s.waiting = map[digest.DigestID][]digest.PostRef{1: s.editions[100]}
	bld := builder(s)
	if _, err := bld.Preview(t.Context(), digest.Digest{ID: 1, TimeZone: "UTC", NextDueAt: noon(20)},
		digest.User{}); err != nil {
		t.Fatal(err)
	}
	p := s.posts[500]
	p.Title, p.Content = "The old boat, corrected", "<p>"+strings.Repeat("She does not leak at all. ", 30)+"</p>"
	s.posts[500] = p
	web, err := bld.Edition(t.Context(), deliveries()[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range web.Sections {
		for _, post := range section.Posts {
			if post.Title == "The old boat" && section.Title == "anna.example" {
				t.Error("the edition has the post as a preview showed it")
			}
		}
	}
}

// TestManyAlike: an edition shows all of very many long posts of two feeds at one address.
func TestManyAlike(t *testing.T) {
	tier.Alone(t)
	s := stocked()
	content := "<p>" + strings.Repeat("Water came in at every seam of her, as it always has. ", 2000) + "</p>"
	var refs []digest.PostRef
	for i := range 200 {
		feed, id := digest.FeedID(50+i%2), digest.PostID(500+i)
		s.sources[feed] = digest.FeedLabel{FeedID: feed, Title: fmt.Sprint("Feed ", feed),
			URL: fmt.Sprintf("https://evil.example/%d/feed", feed), Domain: "evil.example"}
		s.posts[id] = digest.Post{ID: id, FeedID: feed, URL: "https://evil.example/one",
			Title: fmt.Sprint("Number ", i), Content: content, SeenAt: noon(19)}
		refs = append(refs, digest.PostRef{PostID: id, FeedID: feed})
	}
	s.editions[100] = refs
	web, err := builder(s).Edition(t.Context(), deliveries()[0])
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, section := range web.Sections {
		shown += len(section.Posts)
	}
	if shown != len(refs) { // each has a title of its own
		t.Errorf("%d posts are shown, want %d", shown, len(refs))
	}
}
