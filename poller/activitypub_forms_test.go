package poller

import (
	"context"
	"strings"
	"testing"
)

// The address of a post follows who has written it: as the object, as its page that names the object, and as a page
// that names nothing.
func TestFindAuthorOfPost(t *testing.T) {
	for typed, page := range map[string]string{
		"https://social.example/users/ann/1":         `{"@context":"https://www.w3.org/ns/activitystreams","type":"Note","id":"https://social.example/users/ann/1","attributedTo":"https://social.example/users/ann","content":"x"}`,
		"https://social.example/@ann/1":              `<html><head><title>A post</title><link rel="alternate" type="application/activity+json" href="/users/ann/1">`,
		"https://social.example/@ann/2":              `<html><head><title>A post</title>`,
		"https://home.example/@ann@social.example/3": "", // at the server of whom shows it
	} {
		pages := socialPages("Hello")
		pages["/users/ann/1"] = `{"@context":"https://www.w3.org/ns/activitystreams","type":"Note","id":"https://social.example/users/ann/1","attributedTo":"https://social.example/users/ann","content":"x"}`
		pages[typed[strings.Index(typed, ".example/")+len(".example"):]] = page
		s, r := newSocial(t, "", newsBase, pages)
		found, err := find(r.p, context.Background(), typed)
		if err != nil || found.Feed.URL != outboxPage || found.Feed.Title != "Ann" {
			t.Errorf("%s: %+v %v %v", typed, found.Feed, err, s.log)
		}
	}
	pages := socialPages("Hello")
	pages["/users/ann/1"] = `{"@context":"https://www.w3.org/ns/activitystreams","type":"Note","id":"https://social.example/users/ann/1","attributedTo":"https://other.example/users/ann","content":"x"}`
	_, r := newSocial(t, "", newsBase, pages)
	if _, err := find(r.p, context.Background(), "https://social.example/users/ann/1"); err == nil {
		t.Error("a post that names an author of another host leads there")
	}
}
