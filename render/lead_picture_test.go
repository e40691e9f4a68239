package render

import (
	"fmt"
	"strings"
	"testing"

	"digest"
	"digest/rank"
)

// TestLearnedPicture: a picture without a stated size has its stored size, in email and on pages. A stated size has
// priority.
func TestLearnedPicture(t *testing.T) {
	const src = "https://far.example/wheel.jpg?a=1&b=2"
	for name, c := range map[string]struct {
		attributes string
		size       digest.PictureSize
		want       string // empty: no picture
		w, h       int
	}{
		"wide":        {"", digest.PictureSize{Width: 1200, Height: 800}, `width="600" height="400"`, 600, 400},
		"small":       {"", digest.PictureSize{Width: 240, Height: 180}, `width="240" height="180"`, 240, 180},
		"an ornament": {"", digest.PictureSize{Width: 32, Height: 32}, "", 0, 0},
		"not learned": {"", digest.PictureSize{}, `width="600" src`, 0, 0},
		"dead":        {` width="300" height="200"`, digest.PictureSize{Dead: true}, "", 0, 0},
		"told": {` width="300" height="200"`, digest.PictureSize{Width: 1200, Height: 800},
			`width="300" height="200"`, 300, 200},
		"half of it": {` width="300"`, digest.PictureSize{Width: 1200, Height: 800}, `width="300" height="200"`, 300,
			200},
		"tall and big": {"", digest.PictureSize{Width: 1200, Height: 9000}, `width="60" height="450"`, 600, 4500},
	} {
		p := proxied.Post(digest.Post{URL: "https://a.example/1", Title: "T", Summary: "Some words.", ImageURL: src,
			Content: `<img src="https://far.example/wheel.jpg?a=1&amp;b=2"` + c.attributes + `>`})
		e := page(sampleSite{"A", "https://a.example/", "en", nil})
		e.Images, e.Sections[0].Posts = digest.ProxiedImages, []*Post{p}
		if c.size != (digest.PictureSize{}) {
			e.PictureSizes = map[string]digest.PictureSize{src: c.size}
		}
		m, err := proxied.Mail(e)
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(m.HTML, "<img"); has != (c.want != "") || !strings.Contains(m.HTML, c.want) {
			t.Errorf("%s: no %q in\n%s", name, c.want, m.HTML)
		}
		if got := p.Picture.Learned(e.PictureSizes, rank.Standard); got.Width != c.w || got.Height != c.h ||
			(got.URL == "") != (c.want == "") {
			t.Errorf("%s: on pages it is %+v", name, got)
		}
	}
}

// TestCertainPictures: the lead and seconds have their picture only if it is known to load.
func TestCertainPictures(t *testing.T) {
	const src = "https://far.example/wheel.jpg"
	p := proxied.Post(digest.Post{URL: "https://a.example/1", Title: "T", Summary: "Some words.", ImageURL: src,
		Content: `<img src="` + src + `" width="1200" height="800">`})
	loads := map[string]digest.PictureSize{src: {}}
	for of, want := range map[rank.Rank]bool{rank.Lead: false, rank.Second: false, rank.Standard: true} {
		if unknown := p.Picture.Learned(nil, of).URL != ""; unknown != want {
			t.Errorf("rank %d, unknown: %v", of, unknown)
		}
		if p.Picture.Learned(loads, of).URL == "" {
			t.Errorf("rank %d: its picture is missing", of)
		}
	}
	e := page(sampleSite{"A", "https://a.example/", "en", nil})
	e.Images, e.Sections[0].Posts = digest.ProxiedImages, []*Post{p}
	e.Sections[0].Places = []rank.Place{{Rank: rank.Lead}}
	for _, e.PictureSizes = range []map[string]digest.PictureSize{nil, loads} {
		m, err := proxied.Mail(e)
		if err != nil || strings.Contains(m.HTML, "<img") != (e.PictureSizes != nil) {
			t.Errorf("%v, in email with %v:\n%s", err, e.PictureSizes, m.HTML)
		}
	}
}

// TestLeadPicture: an excerpt has its post's picture only if the reader wants pictures. This instance serves the
// picture, with a width for programs without CSS.
func TestLeadPicture(t *testing.T) {
	const src = "https://far.example/wheel.jpg?a=1&b=2"
	for name, c := range map[string]struct {
		content, image, want string
	}{
		"a known size": {
			`<p>x</p><img src="https://far.example/wheel.jpg?a=1&amp;b=2" alt="The wheel" width="1200" height="800">`,
			src, `alt="The wheel" width="600" height="400" src="` + testProxy(src) + `"`},
		"a small one": {`<img src="https://far.example/wheel.jpg?a=1&amp;b=2" width="240" height="180">`, src,
			`alt="" width="240" height="180"`},
		"no size":       {`<img src="https://far.example/wheel.jpg?a=1&amp;b=2">`, src, `alt="" width="600" src="`},
		"a sensitive":   {`<a href="https://far.example/wheel.jpg?a=1&amp;b=2">A picture</a>`, src, ""},
		"not in it":     {"", src, ""},
		"a face":        {`<img src="https://far.example/wheel.jpg?a=1&amp;b=2" width="48" height="48">`, src, ""},
		"no picture":    {`<img src="https://far.example/wheel.jpg">`, "", ""},
		"no address":    {"", "javascript:alert(1)", ""},
		"a broken text": {`https://far.example/wheel.jpg?a=1&amp;b=2 <img`, src, ""},
	} {
		for _, images := range []digest.Images{digest.NoImages, digest.LinkedImages, digest.ProxiedImages} {
			e := page(sampleSite{"A", "https://a.example/", "en", nil})
			e.Images = images
			e.Sections[0].Posts = []*Post{proxied.Post(digest.Post{URL: "https://a.example/1", Title: "T",
				Summary: "Some words.", ImageURL: c.image, Content: c.content})}
			m, err := proxied.Mail(e)
			if err != nil {
				t.Fatal(err)
			}
			has := strings.Contains(m.HTML, "<img")
			if want := images == digest.ProxiedImages && c.want != ""; has != want || want &&
				!strings.Contains(m.HTML, c.want) || strings.Contains(m.HTML, `src="https://far`) {
				t.Errorf("%s, %s: a picture %v, want %q\n%s", name, images, has, c.want, m.HTML)
			}
		}
	}
}

// TestCoversAreSmall: the cover of an episode does not fill the column, whenever its size becomes known. Another
// picture of an episode does.
func TestCoversAreSmall(t *testing.T) {
	const src = "https://far.example/cover.jpg"
	sound := []digest.Enclosure{{URL: "https://a.example/1.mp3"}}
	for name, c := range map[string]struct {
		attributes string
		enclosures []digest.Enclosure
		learned    digest.PictureSize
		w, h       int
		cover      bool
	}{
		"a cover":           {` width="1400" height="1400"`, sound, digest.PictureSize{}, 160, 160, true},
		"almost":            {` width="1400" height="1300"`, sound, digest.PictureSize{}, 160, 148, true},
		"learned":           {"", sound, digest.PictureSize{Width: 3000, Height: 3000}, 160, 160, true},
		"not known":         {"", sound, digest.PictureSize{}, 0, 0, true},
		"learned, a photo":  {"", sound, digest.PictureSize{Width: 1200, Height: 800}, 600, 400, false},
		"a photo":           {` width="1200" height="800"`, sound, digest.PictureSize{}, 600, 400, false},
		"without any sound": {` width="1400" height="1400"`, nil, digest.PictureSize{}, 600, 600, false},
	} {
		p := proxied.Post(digest.Post{URL: "https://a.example/1", Title: "T", Summary: "Some words.", ImageURL: src,
			Enclosures: c.enclosures,
			Content:    `<img src="` + src + `"` + c.attributes + `>`})
		sizes := map[string]digest.PictureSize{}
		if c.learned.Width > 0 {
			sizes[src] = c.learned
		}
		if got := p.Picture.Learned(sizes, rank.Standard); got.Width != c.w || got.Height != c.h ||
			got.Cover != c.cover {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestCoverStandsOnce: several episodes with the same cover show it once, with the first of them. Different pictures
// all appear.
func TestCoverStandsOnce(t *testing.T) {
	episode := func(n int, picture string) *Post {
		return proxied.Post(digest.Post{URL: fmt.Sprintf("https://a.example/%d", n), Title: fmt.Sprint("Episode ", n),
			Summary: "Some words.", ImageURL: "https://a.example/" + picture,
			Content:    `<img src="https://a.example/` + picture + `" width="1400" height="1400">`,
			Enclosures: []digest.Enclosure{{URL: "https://a.example/1.mp3"}}})
	}
	e := page(sampleSite{"A", "https://a.example/", "en", nil}, sampleSite{"B", "https://b.example/", "en", nil})
	e.Images = digest.ProxiedImages
	e.Sections[0].Posts = []*Post{episode(1, "cover.jpg"), episode(2, "cover.jpg"), episode(3, "own.jpg"),
		episode(4, "cover.jpg")}
	e.Sections[1].Posts = []*Post{episode(5, "cover.jpg")}
	m := checkedMail(t, e)
	if got := strings.Count(m.HTML, "<img"); got != 3 {
		t.Errorf("%d pictures, want 3: one of each show, and the one that an episode has of its own", got)
	}
}

// TestPictureAlone: if a post is only a picture, its description is the text, also in the text version.
func TestPictureAlone(t *testing.T) {
	e := page(sampleSite{"A", "https://a.example/", "en", nil})
	e.Images = digest.ProxiedImages
	e.Sections[0].Posts = []*Post{
		proxied.Post(digest.Post{URL: "https://a.example/1", Untitled: true, ImageURL: "https://a.example/1.jpg",
			Content: `<p><img src="https://a.example/1.jpg" alt="A heron on the pier, at dawn" width="800" ` +
				`height="600"></p>`})}
	m := checkedMail(t, e)
	if !strings.Contains(m.Text, "A heron on the pier, at dawn") ||
		strings.Count(shownText(t, m.HTML), "A heron on the pier") == 0 {
		t.Errorf("%s\n%s", m.Text, m.HTML)
	}
}

// TestPictureWords: an email without pictures says which pictures an excerpt's post has.
func TestPictureWords(t *testing.T) {
	const pier, bell = `<img src="https://a.example/1.jpg" alt="A grey pier at dawn">`,
		`<img src="https://a.example/2.jpg">`
	for _, c := range []struct{ title, content, want string }{
		{"Photo from the pier", pier, "Picture: A grey pier at dawn"},
		{"Photo from the pier", pier + bell, "2 pictures"},
		{"Photo from the pier", bell, "1 picture"},
		{"A grey pier at dawn", pier, "1 picture"},
		{"Photo from the pier", `<img src="https://a.example/3.png" width="22" height="22">`, ""},
	} {
		e := page(sampleSite{"A", "https://a.example/", "en", []digest.Post{
			{URL: "https://a.example/p", Title: c.title, Summary: "Some words.", Content: c.content}}})
		for _, images := range []digest.Images{digest.NoImages, digest.ProxiedImages} {
			e.Images = images
			m := mailOf(t, e)
			for name, version := range map[string]string{"HTML": m.HTML, "text": m.Text} {
				got := c.want != "" && strings.Contains(version, "Some words.") && strings.Contains(version, c.want)
				if got != (c.want != "" && images == digest.NoImages) {
					t.Errorf("%s, %s, %s: %v", c.content, images, name, got)
				}
			}
		}
	}
}
