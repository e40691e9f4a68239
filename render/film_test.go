package render

import (
	"strings"
	"testing"

	"digest"
	"digest/internal/catalogue"
)

func TestWatchedAt(t *testing.T) {
	for address, want := range map[string]string{
		"https://www.youtube.com/watch?v=abcdefghijk":                      "Watch on YouTube",
		"https://m.youtube.com/shorts/abcdefghijk":                         "Watch on YouTube",
		"https://youtu.be/abcdefghijk":                                     "Watch on YouTube",
		"https://www.youtube.com/@somebody":                                "",
		"https://youtu.be/":                                                "",
		"https://vimeo.com/123456":                                         "Watch on Vimeo",
		"https://vimeo.com/channels/fog/123/ab12":                          "Watch on Vimeo",
		"https://vimeo.com/somebody":                                       "",
		"https://www.dailymotion.com/video/x9":                             "Watch on Dailymotion",
		"https://tube.example/w/rf7NYGY8yDe3MPBEEDjqKi":                    "Watch",
		"https://tube.example/videos/watch/9c9de5e8-0a1e-484a-b099-e80766": "Watch",
		"https://x.example/w/a":                                            "",
		"https://x.example/film.MP4?a":                                     "Watch",
		"https://notyoutube.com/watch?v=abcdefghijk":                       "",
		"://": "",
		"":    "",
	} {
		if got := catalogue.English().Text(watchedAt(address)); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

// TestFilms: the picture of a post about a film links to it, on pages and in email, and a line says so. Pictures of
// other posts have no link.
func TestFilms(t *testing.T) {
	const src = "https://far.example/fog.jpg"
	content := `<p><img src="` +
		src + `" width="480" height="360"></p><p>What it is about.</p><p><img src="https://far.example/2.jpg"></p>`
	film := digest.Enclosure{URL: "https://x.example/fog", Type: "video/mp4", Seconds: 720, Length: 90e6}
	for name, c := range map[string]struct {
		post digest.Post
		film string // link of its first picture
		line string // the first of its files
	}{
		"a page of films": {digest.Post{URL: "https://www.youtube.com/watch?v=abcdefghijk"},
			"https://www.youtube.com/watch?v=abcdefghijk", "Watch on YouTube"},
		"of the author's own site": {digest.Post{URL: "https://www.youtube.com/watch?v=a",
			SiteURL: "https://www.youtube.com/channel/x"}, "https://www.youtube.com/watch?v=a", "Watch on YouTube"},
		"a link blog": {digest.Post{URL: "https://www.youtube.com/watch?v=a",
			SiteURL: "https://blog.example/"}, "", ""},
		"a file": {digest.Post{URL: "https://x.example/1", Enclosures: []digest.Enclosure{film}},
			film.URL, "Watch · 12 min"},
		"a page of films and a file": {digest.Post{URL: "https://tube.example/w/rf7NYGY8yDe3MPBEEDjqKi",
			Enclosures: []digest.Enclosure{film}}, "https://tube.example/w/rf7NYGY8yDe3MPBEEDjqKi", "Watch · 12 min"},
		"a file of no address": {digest.Post{URL: "https://x.example/1",
			Enclosures: []digest.Enclosure{{URL: "javascript:a", Type: "video/mp4"}}}, "", ""},
		"sound": {digest.Post{URL: "https://x.example/1",
			Enclosures: []digest.Enclosure{{URL: "https://x.example/a.mp3"}}}, "", "Listen"},
	} {
		c.post.Title, c.post.Content, c.post.Summary, c.post.ImageURL = "T", content, "What it is about.", src
		p := proxied.Post(c.post)
		if p.Film != c.film || c.line == "" != (len(p.Files) == 0) || c.line != "" && p.Files[0].Label != c.line {
			t.Errorf("%s: a film at %q, files %+v", name, p.Film, p.Files)
		}
		page, _ := p.WebText(2, true, nil)
		leads := `<p><a href="` + c.film + `" rel="noopener noreferrer" class="film"><img src="/image/`
		if strings.Contains(page.HTML, leads) != (c.film != "") || strings.Count(page.HTML, "<a ") > 1 {
			t.Errorf("%s: %s", name, page.HTML)
		}
		if bare, _ := p.WebText(2, false, nil); strings.Contains(bare.HTML, "<a ") {
			t.Errorf("%s: without pictures %s", name, bare.HTML)
		}
		for _, layout := range []digest.Layout{digest.Excerpts, digest.FullText} {
			e := withPost(p)
			e.Images, e.Layout = digest.ProxiedImages, layout
			m, err := proxied.Mail(e)
			if err != nil {
				t.Fatal(err)
			}
			before, _, found := strings.Cut(m.HTML, "<img")
			if !found {
				t.Fatalf("%s, %s: no picture in %s", name, layout, m.HTML)
			}
			if link := before[strings.LastIndex(before, "<"):]; strings.HasPrefix(link, `<a href="`+
				c.film+`"`) != (c.film != "") {
				t.Errorf("%s, %s: the picture stands in %s", name, layout, link)
			}
		}
	}
}

func withPost(p *Post) Edition {
	e := page(sampleSite{"A", "https://a.example/", "en", nil})
	e.Sections[0].Posts = []*Post{p}
	return e
}
