package feed

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// Earlier versions used the announcement as the identity of a group's post, unless the post was at the group's own
// host.
func TestFormerIdentityOfGroupPosts(t *testing.T) {
	const group = `"id":"https://a.example/b/1","type":"Announce","actor":"https://a.example/ann",` + toAll
	create := func(host string) string {
		return `{` + group + `,"object":{"type":"Create","id":"https://` + host + `/c/1","actor":"https://` + host +
			`/zoe",` + toAll +
			`,"object":{"type":"Page","id":"https://` + host + `/post/1","name":"One","attributedTo":"https://` + host +
			`/zoe",` + toAll + `}}}`
	}
	for why, test := range map[string]struct{ item, identity, former string }{
		"of another host":    {create("b.example"), "https://b.example/post/1", "https://a.example/b/1"},
		"of the group's own": {create("a.example"), "https://a.example/post/1", "https://a.example/b/1"},
		"a boost":            {`{` + group + `,"object":"https://b.example/post/1"}`, "https://a.example/b/1", ""},
		"a note":             {noteOf("Create", "1", "", "", "<p>one</p>"), "https://a.example/1", ""},
	} {
		posts := postsOf(t, test.item)
		if len(posts) != 1 || posts[0].Identity != test.identity || posts[0].Former != test.former ||
			posts[0].Sanitise(seenAt).Former != test.former {
			t.Errorf("%s: %+v", why, posts)
		}
	}
}

// An outbox that refers to one long object a thousand times costs only one parse of it.
func TestObjectIsParsedOnce(t *testing.T) {
	var items []string
	for i := range maxActivities {
		items = append(items, fmt.Sprintf(
			`{"type":"Announce","id":"https://a.example/b/%d","actor":"https://a.example/ann",%s,`+
				`"object":"https://b.example/1"}`, i, toAll))
	}
	outbox := `{"@context":"https://www.w3.org/ns/activitystreams","type":"OrderedCollectionPage",` +
		`"id":"https://a.example/o","orderedItems":[` + strings.Join(items, ",") + `]}`
	note := `{"type":"Note","id":"https://b.example/1","attributedTo":"https://b.example/zoe",` +
		toAll + `,"content":"` + strings.Repeat("<b>x</b>", 10_000) + `"}`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d, err := ParseMore([]byte(outbox), "application/activity+json", "https://a.example/o",
		More{Objects: map[string][]byte{"https://b.example/1": []byte(note)}})
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; err != nil || len(d.Posts) != maxActivities || used > 60<<20 {
		t.Errorf("%d MiB, %v", used>>20, err)
	}
}
