package feed

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"digest"
)

func TestSeconds(t *testing.T) {
	for in, want := range map[string]int64{
		"2580": 2580, "43:00": 2580, "0:43:00": 2580, "00:43:00": 2580, "1:02:03": 3723, "90:00": 5400,
		"1:00:00:00": 86400,
		" 43:00 ":    2580, "2580.4": 2580, "0:43:00.500": 2581, "43:00,2": 2580, ":43:00": 0,
		"PT43M": 2580, "PT1H2M3S": 3723, "P1DT2H": 93600, "PT43M0.5S": 2581, "43 min": 2580, "43 minutes": 2580,
		"43m": 2580, "1h 2m": 3720,
		"1 hr 2 min": 3720, "1 hour, 2 minutes and 3 seconds": 3723, "43 min.": 2580, "1h2m3s": 3723, "90s": 90,
		"0.5 h": 1800,
		"":      0, "0": 0, "00:00": 0, "-5": 0, "-1:00": 0, "abc": 0, "43 parsecs": 0, "1e9": 0, "NaN": 0, "Inf": 0,
		"0x10": 0, "12 34": 0, "1.2.3": 0,
		"1000000000000000000000000000000": 0, "1:1:1:1:1": 0, "::": 0, "999999999999:00": 0, "604800": 604800,
		"604801": 0, "0.2": 0,
		strings.Repeat("9", 400): 0, "P": 0, "PT": 0, "h": 0, "43 min 12": 2592,
	} {
		if got := seconds(in); got != want {
			t.Errorf("%q is %d seconds, want %d", in, got, want)
		}
	}
}

func FuzzSeconds(f *testing.F) {
	for _, s := range []string{"43:00", "PT1H2M", "1 hour, 2 minutes and 3 seconds", "1,5h", "9:9:9:9"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n := seconds(s); n < 0 || n > maxSeconds {
			t.Errorf("%q is %d seconds", s, n)
		}
	})
}

func mediaPost(t *testing.T, item string) *Post {
	t.Helper()
	d := mustParse(t, `<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
		xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:atom="http://www.w3.org/2005/Atom">
		<channel><link>https://x.org/</link><item><guid>1</guid>`+item+`</item></channel></rss>`, "https://x.org/feed.xml")
	if len(d.Posts) != 1 {
		t.Fatalf("%d posts", len(d.Posts))
	}
	return &d.Posts[0]
}

func TestFilesOfAPost(t *testing.T) {
	const mp3 = `<enclosure url="https://x.org/a.mp3" type="audio/mpeg" length="41000000"/>`
	file := func(url, typ string, length, seconds int64) digest.Enclosure {
		return digest.Enclosure{URL: "https://" + url, Type: typ, Length: length, Seconds: seconds}
	}
	sound := file("x.org/a.mp3", "audio/mpeg", 41000000, 0)
	timed, podlove, listed := sound, sound, sound
	timed.Seconds, podlove.Chapters = 2592, "https://x.org/c.psc"
	listed.ChapterList = []digest.Chapter{{Title: "A"}, {Start: 65, Title: "D"}, {Start: 187, Title: "B&amp; <i> b"}}
	whole := timed
	whole.Chapters, whole.Transcript = "https://x.org/c.json", "https://x.org/t.html"
	for _, c := range []struct {
		reason, item string
		want         []digest.Enclosure
	}{
		{"an enclosure", mp3, []digest.Enclosure{sound}},
		{"its duration, chapters and words",
			mp3 + `<itunes:duration>43:12</itunes:duration><podcast:chapters url="c.json" type="application/json+chapters"/>
			<podcast:transcript url="/t.srt" type="application/srt"/><podcast:transcript url="/t.html" type="text/html"/>`,
			[]digest.Enclosure{whole}},
		{"Podlove's chapters", mp3 + `<atom:link rel="http://podlove.org/simple-chapters" href="/c.psc"/>`,
			[]digest.Enclosure{podlove}},
		{"chapters that the feed lists itself",
			mp3 + `<psc:chapters xmlns:psc="http://podlove.org/simple-chapters" version="1.2"><psc:chapter start="00:03:07.950" title="B&amp;amp; &lt;i&gt;
	b" href="https://x.org/"/><psc:chapter start="00:00:00" title="A"/><psc:chapter start="1:00:00" title=""/><psc:chapter start="soon" title="C"/><psc:chapter start="-4" title="C"/><psc:chapter title="C"/><psc:chapter start="99999:00:00" title="C"/>
	<psc:chapter start="65" title="D">E</psc:chapter></psc:chapters><psc:chapters><psc:chapter start="1" title="Z"/></psc:chapters>`,
			[]digest.Enclosure{listed}},
		{"no script", mp3 + `<podcast:chapters url="javascript:alert(1)"/><podcast:transcript ` +
			`url="data:text/html,x" type="text/html"/>`, []digest.Enclosure{sound}},
		{"the same file told twice", mp3 + `<media:content url="https://x.org/a.mp3" duration="2592"/>`,
			[]digest.Enclosure{timed}},
		{"the same sound elsewhere", mp3 + `<media:content url="https://cdn.example/a.m4a" type="audio/mp4"/>`,
			[]digest.Enclosure{sound}},
		{"forms of a film", `<media:group><media:content url="/a.webm" type="video/webm"/><media:content url="/a.mp4" type="video/mp4" fileSize="9000" duration="720"/>
			<media:content url="/a.mov" type="video/quicktime"/></media:group>`,
			[]digest.Enclosure{{URL: "https://x.org/a.mp4", Type: "video/mp4", Length: 9000, Seconds: 720}}},
		{"the form that is named",
			`<media:group><media:content url="/a.mp4" type="video/mp4"/><media:content url="/a.webm" ` +
				`type="video/webm" isDefault="true"/></media:group>`,
			[]digest.Enclosure{{URL: "https://x.org/a.webm", Type: "video/webm"}}},
		{"two films", `<media:group><media:content url="/a.mp4"/><media:content url="/a.webm"/></media:group>` +
			`<media:group><media:content url="/b.mp4"/></media:group>`,
			[]digest.Enclosure{{URL: "https://x.org/a.mp4"}, {URL: "https://x.org/b.mp4"}}},
		{"a sample", `<media:content url="/a.mp4" expression="sample"/>`, nil},
		{"Flash", `<media:group><media:content url="https://www.youtube.com/v/x?version=3" ` +
			`type="application/x-shockwave-flash"/></media:group>`, nil},
		{"a group of our own number", `<media:content url="/a.mp4" group="1"/><media:content url="/b.mp4" group="1"/>`,
			[]digest.Enclosure{{URL: "https://x.org/a.mp4"}, {URL: "https://x.org/b.mp4"}}},
		{"what cannot be", `<enclosure url="https://x.org/a.mp3" type="audio/mpeg" length="-4"/>` +
			`<itunes:duration>1000000000000000000000000000000</itunes:duration>`,
			[]digest.Enclosure{file("x.org/a.mp3", "audio/mpeg", 0, 0)}},
		{"too large", `<enclosure url="https://x.org/a.mp3" type="audio/mpeg" length="9223372036854775807"/>`,
			[]digest.Enclosure{file("x.org/a.mp3", "audio/mpeg", 0, 0)}},
		{"a script", `<enclosure url="javascript:alert(1)" type="audio/mpeg"/><media:content ` +
			`url="javascript:alert(2)" type="video/mp4"/>`, nil},
		{"a counter around sound is its way", `<enclosure url="https://track.example/a.mp3" type="audio/mpeg"/>`,
			[]digest.Enclosure{{URL: "https://track.example/a.mp3", Type: "audio/mpeg"}}},
		{"a counter that is a picture", `<enclosure url="https://pixel.wp.com/a.gif" type="image/gif"/>`, nil},
	} {
		if diff := cmp.Diff(c.want, mediaPost(t, c.item).Sanitise(seenAt).Enclosures); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
	}
}

// TestNestedMediaTexts checks that texts within a file describe the post, but texts within a picture describe the
// picture.
func TestNestedMediaTexts(t *testing.T) {
	p := mediaPost(t, `<media:group><media:content url="/a.mp4" type="video/mp4"><media:title>A film</media:title>
		<media:group><media:description>Of a lighthouse, and who lived in it for forty years.</media:description></media:group>
		<media:thumbnail url="/a.jpg"/></media:content></media:group>`).Sanitise(seenAt)
	if p.Title != "A film" || p.Summary != "Of a lighthouse, and who lived in it for forty years." ||
		p.ImageURL != "https://x.org/a.jpg" {
		t.Errorf("title %q, summary %q, picture %q", p.Title, p.Summary, p.ImageURL)
	}
	p = mediaPost(t, `<description>Hello</description><media:content url="/a.jpg" medium="image">`+
		`<media:description>A lighthouse at dusk, with its &quot;lamp&quot; lit, seen from the `+
		`sea.</media:description></media:content>`).Sanitise(seenAt)
	const want = `<p>Hello</p><p><img src="https://x.org/a.jpg" alt="A lighthouse at dusk, with its &#34;lamp&#34;` +
		` lit, seen from the sea."/></p>`
	if p.Summary != "Hello" || p.Content != want {
		t.Errorf("summary %q, content\n%s", p.Summary, p.Content)
	}
}

func TestPicturesBesideTheText(t *testing.T) {
	for _, c := range []struct{ reason, item, image, content string }{
		{"one", `<title>T</title><description>a</description><media:thumbnail url="/t.jpg"/>`, "https://x.org/t.jpg",
			`<p><img src="https://x.org/t.jpg"/></p><p>a</p>`},
		{"in the text already",
			`<title>T</title><description>a &lt;img src="/t.jpg"&gt;</description><media:thumbnail url="/t.jpg"/>`,
			"https://x.org/t.jpg", `a <img src="https://x.org/t.jpg"/>`},
		{"the largest", `<title>T</title><description>a</description><media:content url="/s.jpg" medium="image" width="140" height="84"/>
			<media:content url="/l.jpg" medium="image" width="700" height="420"/>`, "https://x.org/l.jpg",
			`<p><img src="https://x.org/l.jpg"/></p><p>a</p>`},
		{"all of a note", `<description>a</description><media:content url="/1.jpg" medium="image"/><media:content ` +
			`url="/2.jpg" type="image/jpeg"/>`,
			"https://x.org/1.jpg",
			`<p>a</p><p><img src="https://x.org/1.jpg"/></p><p><img src="https://x.org/2.jpg"/></p>`},
		{"nobody's", `<title>T</title><description>a</description><media:content ` +
			`url="https://secure.gravatar.com/avatar/1" medium="image"/>`, "", `<p>a</p>`},
		{"a counter", `<title>T</title><description>a</description><media:thumbnail url="https://pixel.wp.com/b.gif"/>`,
			"", `<p>a</p>`},
		{"a script", `<title>T</title><description>a</description><media:thumbnail url="javascript:alert(1)"/>`, "",
			`<p>a</p>`},
		{"an episode's", `<title>T</title><description>a</description><itunes:image href="/e.jpg"/>`,
			"https://x.org/e.jpg", `<p><img src="https://x.org/e.jpg"/></p><p>a</p>`},
	} {
		p := mediaPost(t, c.item).Sanitise(seenAt)
		if p.ImageURL != c.image || p.Content != c.content {
			t.Errorf("%s: picture %q, content\n%s", c.reason, p.ImageURL, p.Content)
		}
	}
}

func TestPictureOfAllPosts(t *testing.T) {
	d := mustParse(t, `<rss xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
		<item><title>1</title><itunes:image href="/cover.jpg"/></item><item><title>2</title><itunes:image href="/own.jpg"/></item>
		<item><title>3</title><itunes:image href="/cover.jpg"/></item></channel></rss>`, "https://x.org/feed")
	for i, want := range []string{"", "https://x.org/own.jpg", ""} {
		if got := d.Posts[i].Sanitise(seenAt).ImageURL; got != want {
			t.Errorf("post %d: %q, want %q", i+1, got, want)
		}
	}
}

func TestAttachments(t *testing.T) {
	for _, c := range []struct {
		reason, attachments string
		want                []digest.Enclosure
	}{
		{"one", `{"url":"a.mp3","mime_type":"audio/mpeg","size_in_bytes":41000000,"duration_in_seconds":2580}`,
			[]digest.Enclosure{{URL: "https://x.org/a.mp3", Type: "audio/mpeg", Length: 41000000, Seconds: 2580}}},
		{"forms of one", `{"url":"a.ogg","mime_type":"audio/ogg","title":"A"},{"url":"a.mp3",` +
			`"mime_type":"audio/mpeg","title":"A"}`,
			[]digest.Enclosure{{URL: "https://x.org/a.mp3", Type: "audio/mpeg"}}},
		{"other types of numbers",
			`{"url":"a.mp3","mime_type":"audio/mpeg","size_in_bytes":"410","duration_in_seconds":2580.6}`,
			[]digest.Enclosure{{URL: "https://x.org/a.mp3", Type: "audio/mpeg", Length: 410, Seconds: 2580}}},
		{"what cannot be", `{"url":"a.mp3","mime_type":"audio/mpeg","size_in_bytes":-3,"duration_in_seconds":1e30}`,
			[]digest.Enclosure{{URL: "https://x.org/a.mp3", Type: "audio/mpeg"}}},
	} {
		d := mustParse(t, `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","title":"T",`+
			`"attachments":[`+
			c.attachments+`]}]}`, "https://x.org/feed.json")
		if diff := cmp.Diff(c.want, d.Posts[0].Sanitise(seenAt).Enclosures); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
	}
}

// TestManyChapters limits the stored part of a long list.
func TestManyChapters(t *testing.T) {
	var list strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&list, `<psc:chapter start="%d" title="%s"/>`, i, strings.Repeat("x", i))
	}
	post := mediaPost(t, `<enclosure url="https://x.org/a.mp3" type="audio/mpeg"/><psc:chapters>`+
		list.String()+`</psc:chapters>`)
	all := post.Enclosures[0].ChapterList
	if len(all) != maxChapters {
		t.Errorf("%d chapters", len(all))
	}
	for _, c := range all {
		if utf8.RuneCountInString(c.Title) > maxChapterTitle {
			t.Errorf("a title of %d bytes", len(c.Title))
		}
	}
}
