package render

import (
	"strings"
	"testing"

	"digest"
)

// TestLeadPicture: an excerpt has its post's picture where its reader wants pictures, from this instance, in a size that
// programs without CSS hold to; nowhere else.
func TestLeadPicture(t *testing.T) {
	const src = "https://far.example/wheel.jpg?a=1&b=2"
	for name, c := range map[string]struct {
		content, image, want string
	}{
		"a known size":  {`<p>x</p><img src="https://far.example/wheel.jpg?a=1&amp;b=2" alt="The wheel" width="1200" height="800">`, src, `alt="The wheel" width="600" height="400" src="` + testProxy(src) + `"`},
		"a small one":   {`<img src="https://far.example/wheel.jpg?a=1&amp;b=2" width="240" height="180">`, src, `alt="" width="240" height="180"`},
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
			e.Sections[0].Posts = []*Post{proxied.Post(digest.Post{URL: "https://a.example/1", Title: "T", Summary: "Some words.", ImageURL: c.image, Content: c.content})}
			m, err := proxied.Mail(e)
			if err != nil {
				t.Fatal(err)
			}
			has := strings.Contains(m.HTML, "<img")
			if want := images == digest.ProxiedImages && c.want != ""; has != want || want && !strings.Contains(m.HTML, c.want) || strings.Contains(m.HTML, `src="https://far`) {
				t.Errorf("%s, %s: a picture %v, want %q\n%s", name, images, has, c.want, m.HTML)
			}
		}
	}
}
