package feed

import (
	"strings"
	"testing"
)

func outboxOf(items string) string {
	return `{"@context":"https://www.w3.org/ns/activitystreams","type":"OrderedCollectionPage",` +
		`"id":"https://a.example/outbox?page=true","orderedItems":[` + items + `]}`
}

const toAll = `"to":["https://www.w3.org/ns/activitystreams#Public"]`

// Posts of others never appear under the account's name (I9), and posts that are not public never appear.
func TestActivityStreamsWhose(t *testing.T) {
	for why, test := range map[string]struct {
		item  string
		posts int
	}{
		"own": {`{"type":"Create","actor":"https://a.example/ann",` +
			toAll + `,"object":{"type":"Note","id":"https://a.example/1","attributedTo":"https://a.example/ann",` +
			`"content":"x"}}`, 1},
		"an object by another": {`{"type":"Create","actor":"https://a.example/ann",` +
			toAll + `,"object":{"type":"Note","id":"https://a.example/1","attributedTo":"https://b.example/bob",` +
			`"content":"x"}}`, 0},
		"by both": {`{"type":"Create","actor":"https://a.example/ann",` +
			toAll + `,"object":{"type":"Note","id":"https://a.example/1","attributedTo":["https://a.example/ann",` +
			`"https://b.example/bob"],"content":"x"}}`, 0},
		"an ID elsewhere": {`{"type":"Create","actor":"https://a.example/ann",` +
			toAll + `,"object":{"type":"Note","id":"https://b.example/1","attributedTo":"https://a.example/ann",` +
			`"content":"x"}}`, 0},
		"an ID at another port": {`{"type":"Create","actor":"https://a.example/ann",` +
			toAll + `,"object":{"type":"Note","id":"https://a.example:8443/1",` +
			`"attributedTo":"https://a.example/ann","content":"x"}}`, 0},
		"an activity by another": {`{"type":"Create","actor":"https://b.example/bob",` +
			toAll + `,"object":{"type":"Note","id":"https://a.example/1","attributedTo":"https://a.example/ann",` +
			`"content":"x"}}`, 0},
		"for nobody that is said": {
			`{"type":"Create","actor":"https://a.example/ann","object":{"type":"Note","id":"https://a.example/1",` +
				`"content":"x"}}`, 0},
		"for followers": {
			`{"type":"Create","to":["https://a.example/ann/followers"],"object":{"type":"Note",` +
				`"id":"https://a.example/1",` + toAll + `,"content":"x"}}`, 0},
		"an object for followers": {`{"type":"Create",` +
			toAll + `,"object":{"type":"Note","id":"https://a.example/1","to":"https://a.example/ann/followers",` +
			`"content":"x"}}`, 0},
		"gone": {`{"type":"Create",` +
			toAll + `,"object":{"type":"Tombstone","id":"https://a.example/1"}}`, 0},
		"an address alone": {`{"type":"Create",` + toAll + `,"object":"https://a.example/1"}`, 0},
		"a boost that is for some": {
			`{"type":"Announce","to":"https://a.example/ann/followers","object":"https://b.example/1"}`, 0},
		"a boost of a private post": {`{"type":"Announce",` +
			toAll + `,"object":{"type":"Note","id":"https://b.example/1","to":"https://b.example/bob/followers",` +
			`"content":"x"}}`, 0},
		"a boost of no web address": {`{"type":"Announce",` + toAll + `,"object":"javascript:alert(1)"}`, 0},
		"a boost by another": {`{"type":"Announce","actor":"https://b.example/bob",` +
			toAll + `,"object":"https://b.example/1"}`, 0},
		"a boost of a post of her own": {`{"type":"Announce","id":"https://a.example/b",` +
			toAll + `,"object":{"type":"Note","id":"https://a.example/1","attributedTo":"https://a.example/ann",` +
			toAll + `,"content":"x"}}`, 1},
	} {
		d, err := Parse([]byte(outboxOf(test.item)), "", "https://a.example/outbox?page=true")
		if err != nil || d.Kind != ActivityStreams || len(d.Posts) != test.posts {
			t.Errorf("%s: %d posts, want %d (%v)", why, len(d.Posts), test.posts, err)
		}
	}
}

// A foreign post that another server embeds never appears, however it is wrapped.
func TestActivityStreamsForeignText(t *testing.T) {
	foreign := `{"type":"Page","id":"https://b.example/1","attributedTo":"https://b.example/bob","name":"FOREIGN",` +
		`"content":"FOREIGN","summary":"FOREIGN","image":"https://b.example/FOREIGN.png",` + toAll + `}`
	for _, item := range []string{
		`{"type":"Announce","id":"https://a.example/x",` + toAll + `,"object":` + foreign + `}`,
		`{"type":"Announce","id":"https://a.example/x",` + toAll + `,"object":{"type":"Create",` +
			toAll + `,"object":` + foreign + `}}`,
	} {
		d, err := Parse([]byte(outboxOf(item)), "", "https://a.example/outbox")
		if err != nil || len(d.Posts) != 1 {
			t.Fatal(d, err)
		}
		p := d.Posts[0].Sanitise(seenAt)
		if strings.Contains(p.Title+p.Content+p.Summary+p.ImageURL, "FOREIGN") || p.URL != "https://b.example/1" {
			t.Errorf("%+v", p)
		}
	}
}

func TestActivityStreamsHostile(t *testing.T) {
	for why, doc := range map[string]string{
		"items in items": outboxOf(strings.Repeat(`{"type":"Announce",`+toAll+`,"object":`, 3000) + `{}` +
			strings.Repeat("}", 3000)),
		"a million items": outboxOf(strings.Repeat("{},", 1e6) + "{}"),
		"a million attachments": outboxOf(`{"type":"Note","id":"https://a.example/1",` + toAll + `,"attachment":[` +
			strings.Repeat(`{"type":"Image","url":"https://a.example/1.png"},`, 1e5) + `{}]}`),
		"a million readers": outboxOf(`{"type":"Note","id":"https://a.example/1","to":[` +
			strings.Repeat(`"https://a.example/x",`, 1e5) + `"as:Public"]}`),
		"pages in pages": `{"type":"OrderedCollection","first":` +
			strings.Repeat(`{"type":"OrderedCollection","first":`, 3000) + `{}` + strings.Repeat("}", 3000) + `}`,
		"values of other types": `{"@context":["https://www.w3.org/ns/activitystreams"],` +
			`"type":["OrderedCollectionPage",1,null],"id":7,"first":[[]],"orderedItems":[1,` +
			`"x",null,[[]],{"type":{},"object":[[]],"to":{}},{"type":"Create",` + toAll +
			`,"object":{"type":"Note","id":"https://a.example/1","attributedTo":[null,7],"url":[[],{},7],` +
			`"contentMap":[],"content":{},"attachment":{"url":[{"href":{}}]},"published":1}}]}`,
		"a document that ends": `{"type":"OrderedCollection","orderedItems":[{"type":"Create"`,
	} {
		d, err := Parse([]byte(doc), "application/activity+json", "https://a.example/outbox")
		if err == nil && len(d.Posts) > maxActivities {
			t.Errorf("%s: %d posts", why, len(d.Posts))
		}
		for i := range min(len(docPosts(d)), 5) {
			checkPost(t, why, d.Posts[i].Sanitise(seenAt))
		}
	}
}

func docPosts(d *Document) []Post {
	if d == nil {
		return nil
	}
	return d.Posts
}

// Only addresses at the account's own host count.
func TestActivityStreamsLeads(t *testing.T) {
	for doc, want := range map[string]string{
		`{"type":"OrderedCollection","id":"https://a.example/outbox","first":"https://a.example/outbox?page=1"}`:                 "https://a.example/outbox?page=1",
		`{"type":"OrderedCollection","id":"https://a.example/outbox","first":"https://b.example/outbox?page=1"}`:                 "",
		`{"type":"OrderedCollection","id":"https://a.example/outbox","first":{"id":"https://a.example/outbox?page=1"}}`:          "https://a.example/outbox?page=1",
		`{"type":"Person","id":"https://a.example/ann","inbox":"https://a.example/in","outbox":"https://a.example/ann/outbox"}`:  "https://a.example/ann/outbox",
		`{"type":"Person","id":"https://a.example/ann","inbox":"https://a.example/in","outbox":"https://b.example/ann/outbox"}`:  "",
		`{"type":"Person","id":"https://a.example/ann","inbox":"https://a.example/in","outbox":"https://a.example:81/ann/outb"}`: "",
	} {
		d, err := Parse([]byte(doc), "", "https://a.example/x")
		if err != nil || d.Outbox != want || want != "" && d.IsFeed() {
			t.Errorf("%s leads to %q (%v)", doc, d.Outbox, err)
		}
	}
}

func TestWebFingerURL(t *testing.T) {
	const social = "https://social.example/.well-known/webfinger?resource=acct%3A"
	for typed, want := range map[string]string{
		"@ann@social.example":     social + "ann%40social.example",
		" @Ann@Social.Example ":   social + "Ann%40social.example",
		"acct:ann@social.example": social + "ann%40social.example",
		"@ann@127.0.0.1:8080": "https://127.0.0.1:8080/.well-known/webfinger?resource=" +
			"acct%3Aann%40127.0.0.1%3A8080",
		"@ann@social.example/path":  "",
		"@ann@bob@social.example":   "",
		"ann@social.example":        social + "ann%40social.example",
		"!boats@social.example":     social + "boats%40social.example",
		"web+acct:ann@a.example":    "https://a.example/.well-known/webfinger?resource=acct%3Aann%40a.example",
		"ann:secret@social.example": "",
		"ann@social.example/feed":   "",

		"https://home.example/@ann@social.example":     social + "ann%40social.example",
		"home.example/@ann@social.example":             social + "ann%40social.example",
		"<https://home.example/@ann@social.example/1>": social + "ann%40social.example",
		"https://lemmy.example/c/boats@social.example": social + "boats%40social.example",
		"https://mbin.example/u/@ann@social.example":   social + "ann%40social.example",
		"https://ann:x@home.example/@bob@b.example":    "",
		"https://home.example/@ann@nowhere":            "",
		"@@social.example":                             "",
		"@ann@nowhere":                                 "",
		"https://social.example/@an":                   "",
	} {
		url, _ := AskedURL(typed)
		if WebFingerAccount(url) == "" {
			url = ""
		}
		if url != want {
			t.Errorf("%q is asked for at %q, want %q", typed, url, want)
		}
	}
	for page, want := range map[string]string{"https://a.example/@ann": "ann@a.example",
		"https://a.example/users/ann/": "ann@a.example", "https://a.example/@ann/112": "",
		"https://a.example/": "", "https://a.example/@ann?x=1": "", "https://a.example/@ann@b.example": "ann@b.example",
		"https://a.example/c/boats@b.example": "boats@b.example", "https://a.example/c/boats": ""} {
		if got := WebFingerAccount(ProfileAccount(page)); got != want {
			t.Errorf("%s is the page of %q, want %q", page, got, want)
		}
	}
}

func TestNameWithoutHost(t *testing.T) {
	if _, err := AskedURL("@ann"); err == nil || !strings.Contains(err.Error(),
		"did you mean @ann@example.social?") {
		t.Error(err)
	}
}

func TestAuthorOf(t *testing.T) {
	for post, want := range map[string]string{"https://a.example/@ann/112": "ann@a.example",
		"https://a.example/@ann": "", "https://a.example/users/ann/112": "ann@a.example",
		"https://a.example/@ann@b.example/112": ""} {
		if got := WebFingerAccount(AuthorOf(post)); got != want {
			t.Errorf("%s is a post of %q, want %q", post, got, want)
		}
	}
}

func FuzzReadWebFinger(f *testing.F) {
	f.Add([]byte(`{"links":[{"rel":"self","type":"application/activity+json","href":"https://a.example/ann"}]}`))
	f.Add([]byte(`{"links":{"rel":[]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		actor, page := ReadWebFinger(body)
		for _, address := range []string{actor, page} {
			if address != "" && !isWeb(address) {
				t.Errorf("%q", address)
			}
		}
	})
}
