package feed

import (
	"fmt"
	"strings"
	"testing"

	"digest"
)

func postsOf(t *testing.T, items string) []Post {
	t.Helper()
	d := mustParse(t, outboxOf(items), "https://a.example/outbox?page=true")
	return d.Posts
}

// noteOf returns an activity of ann's that publishes a note.
func noteOf(activity, id, published, more, content string) string {
	return fmt.Sprintf(`{"type":%q,"id":"https://a.example/%s#%s","actor":"https://a.example/ann",`+
		`"published":%q,%s,"object":{"type":"Note","id":"https://a.example/%s",`+
		`"attributedTo":"https://a.example/ann","published":"2026-01-0%sT00:00:00Z",%s%s,"content":%q}}`,
		activity, id, activity, published, toAll, id, id[:1], toAll, more, content)
}

func TestActivityStreamsFacts(t *testing.T) {
	const by = `"attributedTo":"https://a.example/ann",` + toAll
	for why, test := range map[string]struct{ item, want string }{
		"an ID that is no address": {`{"type":"Note","id":"tag:a.example,2011:1",` + by + `,"content":"x"}`,
			" |  |  | "},
		"an author by name": {`{"type":"Note","id":"https://a.example/1",` +
			toAll + `,"attributedTo":{"type":"Person","id":"https://a.example/ann","name":"Ann <b>B"},"content":"x"}`,
			" | https://a.example/1 | Ann B | "},
		"an actor by name": {
			`{"type":"Create","actor":{"type":"Person","id":"https://a.example/ann","name":"Ann"},` +
				toAll + `,"object":{"type":"Note","id":"https://a.example/1",` +
				`"attributedTo":"https://a.example/ann","content":"x"}}`, " | https://a.example/1 | Ann | "},
		"what a member of a group has written": {
			`{"type":"Announce","id":"https://a.example/b","actor":"https://a.example/c/cats",` +
				toAll + `,"object":{"type":"Create","id":"https://a.example/a","actor":"https://a.example/u/bob",` +
				toAll +
				`,"object":{"type":"Page","id":"https://a.example/post/1",` +
				`"attributedTo":"https://a.example/u/bob","name":"Paws",` + toAll + `}}}`,
			"Paws | https://a.example/post/1 | @bob@a.example | "},
		"a group passes on a change": {`{"type":"Announce","id":"https://a.example/b",` +
			toAll + `,"object":{"type":"Update","id":"https://a.example/a",` + toAll +
			`,"object":{"type":"Article","id":"https://a.example/post/1","name":"Paws",` + by + `}}}`,
			"Paws | https://a.example/post/1 |  | "},
		"a film that is streamed": {
			`{"type":"Video","id":"https://a.example/v",` + by + `,"duration":"PT1145S","name":"Tides","url":[{"type":"Link","mediaType":"text/html","href":"https://a.example/w"},
			{"type":"Link","mediaType":"application/x-mpegURL","href":"https://a.example/m.m3u8","tag":[{"type":"Infohash","name":"x"},{"type":"Link","mediaType":"application/json","href":"https://a.example/s.json"},
			{"type":"Link","mediaType":"video/mp4","href":"https://a.example/1080.mp4","size":99},{"type":"Link","mediaType":"video/mp4","href":"https://a.example/240.mp4"}]}]}`,
			"Tides | https://a.example/w |  | https://a.example/1080.mp4 video/mp4 99 1145"},
		"a sound that is attached": {`{"type":"Article","id":"https://a.example/1",` +
			by + `,"attachment":[{"type":"Audio","url":"https://a.example/p.mp3","mediaType":"audio/mpeg",` +
			`"duration":"P0DT123S","size":45678}]}`,
			" | https://a.example/1 |  | https://a.example/p.mp3 audio/mpeg 45678 123"},
		"a sound of Funkwhale": {`{"type":"Audio","id":"https://a.example/1",` +
			by + `,"name":"Waves","url":[{"type":"Link","mimeType":"audio/ogg","href":"https://a.example/listen"}` +
			`,{"type":"Link","mimeType":"text/html","href":"https://a.example/tracks/74"}]}`,
			"Waves | https://a.example/tracks/74 |  | https://a.example/listen audio/ogg 0 0"},
		"a duration that is a number": {`{"type":"Note","id":"https://a.example/1",` +
			by + `,"attachment":[{"type":"Video","url":"https://a.example/p.mp4","duration":12.4}]}`,
			" | https://a.example/1 |  | https://a.example/p.mp4  0 12"},
		"the type of an attachment is that of its link": {`{"type":"Note","id":"https://a.example/1",` +
			by + `,"attachment":[{"type":"Document","url":[{"type":"Link","href":"https://a.example/p",` +
			`"mediaType":"video/webm"}]}]}`,
			" | https://a.example/1 |  | https://a.example/p video/webm 0 0"},
	} {
		posts := postsOf(t, test.item)
		if len(posts) != 1 {
			t.Errorf("%s: %d posts", why, len(posts))
			continue
		}
		p, file := posts[0], ""
		for _, e := range p.Enclosures {
			file = fmt.Sprint(e.URL, " ", e.Type, " ", e.Length, " ", e.Seconds)
		}
		if got := strings.Join([]string{p.Title, p.Link, p.Author, file}, " | "); got != test.want {
			t.Errorf("%s: %q, want %q", why, got, test.want)
		}
	}
}

func TestActivityStreamsShown(t *testing.T) {
	for why, test := range map[string]struct{ more, want string }{
		"a quoted post":      {`"quoteUrl":"https://b.example/q"`, `href="https://b.example/q"`},
		"by its other names": {`"_misskey_quote":"https://b.example/q"`, `href="https://b.example/q"`},
		"by a tag": {
			`"tag":[{"type":"Mention","href":"https://b.example/bob"},{"type":"Link",` +
				`"mediaType":"application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\"",` +
				`"href":"https://b.example/q"}]`, `href="https://b.example/q"`},
		"a picture without a type": {
			`"attachment":{"type":"Document","url":"https://b.example/p.jpg","name":"A cat"}`, `alt="A cat"`},
		"a picture at an address with spaces": {
			`"attachment":{"type":"Document","mediaType":"image/png","url":"https://b.example/Screen Shot 1.png"}`,
			`src="https://b.example/Screen%20Shot%201.png"`},
		"a picture by its link": {
			`"attachment":{"type":"Document","name":"A cat","url":[{"type":"Link","href":"https://b.example/p",` +
				`"mediaType":"image/png"}]}`, `src="https://b.example/p"`},
		"the text of BookWyrm's book": {`"quote":"a passage"`, `x`},
	} {
		p := postsOf(t, noteOf("Create", "1", "", `,`+test.more, "x"))[0].Sanitise(seenAt)
		if !strings.Contains(p.Content, test.want) || len(p.Enclosures) > 0 || strings.Contains(p.Content, "passage") {
			t.Errorf("%s: %s %v", why, p.Content, p.Enclosures)
		}
	}
	shown := postsOf(t, noteOf("Create", "1", "", `,"quoteUrl":"https://b.example/q"`,
		`RE: <a href="https://b.example/q">x</a>`))[0].Sanitise(seenAt)
	lines := postsOf(t, `{"type":"Video","id":"https://a.example/v",`+
		toAll+`,"mediaType":"text/markdown","content":"One\r\n\r\nTwo\r\nthree"}`)[0].Sanitise(seenAt)
	if lines.Content != "<p>One</p><p>Two<br/>three</p>" {
		t.Errorf("lines that end as of old: %s", lines.Content)
	}
	if strings.Count(shown.Content, "https://b.example/q") != 1 {
		t.Errorf("a quotation that the text has itself: %s", shown.Content)
	}
}

// The latest activity about an object wins, if it is the account's own.
func TestActivityStreamsChanges(t *testing.T) {
	create := noteOf("Create", "1", "2026-01-01T00:00:00Z", "", "old")
	update, later := noteOf("Update", "1", "2026-01-02T00:00:00Z", "", "new"),
		noteOf("Update", "1", "2026-01-03T00:00:00Z", "", "newest")
	foreign := strings.ReplaceAll(update, `"actor":"https://a.example/ann"`, `"actor":"https://b.example/bob"`)
	boost := `{"type":"Announce","id":"https://a.example/b","actor":"https://a.example/ann",` +
		toAll + `,"object":"https://b.example/1"}`
	ending := func(activity, object string) string {
		return `{"type":"` + activity + `","id":"https://a.example/d","actor":"https://a.example/ann",` +
			toAll + `,"object":` + object + `}`
	}
	for why, test := range map[string]struct{ items, want string }{
		"created": {create, "old"},
		"changed": {update + "," + create, "new"},
		"changed, without a date": {strings.Replace(update, `"published":"2026-01-02T00:00:00Z",`, "", 1) + "," +
			create, "new"},
		"changed, oldest first": {create + "," + update, "new"},
		"changed twice":         {later + "," + update + "," + create, "newest"},
		"changed, not listed":   {update, "new"},
		"changed by another":    {foreign + "," + create, "old"},
		"deleted":               {ending("Delete", `"https://a.example/1"`) + "," + update + "," + create, ""},
		"deleted, a tombstone": {ending("Delete", `{"type":"Tombstone","id":"https://a.example/1"}`) + "," +
			create, ""},
		"deleted by another": {strings.ReplaceAll(ending("Delete", `"https://a.example/1"`),
			"https://a.example/ann", "https://b.example/bob") + "," + create, "old"},
		"deleted, nobody knows what": {ending("Delete",
			`{}`) + `,{"type":"Note","content":"no name","url":"https://a.example/x",` + toAll + `}`, "no name"},
		"passed on": {boost, "Boosts https://b.example/1"},
		"no more passed on": {ending("Undo",
			`{"type":"Announce","id":"https://a.example/b","object":"https://b.example/1"}`) + "," + boost, ""},
		"of the account itself": {ending("Update", `{"type":"Person","id":"https://a.example/ann","name":"Ann",`+
			toAll+`}`), ""},
		"passed on without text": {`{"type":"Announce","id":"https://a.example/b",` +
			toAll + `,"object":{"type":"Article","url":"https://b.example/2","content":"FOREIGN"}}`,
			"Boosts https://b.example/2"},
		"a like in a group": {`{"type":"Announce","id":"https://a.example/b",` +
			toAll + `,"object":{"type":"Like","id":"https://a.example/l","object":"https://a.example/1"}}`, ""},
	} {
		var got []string
		for _, p := range postsOf(t, test.items) {
			got = append(got, excerpt(p.Sanitise(seenAt).Content, 100))
		}
		if strings.Join(got, " + ") != test.want {
			t.Errorf("%s: %q, want %q", why, got, test.want)
		}
	}
}

// An author's continuations of their own post are part of it. A reply to another author, and a continuation of it,
// are replies.
func TestActivityStreamsThread(t *testing.T) {
	answers := func(id string) string { return `,"inReplyTo":"` + id + `"` }
	posts := postsOf(t, strings.Join([]string{
		noteOf("Create", "5", "", answers("https://a.example/4"), "<p>five</p>"),
		noteOf("Create", "4", "", answers("https://b.example/9"), "<p>four</p>"),
		noteOf("Create", "3", "", answers("https://a.example/2"), "three"),
		noteOf("Create", "2", "", answers("https://a.example/1"), "two"),
		noteOf("Create", "6", "", answers("https://a.example/ann/7"), "six"),
		noteOf("Create", "1", "", "", "<p>one</p>"),
	}, ","))
	want := []struct {
		partOf, text string
		extra        digest.Extra
	}{
		{"", "five", digest.Reply}, {"", "four", digest.Reply},
		{"https://a.example/1", "three", 0}, {"https://a.example/1", "two", 0},
		{"", "six", 0}, {"", "one two three", 0},
	}
	for i, w := range want {
		p := posts[i].Sanitise(seenAt)
		text := strings.TrimSuffix(excerpt(p.Content, 100), " ↑ In reply to")
		if p.PartOf != w.partOf || p.Extra != w.extra || text != w.text {
			t.Errorf("%d: part of %q, %v, %q; want %+v", i, p.PartOf, p.Extra, text, w)
		}
	}
	bob := strings.ReplaceAll(noteOf("Create", "2", "", answers("https://a.example/1"), "two"),
		`"attributedTo":"https://a.example/ann"`, `"attributedTo":"https://a.example/bob"`)
	if p := postsOf(t, bob+","+noteOf("Create", "1", "", "", "one")); p[0].PartOf != "" {
		t.Errorf("an answer of another is part of %s", p[0].PartOf)
	}
	circle := postsOf(t, noteOf("Create", "1", "", answers("https://a.example/2"), "x")+","+
		noteOf("Create", "2", "", answers("https://a.example/1"), "y")+","+
		noteOf("Create", "3", "", answers("https://a.example/3"), "z"))
	for _, p := range circle {
		if p.PartOf != "" {
			t.Errorf("a circle: %s is part of %s", p.GUID, p.PartOf)
		}
	}
}

func TestActivityStreamsWithholds(t *testing.T) {
	for doc, want := range map[string]bool{
		outboxOf(``):                                 false,
		outboxOf(`"https://a.example/1"`):            true,
		outboxOf(noteOf("Create", "1", "", "", "x")): false,
		outboxOf(`{"type":"Create",` +
			toAll + `,"object":"https://a.example/1"}`): true,
		`{"type":"OrderedCollection","totalItems":0,"first":{"type":"OrderedCollectionPage","id":"https://a.example/outbox?page=1","orderedItems":[]}}`: false,
		`{"@context":"https://www.w3.org/ns/activitystreams","type":"OrderedCollection","totalItems":7}`:                                                true,
		`{"@context":"https://www.w3.org/ns/activitystreams","type":"OrderedCollection","totalItems":0}`:                                                false,
	} {
		if d, err := Parse([]byte(doc), "", "https://a.example/outbox"); err != nil || d.Withholds != want ||
			!d.IsFeed() {
			t.Errorf("%s: %v, %v", doc, d.Withholds, err)
		}
	}
}
