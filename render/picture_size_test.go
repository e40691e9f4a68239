package render

import (
	"slices"
	"strings"
	"testing"

	"digest"
)

// TestLearnedInText: pictures within a full text have their stored sizes, in email and on pages. A stored ornament
// stays within its line, and tracking pixels are omitted.
func TestLearnedInText(t *testing.T) {
	const src = "https://far.example/wheel.jpg?a=1&b=2"
	for name, c := range map[string]struct {
		attributes string
		size       digest.PictureSize
		mail, page string // empty: no picture
	}{
		"wide": {"", digest.PictureSize{Width: 1200, Height: 800}, `width="600" height="400"`,
			`class="wide" width="1200" height="800"`},
		"small": {"", digest.PictureSize{Width: 240, Height: 180}, `width="240" height="180"`,
			` width="240" height="180"`},
		"an ornament": {"", digest.PictureSize{Width: 32, Height: 32}, `width="32" height="32"`,
			` width="32" height="32"`},
		"a counter": {"", digest.PictureSize{Width: 1, Height: 1}, "", ""},
		"not learned": {"", digest.PictureSize{}, `alt="" width="600" style="display:block;width:auto`,
			`class="unsized"`},
		"dead": {` width="300" height="200"`, digest.PictureSize{Dead: true}, "", ""},
		"told": {` width="300" height="200"`, digest.PictureSize{Width: 1200, Height: 800},
			`width="300" height="200"`, `width="300" height="200"`},
		"only a width": {` width="300"`, digest.PictureSize{Width: 1200, Height: 800}, `width="300" height="200"`,
			`width="300" height="200"`},
		"or a height": {` height="200"`, digest.PictureSize{Width: 1200, Height: 800}, `width="300" height="200"`,
			`width="300" height="200"`},
	} {
		p := proxied.Post(written("https://a.example/1", "T", "en",
			`<p>Words.</p><img src="https://far.example/wheel.jpg?a=1&amp;b=2"`+c.attributes+`><p>More.</p>`))
		var sizes map[string]digest.PictureSize
		if c.size != (digest.PictureSize{}) {
			sizes = map[string]digest.PictureSize{src: c.size}
		}
		mail := p.body(digest.ProxiedImages, sizes).all.html.decoded()
		page, _ := p.WebText(2, true, sizes)
		for html, want := range map[string]string{mail: c.mail, page.HTML: c.page} {
			if has := strings.Contains(html, "<img"); has != (want != "") || !strings.Contains(html, want) {
				t.Errorf("%s: no %q in\n%s", name, want, html)
			}
		}
		if !slices.Equal(p.Pictures(true), []string{src}) {
			t.Errorf("%s: its pictures are %q", name, p.Pictures(true))
		}
	}
}

// TestLearnedTextIsKeptOnce: a text is cached once, for its latest sizes. The sizes of other posts' pictures do not
// change its cache entry.
func TestLearnedTextIsKeptOnce(t *testing.T) {
	const src = "https://far.example/wheel.jpg"
	p := proxied.Post(written("https://a.example/1", "T", "en", `<p>Words.</p><img src="`+src+`">`+
		strings.Repeat("<p>Many more words.</p>", 100)))
	p.body(digest.ProxiedImages, nil)
	before := p.Size()
	for _, w := range []int{300, 400, 500} {
		sizes := map[string]digest.PictureSize{src: {Width: w, Height: 200}}
		if first, again := p.body(digest.ProxiedImages, sizes), p.body(digest.ProxiedImages, sizes); first != again {
			t.Error("it was written twice for the same sizes")
		}
	}
	if grown := p.Size() - before; grown > 200 {
		t.Errorf("with each size that is learned it takes more memory: %d bytes", grown)
	}
	if p.body(digest.NoImages, nil) != p.body(digest.NoImages,
		map[string]digest.PictureSize{src: {Width: 3, Height: 3}}) {
		t.Error("without pictures it was written twice")
	}
}
