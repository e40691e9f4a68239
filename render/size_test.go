package render

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/test/tier"
)

// TestSizeIsTrue: the size of posts is within a tenth of their memory on the heap, for excerpts and full texts.
func TestSizeIsTrue(t *testing.T) {
	tier.Alone(t)
	const posts = 2000
	for name, c := range map[string]struct {
		summary, content string
		want             func(*Post)
	}{
		"an excerpt": {strings.Repeat("A sentence that says what it is about. ", 8), "", func(*Post) {}},
		"a headline": {"", "", func(*Post) {}},
		"Japanese":   {strings.Repeat("これは日本語の文章です。", 30), "", func(*Post) {}},
		"listed": {strings.Repeat("A sentence that says what it is about. ", 8), "",
			func(p *Post) { p.row(); p.short() }},
		"a full text": {"A sentence.",
			strings.Repeat("<p>A paragraph of <a href=\"https://site.example/a\">the</a> post.</p>", 50),
			func(p *Post) { p.body(digest.NoImages, nil) }},
		"a page": {"A sentence.", strings.Repeat("<p>A paragraph of the post.</p>", 50),
			func(p *Post) { p.WebText(2, true, nil) }},
	} {
		t.Run(name, func(t *testing.T) {
			kept := make([]*Post, posts)
			before := heap()
			for i := range kept {
				id := fmt.Sprint(i)
				kept[i] = plain.Post(digest.Post{
					ID: digest.PostID(i), URL: "https://site.example/posts/" +
						id, Title: "A headline of usual length, number " + id, Author: "An Author " + id,
					Summary: strings.Clone(c.summary), Content: strings.Clone(c.content), SeenAt: time.Unix(0, 0),
				})
				c.want(kept[i])
			}
			took, said := heap()-before, 0
			for _, p := range kept {
				said += p.Size()
			}
			t.Logf("%s: %d bytes a post, %d said", name, took/posts, said/posts)
			if d := took - said; d > took/10 || -d > took/10 {
				t.Errorf("a post takes %d bytes and says %d", took/posts, said/posts)
			}
		})
	}
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
