package feed

import (
	"strconv"
	"strings"
	"testing"
)

func TestAskedURL(t *testing.T) {
	for typed, actor := range map[string]string{
		"ann.bsky.social": "ann.bsky.social", "@Ann.Bsky.Social": "ann.bsky.social", "@ann.example": "ann.example",
		"https://bsky.app/profile/ann.example":     "ann.example",
		"bsky.app/profile/ann.example/post/3k?x=1": "ann.example",
		"https://bsky.app/profile/did:plc:a7":      "did:plc:a7",
		" at://did:plc:a7/app.bsky.feed.post/3k ":  "did:plc:a7",
		"at://ann.example":                         "ann.example", "did:web:ann.example": "did:web:ann.example",
		ATProtoURL("did:plc:a7"): "did:plc:a7",
		"ann.example":            "", "https://ann.bsky.social/blog": "", "@ann@social.example": "",
		"https://bsky.app/profile/ann.example/rss": "",
		"https://bsky.app/":                        "", "https://evil.example/profile/ann.example": "", "@ann": "",
		"at://../x":    "",
		"@a b.example": "", "https://deer.social/profile/ann.example": "ann.example",
		"https://any.example/profile/ann.bsky.social/post/3k": "ann.bsky.social",
		"https://any.example/profile/did:plc:a7":              "did:plc:a7",
		"https://any.example/profile/did:plc:a7/rss":          "",
		"https://ann.bsky.social":                             "ann.bsky.social",
		"https://Ann.bsky.social/":                            "ann.bsky.social",
		"https://a.b.bsky.social/":                            "",
		"<https://bsky.app/profile/ann.example>":              "ann.example",
		"ftp://bsky.app/profile/ann.example":                  "", "at://ann.example:80/": "",
	} {
		url, _ := AskedURL(typed)
		if got := ATProtoActor(url); got != actor {
			t.Errorf("%q is %q of the account %q, want %q", typed, url, got, actor)
		}
	}
}

func FuzzAskedURL(f *testing.F) {
	f.Add("@ann.bsky.social")
	f.Add("at://did:plc:a7/x")
	f.Fuzz(func(t *testing.T, typed string) {
		url, err := AskedURL(typed)
		if err != nil {
			return
		}
		again, err := AskedURL(url)
		if err != nil || again != url {
			t.Errorf("%q becomes %q, and that %q: %v", typed, url, again, err)
		}
	})
}

// The hash of the posts does not change with counts, names and the cursor.
func TestATProtoHash(t *testing.T) {
	const doc = `{"feed":[{"post":{"uri":"at://did:plc:a/app.bsky.feed.post/1","author":{"did":"did:plc:a","handle":"a.example"},"likeCount":LIKES,
		"record":{"text":"TEXT","createdAt":"2026-11-19T00:00:00Z"},"indexedAt":"2026-11-19T00:00:00Z"}}],"cursor":"LIKES"}`
	hash := func(likes, text string) string {
		d, err := Parse([]byte(strings.NewReplacer("LIKES", likes, "TEXT", text).Replace(doc)), "application/json",
			ATProtoURL("did:plc:a"))
		if err != nil || d.Kind != ATProto || len(d.Posts) != 1 {
			t.Fatal(d, err)
		}
		return d.PostsHash()
	}
	if hash("1", "one") != hash("2", "one") || hash("1", "one") == hash("1", "two") {
		t.Error("the hash is not that of the posts")
	}
}

func TestATProtoHostile(t *testing.T) {
	for why, doc := range map[string]string{
		"facets without end": `{"feed":[{"post":{"uri":"at://did:plc:a/app.bsky.feed.post/1",` +
			`"author":{"did":"did:plc:a"},"record":{"text":"é","facets":[` +
			strings.Repeat(`{"index":{"byteStart":1,"byteEnd":2},"features":[{"uri":"https://x.example"}]},`, 50000) +
			`{}]}}}]}`,
		"embeds in embeds": `{"feed":[{"post":{"uri":"at://did:plc:a/app.bsky.feed.post/1",` +
			`"author":{"did":"did:plc:a"},"embed":` + strings.Repeat(`{"media":`, 5000) + `{}` +
			strings.Repeat("}", 5000) + `}}]}`,
		"a thread that circles": `{"feed":[` + circle("1", "2") + `,` + circle("2", "1") + `,` +
			circle("3", "3") + `]}`,
		"values of other types": `{"feed":[{"post":1},7,null,[],{"post":[]},{"post":{"uri":5,"author":"ann",` +
			`"record":{"facets":{},"text":[1]},"embed":"x"},"reason":true}]}`,
		"markup in every text": `{"feed":[{"post":{"uri":"at://did:plc:a/app.bsky.feed.post/1",` +
			`"author":{"did":"did:plc:a","displayName":"<script>alert(1)</script>"},` +
			`"record":{"text":"<script>alert(1)</script>"},"labels":[{"val":"porn"}],` +
			`"embed":{"external":{"uri":"https://x.example/\"onclick=alert(1)","title":"<script>",` +
			`"description":"</blockquote><script>"},"images":[{"fullsize":"javascript:alert(1)","alt":"\">` +
			`<script>"}]}}}]}`,
	} {
		d, err := Parse([]byte(doc), "application/json", ATProtoURL("did:plc:a"))
		if err != nil {
			t.Errorf("%s: %v", why, err)
			continue
		}
		for i := range d.Posts {
			p := d.Posts[i].Sanitise(seenAt)
			if strings.Contains(p.Content, "<script") || strings.Contains(p.Content, `"onclick`) ||
				strings.Contains(p.Content, "javascript:") {
				t.Errorf("%s: %s", why, p.Content)
			}
		}
	}
}

// circle returns a post that replies to another one by the same author.
func circle(key, parent string) string {
	uri := func(k string) string { return `"uri":"at://did:plc:a/app.bsky.feed.post/` + k + `"` }
	return `{"post":{` + uri(key) + `,"author":{"did":"did:plc:a"},"record":{"text":"x","reply":{"root":{` +
		uri(parent) + `},"parent":{` + uri(parent) + `}}}}}`
}

// A gallery contains pictures with descriptions, and may have more than four.
func TestATProtoGallery(t *testing.T) {
	const picture = `{"$type":"app.bsky.embed.gallery#viewImage","thumbnail":"https://cdn.example/t%d",` +
		`"fullsize":"https://cdn.example/f%d","alt":"shell %d"}`
	var items []string
	for i := range 25 {
		items = append(items, strings.ReplaceAll(picture, "%d", strconv.Itoa(i)))
	}
	gallery := `{"$type":"app.bsky.embed.gallery#view","items":[` + strings.Join(items, ",") + `]}`
	for _, embed := range []string{gallery, `{"$type":"app.bsky.embed.recordWithMedia#view","media":` +
		gallery + `,"record":{"record":{"notFound":true}}}`} {
		d := mustParse(t, `{"feed":[{"post":{"uri":"at://did:plc:a/app.bsky.feed.post/1",`+
			`"author":{"did":"did:plc:a","handle":"a.example"},"record":{"text":""},"embed":`+embed+`}}]}`, "")
		p := d.Posts[0].Sanitise(seenAt)
		if n := strings.Count(p.Content, "<img"); n != mostImages || !strings.Contains(p.Content, `alt="shell 4"`) ||
			p.ImageURL != "https://cdn.example/f0" {
			t.Errorf("%d pictures: %+v", n, p)
		}
	}
}

func TestATProtoWithoutText(t *testing.T) {
	d, err := Parse([]byte(`{"feed":[{"post":{"uri":"at://did:plc:a/app.bsky.feed.post/1",`+
		`"author":{"did":"did:plc:a","handle":"a.example"},"record":{"text":""},`+
		`"embed":{"$type":"app.bsky.embed.new#view"}}}]}`), "", "")
	if err != nil || len(d.Posts) != 1 || Report(d).Posts[0].HasContent {
		t.Errorf("%+v %v", d, err)
	}
}
