package feed

import "testing"

// TestLazyPictures: a picture has the address that a page's scripts would choose for a column.
func TestLazyPictures(t *testing.T) {
	const rel = ` rel="noopener noreferrer"`
	for _, c := range []struct{ reason, in, want string }{
		{"srcset beside src", `<img src="/150.png" srcset="/150.png 150w, /768.png 768w, /1536.png 1536w, ` +
			`/5000.png 5000w">`,
			`<img src="https://example.org/1536.png"/>`},
		{"srcset without a good one", `<img srcset="/300.png 300w, /768.png 768w, /1024.png 1024w, /5000.png 5000w">`,
			`<img src="https://example.org/1024.png"/>`},
		{"srcset of extremes", `<img srcset="/300.png 300w, /9000.png 9000w, /5000.png 5000w">`,
			`<img src="https://example.org/5000.png"/>`},
		{"srcset of placeholders", `<img src="/i.png" srcset="data:image/gif;base64,R0 1x, /1x1.gif 2x">`,
			`<img src="https://example.org/i.png"/>`},
		{"late, a template", `<img src="/blank.gif" data-src="/i_{width}x.png" data-original="/i.png">`,
			`<img src="https://example.org/i.png"/>`},
		{"late source", `<picture><source data-srcset="/i.png 1200w"><img src="data:image/gif;base64,R0" alt="">` +
			`</picture>`,
			`<img src="https://example.org/i.png" alt=""/>`},
		{"noscript twin of a link", `<a href="/p"><img data-src="/i.png"></a> <noscript><img src="/i.png"></noscript>`,
			`<a href="https://example.org/p"` + rel + `><img src="https://example.org/i.png"/></a>`},
		{"noscript after words", `<a href="/p"><img src="/i.png"> More</a><noscript><img src="/j.png"></noscript>`,
			`<a href="https://example.org/p"` + rel + `><img src="https://example.org/i.png"/> More</a><div>` +
				`<img src="https://example.org/j.png"/></div>`},
	} {
		if got, _ := sanitise(c.in, "https://example.org/blog/p"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, got, c.want)
		}
	}
}
