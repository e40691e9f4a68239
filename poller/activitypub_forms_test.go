package poller

import (
	"strings"
	"testing"
)

// TestFindAuthorOfPost holds that a search finds the account of a post's author. The address returns the
// object, a page that names the object, or a page that names nothing.
func TestFindAuthorOfPost(t *testing.T) {
	for typed, page := range map[string]string{
		"https://social.example/users/ann/1": `{"@context":"https://www.w3.org/ns/activitystreams","type":"Note",` +
			`"id":"https://social.example/users/ann/1","attributedTo":"https://social.example/users/ann",` +
			`"content":"x"}`,
		"https://social.example/@ann/1": `<html><head><title>A post</title><link rel="alternate" ` +
			`type="application/activity+json" href="/users/ann/1">`,
		"https://social.example/@ann/2":              `<html><head><title>A post</title>`,
		"https://home.example/@ann@social.example/3": "", // on a server that shows another server's post
	} {
		pages := socialPages("Hello")
		pages["/users/ann/1"] = `{"@context":"https://www.w3.org/ns/activitystreams","type":"Note",` +
			`"id":"https://social.example/users/ann/1","attributedTo":"https://social.example/users/ann","content":"x"}`
		pages[typed[strings.Index(typed, ".example/")+len(".example"):]] = page
		s, r := newSocial(t, "", newsBase, pages)
		found, err := find(r.p, typed)
		if err != nil || found.Feed.URL != outboxPage || found.Feed.Title != "Ann" {
			t.Errorf("%s: %+v %v %v", typed, found.Feed, err, s.log)
		}
	}
	pages := socialPages("Hello")
	pages["/users/ann/1"] = `{"@context":"https://www.w3.org/ns/activitystreams","type":"Note",` +
		`"id":"https://social.example/users/ann/1","attributedTo":"https://other.example/users/ann","content":"x"}`
	_, r := newSocial(t, "", newsBase, pages)
	if _, err := find(r.p, "https://social.example/users/ann/1"); err == nil {
		t.Error("a post that names an author of another host leads there")
	}
}

// TestWrongAccounts holds that errors say what is wrong with an account: it is unknown, it is suspended, or
// it moved to an account that does not confirm the move.
func TestWrongAccounts(t *testing.T) {
	const ann = "/users/ann"
	for want, mend := range map[string]func(map[string]string){
		"its host knows no account of that name": func(p map[string]string) { delete(p, "/.well-known/webfinger") },
		"its server has suspended the account": func(p map[string]string) {
			p[ann] = strings.Replace(p[ann], `"name"`, `"suspended":true,"name"`, 1)
		},
		"did you mean @bob@social.example?": func(p map[string]string) {
			p["/users/bob"] = strings.ReplaceAll(p[ann], "ann", "bob")
			p[ann] = strings.Replace(p[ann], `"name"`, `"movedTo":"https://social.example/users/bob","name"`, 1)
		},
	} {
		pages := socialPages("Hello")
		delete(pages, "/@ann")
		delete(pages, "/@ann.rss")
		mend(pages)
		_, r := newSocial(t, "", newsBase, pages)
		if _, err := find(r.p, "@ann@social.example"); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
