package feed

import (
	"strings"
	"testing"
	"time"
)

func TestCopiesAndOwnPages(t *testing.T) {
	long := "https://x.example/" + strings.Repeat("x", maxAddress)
	for name, c := range map[string]struct{ doc, pages, copies string }{
		"h-feed": {`<html><head><link rel="me" href="https://social.example/@anna"></head><body>
			<a rel="me nofollow" href="/about">me</a><a rel="me" href="javascript:alert(1)">x</a><a rel="friend" href="https://bob.example/">Bob</a>
			<div class="h-feed"><h1 class="p-name">Anna</h1>
			<div class="h-entry"><a class="u-url" href="/1">1</a><time class="dt-published" datetime="2026-11-19T10:00:00Z"></time><p class="e-content">Water came in.</p>
			<a class="u-syndication" href="https://social.example/@anna/1?utm_source=x">a</a><a class="u-syndication" href="https://social.example/@anna/1">a</a>
			<a class="u-syndication" href="https://bsky.example/1">b</a><a class="u-syndication" href="` +
			long + `">c</a><a class="u-syndication" href="mailto:a@b.example">d</a></div></div></body></html>`,
			"https://social.example/@anna https://anna.example/about",
			"https://social.example/@anna/1 https://bsky.example/1"},
		"an actor": {`{"@context":"https://www.w3.org/ns/activitystreams","id":"https://anna.example/users/anna","type":"Person","preferredUsername":"anna",
			"inbox":"https://anna.example/in","outbox":"https://anna.example/out","attachment":[
			{"type":"PropertyValue","name":"Site","value":"<a href=\"https://boats.example/\" rel=\"nofollow noopener me\"><span>boats.example</span></a>"},
			{"type":"PropertyValue","name":"Not mine","value":"<a href=\"https://other.example/\" rel=\"nofollow\">other</a>"},
			{"type":"Image","name":"x","url":"https://pictures.example/"}]}`, "https://boats.example/", ""},
		"Bluesky account": {`{"feed":[{"post":{"uri":"at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.feed.post/1","cid":"b","author":{"did":"did:plc:aaaaaaaaaaaaaaaaaaaaaaaa","handle":"Anna.example"},
			"record":{"$type":"app.bsky.feed.post","text":"Water","createdAt":"2026-11-19T10:00:00Z"},"indexedAt":"2026-11-19T10:00:00Z"}}]}`, "https://anna.example/", ""},
	} {
		d := mustParse(t, c.doc, "https://anna.example/")
		if got := d.OwnPages(); got != c.pages {
			t.Errorf("%s: the author's pages are %q, want %q", name, got, c.pages)
		}
		if c.copies == "" {
			continue
		}
		if got := d.Posts[0].Sanitise(time.Unix(1_800_000_000, 0)).Syndication; got != c.copies {
			t.Errorf("%s: copies at %q, want %q", name, got, c.copies)
		}
	}
}

func TestOwnHandle(t *testing.T) {
	for handle, want := range map[string]string{
		"anna.example": "https://anna.example/", "ANNA.example": "https://anna.example/", "anna.bsky.social": "",
		"handle.invalid": "",
		"":               "", "anna": "", "anna.example/evil": "", "a@b.example": "", "anna.example:99": "",
		"bsky.social": "",
	} {
		if got := strings.Join(ownHandle(handle), " "); got != want {
			t.Errorf("%q: %q, want %q", handle, got, want)
		}
	}
}
