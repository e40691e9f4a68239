package feed

import (
	"strings"
	"testing"
)

func TestEmbeds(t *testing.T) {
	const poster = `<img src="https://i.ytimg.com/vi/abcdefghijk/hqdefault.jpg" width="480" height="360"/><br/>`
	for in, want := range map[string]string{
		`<iframe src="https://www.youtube.com/embed/abcdefghijk?rel=0" title="The fog signal"></iframe>`:          `https://www.youtube.com/watch?v=abcdefghijk|` + poster + `Watch on YouTube: The fog signal`,
		`<iframe src="//www.youtube-nocookie.com/embed/abcdefghijk" title="YouTube video player"></iframe>`:       `https://www.youtube.com/watch?v=abcdefghijk|` + poster + `Watch on YouTube`,
		`<iframe src="https://www.youtube.com/embed/videoseries?list=PLabcdefghij"></iframe>`:                     `https://www.youtube.com/playlist?list=PLabcdefghij|Watch on YouTube`,
		`<object data="https://www.youtube.com/v/abcdefghijk"></object>`:                                          `https://www.youtube.com/watch?v=abcdefghijk|` + poster + `Watch on YouTube`,
		`<iframe src="https://player.vimeo.com/video/123?h=ab12" title="A &amp; B"></iframe>`:                     `https://vimeo.com/123/ab12|Watch on Vimeo: A &amp; B`,
		`<iframe src="https://tube.example/videos/embed/abc" title="Boats"></iframe>`:                             `https://tube.example/videos/embed/abc|Watch at tube.example: Boats`,
		`<iframe data-src="https://w.soundcloud.com/player/?url=x"></iframe>`:                                     `https://w.soundcloud.com/player/?url=x|Listen on SoundCloud`,
		`<iframe src="https://maps.example/m" title="Where we meet"></iframe>`:                                    `https://maps.example/m|Where we meet (maps.example)`,
		`<iframe src="https://maps.example/m"></iframe>`:                                                          `https://maps.example/m|maps.example`,
		`<embed src="/a.pdf" title="maps.example">`:                                                               `https://example.org/a.pdf|maps.example (example.org)`,
		`<audio controls title="Episode 1"><source src="/a.mp3"><source src="/a.ogg">Your browser is old</audio>`: `https://example.org/a.mp3|Listen at example.org: Episode 1`,
		`<video src="/a.mp4" aria-label="Fog"></video>`:                                                           `https://example.org/a.mp4|Watch at example.org: Fog`,
		`<iframe src="https://evil.example/" title="&lt;img src=x onerror=alert(1)&gt;"></iframe>`:                `https://evil.example/|&lt;img src=x onerror=alert(1)&gt; (evil.example)`,
		`<iframe src="https://evil.example/" title="` +
			strings.Repeat("a ", 4000) + `"></iframe>`: `https://evil.example/|` +
			strings.TrimSpace(strings.Repeat("a ", 100)) + `… (evil.example)`,
		`<iframe src="javascript:alert(1)" title="x"></iframe>`:                           ``,
		`<iframe srcdoc="<script>1</script>" title="x"></iframe>`:                         ``,
		`<iframe src="https://www.youtube.com/embed/abc%22onload%3D" title="x"></iframe>`: `https://www.youtube.com/embed/abc%22onload%3D|Watch on YouTube: x`,
	} {
		got, _ := sanitise(in, "https://example.org/blog/p")
		if href, text, ok := strings.Cut(want, "|"); ok {
			want = `<a href="` + href + `" rel="noopener noreferrer">` + text + `</a>`
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", in, got, want)
		}
	}
}

// TestPosters checks that the preview of a video is the picture of a post without another one.
func TestPosters(t *testing.T) {
	const film, own, poster = `<iframe src="https://www.youtube.com/embed/abcdefghijk"></iframe>`,
		"https://x.org/a.jpg", "https://i.ytimg.com/vi/abcdefghijk/hqdefault.jpg"
	for in, want := range map[string]string{
		film:                               poster,
		film + `<img src="` + own + `">`:   own,
		`<video src="/a.mp4" poster="/p">`: "https://x.org/p",
		`<p>x</p>`:                         "",
	} {
		d := mustParse(t, `<rss><channel><item><title>T</title><link>https://x.org/</link><description><![CDATA[`+
			in+`]]></description></item></channel></rss>`, "https://x.org/feed")
		if got := d.Posts[0].Sanitise(seenAt).ImageURL; got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
