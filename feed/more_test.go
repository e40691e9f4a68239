package feed

import (
	"fmt"
	"strings"
	"testing"
)

// group returns a group's announcement of an activity by a member at host.
func group(activity, host, id, more string) string {
	return fmt.Sprintf(`{"type":"Announce","id":"https://a.example/announce/%[3]s",`+
		`"actor":"https://a.example/c/boats",%[5]s,"object":{"type":%[1]q,"id":"https://%[2]s/act/%[3]s",`+
		`"actor":"https://%[2]s/u/zoe",%[5]s,
		"object":{"type":"Page","id":"https://%[2]s/post/%[3]s","attributedTo":"https://%[2]s/u/zoe","name":"CLAIMED",
		"content":"CLAIMED","published":"2026-01-0%[3]sT00:00:00Z",%[5]s%[4]s}}}`,
		activity, host, id, more, toAll)
}

// page returns a post as its own server sends it.
func page(host, id, title string) []byte {
	return fmt.Appendf(nil, `{"@context":"https://www.w3.org/ns/activitystreams","type":"Page",`+
		`"id":"https://%[1]s/post/%[2]s","attributedTo":"https://%[1]s/u/zoe","name":%[3]q,"content":"own words",`+
		`"published":"2026-01-0%[2]sT00:00:00Z",%[4]s}`, host, id, title, toAll)
}

// A group member's post counts only if the poll fetched it from the member's server (I9).
func TestGroupsPosts(t *testing.T) {
	const foreign = "https://b.example/post/1"
	for why, test := range map[string]struct {
		items string
		more  More
		want  string // title, author, extra
	}{
		"not read yet": {group("Create", "b.example", "1", ""), More{}, "- - 0"},
		"read": {group("Create", "b.example", "1", ""),
			More{Objects: map[string][]byte{foreign: page("b.example", "1", "Title")}}, "Title @zoe@b.example 0"},
		"read, but another post": {group("Create", "b.example", "1", ""),
			More{Objects: map[string][]byte{foreign: page("b.example", "2", "Title")}}, "- - 0"},
		"read, and by another host": {group("Create", "b.example", "1", ""),
			More{Objects: map[string][]byte{foreign: []byte(
				strings.ReplaceAll(string(page("b.example", "1", "Title")), "https://b.example/u",
					"https://c.example/u"))}}, "- - 0"},
		"read, and not for everybody": {group("Create", "b.example", "1", ""),
			More{Objects: map[string][]byte{foreign: []byte(
				strings.ReplaceAll(string(page("b.example", "1", "Title")), toAll,
					`"to":"https://b.example/followers"`))}}, ""},
		"read, and gone": {group("Create", "b.example", "1", ""),
			More{Objects: map[string][]byte{foreign: []byte(`{"type":"Tombstone","id":"` + foreign + `"}`)}}, ""},
		"to be read another time": {group("Create", "b.example", "1", ""),
			More{Later: map[string]bool{foreign: true}}, ""},
		"a comment is read by nobody": {group("Create", "b.example", "1", `,"inReplyTo":"https://b.example/post/0"`),
			More{}, "- - 2"},
		"named by its ID only": {`{"type":"Announce","id":"https://a.example/x",` + toAll +
			`,"object":{"type":"Create",` + toAll + `,"object":"` + foreign + `"}}`,
			More{Objects: map[string][]byte{foreign: page("b.example", "1", "Title")}}, "Title @zoe@b.example 0"},
		"passed on twice": {group("Update", "a.example", "1", "") + "," +
			group("Create", "a.example", "1", ""), More{}, "CLAIMED @zoe@a.example 0"},
		"deleted by the group": {
			`{"type":"Announce","id":"https://a.example/x","actor":"https://a.example/c/boats",` + toAll +
				`,"object":{"type":"Delete","object":"https://a.example/post/1"}},` +
				group("Create", "a.example", "1", ""), More{}, ""},
		"passed on by its ID": {
			`{"type":"Announce","id":"https://a.example/x","actor":"https://a.example/c/boats",` + toAll +
				`,"object":"` + foreign + `"}`, More{}, "- - 1"},
		"passed on by its ID, and read": {
			`{"type":"Announce","id":"https://a.example/x","actor":"https://a.example/c/boats",` + toAll +
				`,"object":"` + foreign + `"}`, More{Objects: map[string][]byte{
				foreign: []byte(strings.Replace(string(page("b.example", "1", "Title")), `"to":[`,
					`"cc":"https://a.example/c/boats","to":[`, 1))}}, "Title @zoe@b.example 0"},
		"passed on, and not for a group": {
			`{"type":"Announce","id":"https://a.example/x","actor":"https://a.example/c/boats",` + toAll +
				`,"object":"` + foreign + `"}`, More{Objects: map[string][]byte{
				foreign: page("b.example", "1", "Title")}}, "- - 1"},
	} {
		d, err := ParseMore([]byte(outboxOf(test.items)), "", "https://a.example/outbox?page=true", test.more)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range d.Posts {
			p := &d.Posts[i]
			got = append(got, firstOf(p.Title, "-")+" "+firstOf(p.Author, "-")+" "+fmt.Sprint(int(p.Extra)))
			if p.LinkOnly && strings.Contains(p.Sanitise(seenAt).Content, "CLAIMED") || p.Identity == "" {
				t.Errorf("%s: %+v", why, p)
			}
		}
		if strings.Join(got, " + ") != test.want {
			t.Errorf("%s: %q, want %q", why, got, test.want)
		}
	}
}

// TestNamedPosts checks that posts of which the outbox has only addresses are unread, in order, until the poll adds
// their texts.
func TestNamedPosts(t *testing.T) {
	named := func(id string) string {
		return `{"type":"Create","actor":"https://a.example/ann","published":"2026-01-02T00:00:00Z",` + toAll +
			`,"object":"https://a.example/` + id + `"}`
	}
	private := `{"type":"Create","actor":"https://a.example/ann","to":"https://a.example/ann/followers",` +
		`"object":"https://a.example/p"}`
	doc := []byte(outboxOf(named("3") + "," + noteOf("Create", "2", "", "", "two") + "," + named("1") +
		`,"https://a.example/0","https://b.example/9",` + private))
	d, err := Parse(doc, "", "https://a.example/outbox")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range d.Marks() {
		got = append(got, fmt.Sprint(m.Identity, m.Unread != nil))
	}
	if want := "https://a.example/3true https://a.example/2false https://a.example/1true " +
		"https://a.example/0true"; strings.Join(got, " ") != want {
		t.Errorf("marks %v, want %s", got, want)
	}
	note := func(id, by string) []byte {
		return fmt.Appendf(nil,
			`{"type":"Note","id":"https://a.example/%s","attributedTo":%q,"content":"text %[1]s",%[3]s}`, id, by, toAll)
	}
	d, err = ParseMore(doc, "", "https://a.example/outbox", More{
		Objects: map[string][]byte{"https://a.example/3": note("3", "https://a.example/ann"),
			"https://a.example/1": note("1", "https://b.example/bob"),
			"https://a.example/0": []byte(`{"type":"Create","id":"https://a.example/0",` +
				`"actor":"https://a.example/ann",` + toAll + `,"object":` +
				string(note("5", "https://a.example/ann")) + `}`)}})
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for i := range d.Posts {
		got = append(got, excerpt(d.Posts[i].Sanitise(seenAt).Content, 20))
	}
	if want := "text 3, two, text 5"; strings.Join(got, ", ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// The pages of one account form one document, and threads may span them.
func TestPages(t *testing.T) {
	first := `{"@context":"https://www.w3.org/ns/activitystreams","type":"OrderedCollectionPage",` +
		`"id":"https://a.example/outbox?page=true","next":"https://a.example/outbox?max_id=1","orderedItems":[` +
		noteOf("Create", "2", "", `,"inReplyTo":"https://a.example/1"`, "two") + `]}`
	d, err := ParseMore([]byte(first), "", "https://a.example/outbox?page=true",
		More{Pages: [][]byte{[]byte(outboxOf(noteOf("Create", "1", "", "", "one"))), []byte(`{"type":"Note"}`),
			[]byte(`x`)}})
	if err != nil || len(d.Posts) != 2 || d.Posts[0].PartOf != "https://a.example/1" ||
		d.Next != "https://a.example/outbox?max_id=1" || d.Pages != 4 {
		t.Errorf("%+v %v", d, err)
	}
	for next, want := range map[string]string{`"https://b.example/outbox?max_id=1"`: "",
		`{"type":"OrderedCollectionPage","id":"https://a.example/2"}`: "https://a.example/2",
		`"https://a.example/outbox?page=true"`:                        "", `null`: ""} {
		if d, err := Parse([]byte(strings.Replace(first, `"https://a.example/outbox?max_id=1"`, next, 1)), "",
			"https://a.example/outbox?page=true"); err != nil || d.Next != want {
			t.Errorf("%s: %q, %v", next, d.Next, err)
		}
	}
	post := func(id, reason string) string {
		return `{"post":{"uri":"at://did:plc:a/app.bsky.feed.post/` + id +
			`","author":{"did":"did:plc:a"},"record":{"text":"x","createdAt":"2026-01-01T00:00:00Z"}}` + reason + `}`
	}
	d, err = ParseMore([]byte(`{"feed":[`+post("0", `,"reason":{"$type":"app.bsky.feed.defs#reasonPin"}`)+","+
		post("2", "")+`],"cursor":"2026-01-01T00:00:00Z"}`), "", ATProtoURL("did:plc:a"),
		More{Pages: [][]byte{[]byte(`{"feed":[` + post("1", "") + `]}`)}})
	if err != nil || len(d.Posts) != 3 || len(d.Marks()) != 2 ||
		d.Next != ATProtoURL("did:plc:a")+"&cursor=2026-01-01T00%3A00%3A00Z" {
		t.Errorf("%+v %v", d, err)
	}
}

// TestATProtoLabels checks that a negated or expired label does nothing, and that a label such as !hide hides the
// post.
func TestATProtoLabels(t *testing.T) {
	const post = `{"feed":[{"post":{"uri":"at://did:plc:a/app.bsky.feed.post/1","author":{"did":"did:plc:a",` +
		`"labels":[AUTHOR]},"indexedAt":"2026-11-20T00:00:00Z",
		"record":{"text":"words","createdAt":"2026-11-19T00:00:00Z","labels":{"values":[SELF]}},"labels":[POST],
		"embed":{"images":[{"fullsize":"https://a.example/1.jpg"}]}}}]}`
	for why, test := range map[string]struct{ author, post, self, want string }{
		"none":          {"", "", "", "words <img"},
		"of a picture":  {"", `{"src":"l","val":"porn"}`, "", "Content warning: porn words Picture"},
		"of the text":   {"", `{"src":"l","val":"!warn"}`, "", "Content warning: warn"},
		"by the author": {"", "", `{"val":"nudity"}`, "Content warning: nudity words Picture"},
		"taken back":    {"", `{"src":"l","val":"porn"},{"src":"l","val":"porn","neg":true}`, "", "words <img"},
		"taken back by another": {"", `{"src":"l","val":"porn"},{"src":"m","val":"porn","neg":true}`, "",
			"Content warning: porn words Picture"},
		"taken back, and given anew": {"", `{"src":"l","val":"porn","neg":true},{"src":"l","val":"porn"}`, "",
			"Content warning: porn words Picture"},
		"over": {"", `{"src":"l","val":"porn","exp":"2026-11-18T00:00:00Z"}`, "", "words <img"},
		"not yet over": {"", `{"src":"l","val":"porn","exp":"2026-12-18T00:00:00Z"}`, "",
			"Content warning: porn words Picture"},
		"hidden":     {"", `{"src":"l","val":"!hide"}`, "", ""},
		"taken down": {"", `{"src":"l","val":"!takedown"}`, "", ""},
		"hidden no more": {"", `{"src":"l","val":"!hide"},{"src":"l","val":"!hide","neg":true}`, "",
			"words <img"},
		"an account that is hidden": {`{"src":"l","val":"!suspend"}`, "", "", ""},
	} {
		d := mustParse(t, strings.NewReplacer("AUTHOR", test.author, "POST", test.post, "SELF",
			test.self).Replace(post), ATProtoURL("did:plc:a"))
		got := ""
		for i := range d.Posts {
			p := d.Posts[i].Sanitise(seenAt)
			if got = p.Summary; strings.Contains(p.Content, "<img") {
				got += " <img"
			}
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", why, got, test.want)
		}
	}
}

func TestATProtoProblem(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":"AccountDeactivated","message":"Account is deactivated"}`: "Account is deactivated",
		`{"error":"AccountTakedown"}`:                                       "AccountTakedown",
		`{}`:                                                                "", `<html>`: "", "": "",
	} {
		if got := ATProtoProblem([]byte(body)); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
