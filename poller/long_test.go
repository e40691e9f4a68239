package poller

import (
	"cmp"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func longFeed(begin, post, end string, posts int) string {
	var b strings.Builder
	b.WriteString(begin)
	words := strings.Repeat("words of it ", 64<<10/12)
	for i := range posts {
		b.WriteString(strings.NewReplacer("N", fmt.Sprint(i), "TEXT", words).Replace(post))
	}
	return b.String() + end
}

const (
	rssBegin = `<?xml version="1.0"?><rss version="2.0"><channel><title>Quay</title>`
	rssPost  = `<item><title>Berth N</title><guid>gN</guid><description>TEXT</description></item>`
	rssEnd   = `</channel></rss>`
)

// TestLongDocument holds that the poller reads the posts at both ends of a document of more than 10 MiB, in
// any coding, and with the least memory that an instance can have.
func TestLongDocument(t *testing.T) {
	const posts = 320
	rss := longFeed(rssBegin, rssPost, rssEnd, posts)
	atom := longFeed(`<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>Quay</a:title>`,
		`<a:entry><a:title>Berth N</a:title><a:id>gN</a:id><a:content>TEXT</a:content></a:entry>`, `</a:feed>`, posts)
	for why, test := range map[string]struct{ body, coding string }{
		"RSS": {rss, ""}, "RSS in gzip": {rss, "gzip"}, "RSS in zstd": {rss, "zstd"},
		"Atom with a prefix": {atom, "gzip"},
	} {
		s := newSite(t, nil)
		body := []byte(test.body)
		if test.coding != "" {
			body = pack(t, body, test.coding)
		}
		s.says(200, string(body), "Content-Encoding: "+cmp.Or(test.coding, "identity"))
		r := newReader(t, s.url("/feed"), func(o *Options) { o.Memory = LeastBodies })
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		result := r.want(Changed)
		runtime.ReadMemStats(&after)
		got := result.Document.Posts
		if got[0].Title != "Berth 0" || got[len(got)-1].Title != fmt.Sprint("Berth ", posts-1) || len(got) < 150 ||
			len(got) > 165 {
			t.Fatalf("%s: %d posts from %s to %s", why, len(got), got[0].Title, got[len(got)-1].Title)
		}
		if !result.Document.Shortened || result.Document.Title != "Quay" || len(result.Body) > maxBody {
			t.Errorf("%s: shortened %v, %d bytes", why, result.Document.Shortened, len(result.Body))
		}
		if grown := (after.TotalAlloc - before.TotalAlloc) >> 20; grown > 128 {
			t.Errorf("%s: %d MiB allocated", why, grown)
		}
	}
}

// TestLongJSON holds that the poller reads the beginning of a JSON Feed of more than 10 MiB.
func TestLongJSON(t *testing.T) {
	body := longFeed(`{"version":"https://jsonfeed.org/version/1.1","title":"Quay \"[{\"","items":[{"id":"g",`+
		`"title":"Berth","content_text":"x"}`,
		`,{"id":"gN","title":"Berth N","tags":[{}],"content_text":"TEXT } ] \\"}`, `]}`, 200)
	s := newSite(t, says(200, body))
	result := newReader(t, s.url("/feed")).want(Changed)
	if got := result.Document.Posts; len(got) < 150 || len(got) > 165 || got[1].Title != "Berth 0" ||
		!result.Document.Shortened {
		t.Errorf("%d posts, shortened %v", len(got), result.Document.Shortened)
	}
}

// TestTooLongDocument holds that the poller rejects a document that exceeds the setting, ends early, or is
// no feed.
func TestTooLongDocument(t *testing.T) {
	rss := longFeed(rssBegin, rssPost, rssEnd, 200)
	for why, test := range map[string]struct {
		body, header string
		longest      int64
		want         string
	}{
		"longer than allowed": {rss, "", 12 << 20, "the body is larger than 12 MiB"},
		"longer than allowed, in gzip": {string(pack(t, []byte(rss), "gzip")), "Content-Encoding: gzip", 12 << 20,
			"the body is larger than 12 MiB"},
		"only a short one is allowed": {rss, "", maxBody, "the body is larger than 10 MiB"},
		"it is cut short": {string(pack(t, []byte(rss), "gzip")[:9000]), "Content-Encoding: gzip", 0,
			"the response was incomplete"},
		"no post in its first half": {longFeed(rssBegin, "<p>TEXT</p>", rssEnd, 200), "", 0,
			"the body is larger than 10 MiB"},
		"JSON without posts": {longFeed(`{"items":{"a":["`, "TEXT", `"]}}`, 200), "", 0,
			"the body is larger than 10 MiB"},
		"much that no post can be": {strings.Repeat("<", maxBody+2), "", 0, "the body is larger than 10 MiB"},
		"a page": {longFeed("<!DOCTYPE html><title>Quay</title>", "<p>TEXT</p>", "", 200), "", 0,
			"the body is larger than 10 MiB"},
		"as many bytes as a short one": {rssBegin + rssEnd + strings.Repeat(" ", maxBody-len(rssBegin+rssEnd)), "", 0,
			""},
	} {
		header := []string{test.header}
		if test.header == "" {
			header = nil
		}
		_, r := newFeed(t, says(200, test.body, header...), func(o *Options) { o.Longest = test.longest })
		if r.poll(); r.feed.LastError != test.want {
			t.Errorf("%s: %q, want %q", why, r.feed.LastError, test.want)
		}
	}
}
