package feed

import (
	"fmt"
	"strings"
	"testing"
)

// JSON-LD allows several forms for the same value, and servers use all of them.
func TestActivityStreamsJSONLD(t *testing.T) {
	const by = `"attributedTo":"https://a.example/ann",` + toAll
	for why, test := range map[string]struct{ item, want string }{
		"ids and types by keyword": {`{"@id":"https://a.example/c","@type":"Create",` + toAll +
			`,"object":{"@id":"https://a.example/1","@type":"Note",` + by + `,"content":"x"}}`,
			"https://a.example/1 |  | x"},
		"fields with a prefix": {`{"id":"https://a.example/1","type":"as:Note",` + by +
			`,"as:content":"x","as:published":"2026-01-01T00:00:00Z"}`, "https://a.example/1 |  | x"},
		"fields in full": {
			`{"@id":"https://a.example/1","@type":["https://www.w3.org/ns/activitystreams#Note"],` + by +
				`,"https://www.w3.org/ns/activitystreams#content":[{"@value":"x","@language":"de"}]}`,
			"https://a.example/1 |  | x"},
		"a value and its language": {`{"id":"https://a.example/1","type":"Note",` + by + `,"content":{"@value":"x",` +
			`"@language":"de"},"published":{"@value":"2026-01-01T00:00:00Z","@type":"xsd:dateTime"}}`,
			"https://a.example/1 | de | x"},
		"the language of two": {`{"id":"https://a.example/1","type":"Note",` + by +
			`,"content":"x","contentMap":{"en":"y","de":"x"}}`, "https://a.example/1 | de | x"},
		"languages in the text": {`{"id":"https://a.example/1","type":"Note",` + by + `,"content":{"fr":"x"}}`,
			"https://a.example/1 | fr | x"},
		"the language of Lemmy": {`{"id":"https://a.example/1","type":"Page",` + by +
			`,"content":"x","language":{"identifier":"de","name":"Deutsch"}}`, "https://a.example/1 | de | x"},
		"a set": {`{"id":"https://a.example/1","type":{"@set":["Note"]},` + by + `,"content":["x"]}`,
			"https://a.example/1 |  | x"},
	} {
		posts := postsOf(t, test.item)
		if len(posts) != 1 {
			t.Errorf("%s: %d posts", why, len(posts))
			continue
		}
		p := posts[0].Sanitise(seenAt)
		if got := fmt.Sprint(posts[0].GUID, " | ", posts[0].Language, " | ",
			excerpt(p.Content, 100)); got != test.want {
			t.Errorf("%s: %q, want %q", why, got, test.want)
		}
		if strings.Contains(test.item, "2026") && posts[0].Published.IsZero() {
			t.Errorf("%s: no date", why)
		}
	}
}

// Excerpts contain only the author's warning.
func TestActivityStreamsWarning(t *testing.T) {
	for why, test := range map[string]struct{ object, title string }{
		"a warning": {`"type":"Note","summary":"Spiders","content":"eight legs"`, "Content warning: Spiders"},
		"of what is sensitive": {`"type":"Article","sensitive":true,"summary":"Spiders","content":"eight legs"`,
			"Content warning: Spiders"},
		"one that cannot be seen": {`"type":"Note","summary":"\u200b","content":"eight legs"`, "eight legs"},
		"none, of a poll": {
			`"type":"Question","name":"Which?","summary":"Which? #boats","anyOf":[{"name":"A"}],"content":null`,
			"Which?"},
		"none, of a sensitive poll": {
			`"type":"Question","sensitive":true,"name":"Which?","summary":"Which? #boats","anyOf":[{"name":"A"}]`,
			"Which?"},
		"an excerpt": {
			`"type":"Article","summary":"On legs, and how many there are of them all","content":"eight legs"`,
			"eight legs"},
		"languages where the text is": {`"type":"Note","summary":{"en":"Spiders"},"content":"eight legs"`,
			"Content warning: Spiders"},
	} {
		p := postsOf(t, `{"id":"https://a.example/1","attributedTo":"https://a.example/ann",`+toAll+`,`+test.object+
			`}`)[0].Sanitise(seenAt)
		if p.Title != test.title {
			t.Errorf("%s: %q, want %q", why, p.Title, test.title)
		}
		if warns := strings.HasPrefix(test.title, "Content"); warns && strings.Contains(p.Summary, "legs") ||
			warns != strings.Contains(p.Content, "Content warning") {
			t.Errorf("%s: %q, %q", why, p.Summary, p.Content)
		}
	}
	thread := postsOf(t, noteOf("Create", "3", "", `,"inReplyTo":"https://a.example/2"`, "<p>three</p>")+","+
		noteOf("Create", "2", "", `,"inReplyTo":"https://a.example/1","summary":"Spiders",`+
			`"attachment":{"type":"Image","url":"https://a.example/legs.png"}`, "<p>eight legs</p>")+","+
		noteOf("Create", "1", "", "", "<p>one</p>"))
	if p := thread[2].Sanitise(seenAt); p.Summary != "one Content warning: Spiders" ||
		!strings.Contains(p.Content, "three") || strings.Contains(p.Content, "<img") || p.ImageURL != "" {
		t.Errorf("a warning within a thread: %q, %s", p.Summary, p.Content)
	}
}

// Mastodon writes the warning into the text of its RSS feeds, before a line.
func TestWarningInRSS(t *testing.T) {
	for text, want := range map[string]string{
		`<p><strong>Content warning:</strong> spiders</p><hr><p>Eight legs</p>`:     "Content warning: spiders",
		`<p><strong>Avertissement :</strong> araignées</p><hr /><p>Huit pattes</p>`: "Avertissement : araignées",
		`<p><strong>Content warning:</strong> spiders</p><p>Eight legs</p>`: "Content warning: " +
			"spiders Eight legs",
		`<p><strong>Eight legs</strong> and <em>more</em></p><hr><p>Of all of them:</p>`: "Eight legs and more " +
			"Of all of them:",
	} {
		d := mustParse(t, `<rss version="2.0"><channel><title>S</title><item><guid>1</guid><description><![CDATA[`+
			text+`]]></description></item></channel></rss>`, "")
		if p := d.Posts[0].Sanitise(seenAt); p.Title != want || p.Summary != want ||
			!strings.Contains(p.Content, "<hr") && strings.Contains(text, "<hr") {
			t.Errorf("%s: %q, %q, %s", text, p.Title, p.Summary, p.Content)
		}
	}
}

// Posts contain the time and place of an event, the place of a photo, the largest picture, and all recipients.
func TestActivityStreamsTold(t *testing.T) {
	const event = `"type":"Event","name":"Party","startTime":"2026-12-18T13:00:00Z","content":"<p>Come!</p>"`
	for why, test := range map[string]struct{ object, want string }{
		"an event": {event, "Friday 18 December 2026, 13:00 (UTC) Come!"},
		"until another day": {event + `,"endTime":"2026-12-19T01:00:00Z","timezone":"No/Where"`,
			"Friday 18 December 2026, 13:00 – Saturday 19 December 2026, 01:00 (UTC) Come!"},
		"at a place": {event + `,"endTime":"2026-12-18T14:00:00Z","timezone":"Europe/Paris",` +
			`"location":{"type":"Place","name":"Cour du Château","address":{"type":"PostalAddress",` +
			`"addressLocality":"Nantes","postalCode":"44000","streetAddress":" "}}`,
			"Friday 18 December 2026, 14:00–15:00 (Europe/Paris) 📍 Cour du Château, 44000 Nantes Come!"},
		"at an address that is one text": {
			event + `,"location":{"type":"Place","name":"Pub","address":"1 Quay <b>St</b>"}`,
			"Friday 18 December 2026, 13:00 (UTC) 📍 Pub, 1 Quay St Come!"},
		"online": {
			event + `,"location":[{"type":"VirtualLocation","url":"https://meet.example/1"}]`,
			"Friday 18 December 2026, 13:00 (UTC) 📍 https://meet.example/1 Come!"},
		"a place that is only its name": {event + `,"location":"The <i>pub</i>"`,
			"Friday 18 December 2026, 13:00 (UTC) 📍 The pub Come!"},
		"a picture's place": {
			`"type":"Note","content":"Boats","location":{"type":"Place","name":"Hamburg","country":"Germany"}`,
			"Boats 📍 Hamburg, Germany"},
		"for many readers, and everybody": {`"type":"Note","content":"x","cc":[` +
			strings.Repeat(`"https://b.example/bob",`, 200) + `"as:Public"]`, "x"},
	} {
		p := postsOf(t, `{"id":"https://a.example/1","attributedTo":"https://a.example/ann","to":[`+
			strings.Repeat(`"https://b.example/bob",`, 200)+`"as:Public"],`+test.object+`}`)
		if len(p) != 1 {
			t.Errorf("%s: %d posts", why, len(p))
		} else if got := excerpt(p[0].Sanitise(seenAt).Content, 300); got != test.want {
			t.Errorf("%s: %q, want %q", why, got, test.want)
		}
	}
	const pictures = `{"id":"https://a.example/1","type":"Video",` + toAll + `,"name":"A",%s:[{"type":"Image",` +
		`"url":"https://a.example/280.jpg","width":280},{"type":"Image","url":"https://a.example/850.jpg",` +
		`"width":850}]}`
	if p := postsOf(t, fmt.Sprintf(pictures, `"icon"`))[0].Sanitise(seenAt); p.ImageURL != "https://a.example/850.jpg" {
		t.Errorf("the picture is %s", p.ImageURL)
	}
	sizes := `{"id":"https://a.example/1","type":"Note",` + toAll + `,"attachment":{"type":"Image",` +
		`"url":[{"type":"Link","mediaType":"image/jpeg","href":"https://a.example/s.jpg","width":100},` +
		`{"type":"Link","mediaType":"image/jpeg","href":"https://a.example/l.jpg","width":900}]}}`
	if p := postsOf(t, sizes)[0].Sanitise(seenAt); !strings.Contains(p.Content, "l.jpg") ||
		strings.Contains(p.Content, "s.jpg") {
		t.Errorf("the picture of several sizes: %s", p.Content)
	}
}

func TestActivityStreamsNothing(t *testing.T) {
	for _, item := range []string{`{"type":"Arrive","id":"https://a.example/a","actor":"https://a.example/ann",` +
		toAll + `}`, `{"type":"Create","id":"https://a.example/a","actor":"https://a.example/ann",` + toAll + `}`,
		`{"type":"Announce","id":"https://a.example/a","actor":"https://a.example/ann",` + toAll + `,"object":null}`,
		`{"type":["Travel"],"id":"https://a.example/a",` + toAll + `}`} {
		if posts := postsOf(t, item); len(posts) > 0 {
			t.Errorf("%s: %+v", item, posts[0])
		}
	}
}
