package feed

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest/internal/hypertext"
)

func TestClean(t *testing.T) {
	const same = ""
	for _, c := range []struct{ reason, in, want string }{
		{"campaign", "https://x.org/a?utm_source=rss&utm_medium=feed", "https://x.org/a"},
		{"campaign among others", "https://x.org/a?id=7&utm_source=rss&page=2#top", "https://x.org/a?id=7&page=2#top"},
		{"escaped twice", "https://x.org/a?id=7&amp;utm_medium=rss", "https://x.org/a?id=7"},
		{"capitals", "https://x.org/a?UTM_Source=rss&Id=7", "https://x.org/a?Id=7"},
		{"clicks",
			"https://x.org/a?fbclid=1&gclid=2&mc_cid=3&mc_eid=4&_hsenc=5&_hsmi=6&__hstc=7&msclkid=8&igshid=9&yclid=0",
			"https://x.org/a"},
		{"others",
			"https://x.org/a?wt_mc=rss&xtor=RSS-1&at_medium=RSS&at_campaign=KARANGA&mtm_campaign=x&vero_id=y&__s=z",
			"https://x.org/a"},
		{"Medium", "https://medium.com/p/1?source=rss----7f60cf5620c9---4", "https://medium.com/p/1"},
		{"in the fragment", "https://x.org/a#xtor=RSS-3208", "https://x.org/a"},
		{"in the fragment, as Spiegel does", "https://x.org/a#ref=rss", "https://x.org/a"},
		{"a fragment that leads somewhere", "https://x.org/a#/page?utm_source=x", same},
		{"a name alone", "https://x.org/a?fbclid", "https://x.org/a"},

		{"odd queries stay", "https://x.org/a?&&b=%zz&c;d=1&=&%20", same},
		{"empty query stays", "https://x.org/a?", same},
		{"names that only look so", "https://x.org/a?utm=1&source=rss&ref=rss&xutm_source=2&from=rss&sourcerss-=1",
			same},
		{"not web", "mailto:a@x.org?utm_source=1", same},
		{"signed, Amazon", "https://b.s3.amazonaws.com/k?utm_source=x&X-Amz-Algorithm=A&X-Amz-Signature=0f", same},
		{"signed, Google", "https://storage.googleapis.com/b?utm_source=x&X-Goog-Signature=0f", same},
		{"signed, imgix", "https://i.guim.co.uk/i.jpg?utm_source=x&width=9&s=0123456789abcdef0123456789abcdef", same},
		{"signed, others", "https://x.org/a?utm_source=x&sig=1", same},
		{"a short s is a search", "https://x.org/?s=cats&utm_source=x", "https://x.org/?s=cats"},

		{"Google", "https://www.google.com/url?rct=j&sa=t&url=https://x.org/a&ct=ga&usg=AOv", "https://x.org/a"},
		{"Google of a country", "http://google.co.uk/url?q=https%3A%2F%2Fx.org%2Fa%3Fid%3D7%26utm_source%3Dx&sa=D",
			"https://x.org/a?id=7"},
		{"not Google", "https://www.google.evil.example/url?q=https://x.org/a", same},
		{"Google, elsewhere", "https://www.google.com/search?q=https://x.org/a", same},
		{"Bing news", "http://www.bing.com/news/apiclick.aspx?ref=FexRss&url=https%3a%2f%2fx.org%2fa&c=1",
			"https://x.org/a"},
		{"Facebook", "https://l.facebook.com/l.php?u=https%3A%2F%2Fx.org%2Fa%3Ffbclid%3D1&h=AT0", "https://x.org/a"},
		{"Reddit", "https://out.reddit.com/t3_x?url=https%3A%2F%2Fx.org%2Fa&token=AQ&app_name=web", "https://x.org/a"},
		{"Medium's way out", "https://medium.com/r/?url=https%3A%2F%2Fx.org%2Fa%2Bb+c", "https://x.org/a+b+c"},
		{"YouTube", "https://www.youtube.com/redirect?event=x&redir_token=y&q=https%3A%2F%2Fx.org", "https://x.org"},
		{"Substack", "https://substack.com/redirect/2/eyJlIjoiaHR0cHM6Ly94Lm9yZy9hIiwicCI6MX0.c2ln?",
			"https://x.org/a"},
		{"Substack without a target", "https://substack.com/redirect/0a1b?j=eyJ1IjoiMSJ9", same},
		{"ConvertKit", "https://click.convertkit-mail.com/abc/def/aHR0cHM6Ly94Lm9yZy9hP3V0bV9zb3VyY2U9eA==",
			"https://x.org/a"},
		{"Postmark", "https://click.pstmrk.it/3s/x.org%2Fa/abc/def", "https://x.org/a"},
		{"Amazon's mail", "https://abc.r.eu-west-1.awstrack.me/L0/https:%2F%2Fx.org%2Fa/1/0102", "https://x.org/a"},
		{"Outlook", "https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fx.org%2Fa&data=05",
			"https://x.org/a"},
		{"in the path", "https://go.theregister.com/feed/www.theregister.com/2026/11/20/a/",
			"https://www.theregister.com/2026/11/20/a/"},
		{"whole query", "https://href.li/?https://x.org/a?id=7&b=1", "https://x.org/a?id=7&b=1"},
		{"one in another",
			"https://l.facebook.com/l.php?u=https%3A%2F%2Fwww.google.com%2Furl%3Fq%3Dhttps%253A%252F%252Fx.org%252Fa",
			"https://x.org/a"},
		{"a space", "https://www.google.com/url?q=https%3A%2F%2Fx.org%2Fa%20b", "https://x.org/a%20b"},

		{"a target that is no web address", "https://www.google.com/url?q=javascript%3Aalert(1)", same},
		{"a target with a name in it", "https://www.google.com/url?q=https%3A%2F%2Fbank.example%40evil.example%2F",
			same},
		{"a target with a line break", "https://www.google.com/url?q=https%3A%2F%2Fx.org%2F%0aa", same},
		{"a target that is not UTF-8", "https://www.google.com/url?q=https%3A%2F%2Fx.org%2F%ff", same},
		{"a target that breaks out", "https://www.google.com/url?q=https%3A%2F%2Fx.org%2F%22%3E%3Cscript%3E", same},
		{"no target", "https://www.google.com/url?q=", same},
		{"another port", "https://www.google.com:8443/url?q=https://x.org/", same},
		{"an affiliate's link is how the author is paid", "https://go.skimresources.com/?id=1&url=https%3A%2F%2Fx.org",
			same},
	} {
		want := c.want
		if want == same {
			want = c.in
		}
		if got := CleanURL(c.in); got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.reason, got, want)
		}
		checkClean(t, c.in)
	}
}

// checkClean checks that cleaning is idempotent, and changes the host only by removing a wrapper.
func checkClean(t *testing.T, address string) {
	t.Helper()
	once := CleanURL(address)
	if twice := CleanURL(once); twice != once {
		t.Errorf("%q, then %q, then %q", address, once, twice)
	}
	if isWeb(address) != isWeb(once) || len(once) > len(address) {
		t.Errorf("%q became %q", address, once)
	}
	if _, wrapped := behind(address); wrapped || once == address {
		return
	}
	page := func(s string) string {
		return s[:len(s)-len(strings.TrimLeftFunc(s, func(r rune) bool { return r != '?' && r != '#' }))]
	}
	if _, wrapped := behind(uncounted(address)); !wrapped && page(once) != page(address) {
		t.Errorf("%q became %q: another page", address, once)
	}
	if _, err := url.Parse(address); err == nil {
		if _, err := url.Parse(once); err != nil {
			t.Errorf("%q became %q: %v", address, once, err)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{
		"https://x.org/?utm_source=a&b=c#d", "https://www.google.com/url?q=https://x.org/",
		"https://href.li/?utm_source=1&https://x.org",
		"https://click.x.org/aHR0cHM6Ly94Lm9yZw", "https://substack.com/redirect/2/eyJlIjoiaHR0cHM6Ly94Lm9yZy9hIn0",
		"https://go.theregister.com/feed/?utm_a#utm_b=1",
		"https://a.awstrack.me/L0/https:%2F%2Fx.org/1", "http://?utm_",
		"http://l.instagram.com/?u=http%3A%2F%2Fl.instagram.com%2F%3Fu%3Dhttp%253A%252F%252Fx.org",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkClean(t, s) })
}

// TestCleanCorpus runs checkClean for every address in the shared corpus, and checks that cleaning changes neither
// identities nor hashes.
func TestCleanCorpus(t *testing.T) {
	changed := 0
	walk(t, filepath.Join(sharedDir(t), "corpus", "dev"), func(path string, body []byte) {
		d, err := Parse(body, "", "https://example.org/feed.xml")
		if err != nil {
			return
		}
		for i := range min(len(d.Posts), 10) {
			e := &d.Posts[i]
			p := e.Sanitise(seenAt)
			if p.Identity != e.Identity || p.ContentHash != e.Hash {
				t.Errorf("%s: identity %q became %q", path, e.Identity, p.Identity)
			}
			if p.URL != CleanURL(p.URL) {
				t.Errorf("%s: address %q counts", path, p.URL)
			}
			content, ok := fragment(p.Content)
			if !ok {
				continue
			}
			for n := range content.Descendants() {
				if href := attrOf(n, "href"); href != "" && href != CleanURL(href) {
					t.Errorf("%s: link %q counts", path, href)
				}
			}
			checkClean(t, e.Link)
			if CleanURL(e.Link) != e.Link {
				changed++
			}
		}
	})
	t.Logf("%d links were for counting", changed)
	if changed == 0 {
		t.Error("the corpus has no link that counts")
	}
}

// TestIdentityIsOfTheRawEntry checks that posts whose links differ only in tracking parameters stay separate, and
// keep their identities.
func TestIdentityIsOfTheRawEntry(t *testing.T) {
	d := mustParse(t, `<rss version="2.0"><channel><title>T</title>
		<item><title>A</title><link>https://x.org/a?utm_source=1</link></item>
		<item><title>B</title><link>https://x.org/a?utm_source=2</link></item></channel></rss>`, "https://x.org/feed")
	for i, want := range []string{"https://x.org/a?utm_source=1", "https://x.org/a?utm_source=2"} {
		p := d.Posts[i].Sanitise(seenAt)
		if p.Identity != want || p.URL != "https://x.org/a" {
			t.Errorf("identity %q, address %q", p.Identity, p.URL)
		}
	}
}

func TestPixels(t *testing.T) {
	for _, c := range []struct {
		pixel bool
		attrs string
	}{
		{true, `width="1" height="1"`},
		{true, `width="1px" height="1px"`},
		{true, `width="1.0" height="1.0"`},
		{true, `width="0" height="90"`},
		{true, `width="1"`},
		{true, `style="width:1"`},
		{true, `style="width:1px;height:1px"`},
		{true, `style="WIDTH : 0 ; height:0px !important"`},
		{true, `style="width:0%"`},
		{true, `style="max-width:1px;max-height:1px" width="100" height="100"`},
		{true, `style="width:1pt;height:.01in"`},
		{true, `style="height:0.1em;width:0.05rem"`},
		{true, `style="width:1px/* one */;height:1px"`},
		{true, `width="1" height="1" style="width:100%"`},
		{true, `style="opacity:0"`},
		{true, `style="opacity: 0.0"`},
		{true, `style="opacity:0%"`},
		{true, `hidden`},
		{true, `hidden="until-found"`},
		{true, `style="visibility:hidden"`},
		{true, `style="display : none!important"`},
		{true, `style="mso-hide:all"`},
		{true, `style="position:absolute;left:-9999px"`},
		{true, `style="position:fixed;top:-999em"`},
		{true, `style="position:absolute;right:-100%"`},
		{true, `style="margin-left:-9999px"`},
		{true, `style="position:absolute;clip:rect(0, 0, 0, 0)"`},
		{true, `style="position:absolute;clip:rect(1px 1px 1px 1px)"`},

		{false, ``},
		{false, `width="600" height="400"`},
		{false, `width="100%" height="1"`}, // a line
		{false, `width="600" height="1"`},
		{false, `style="width:100%;height:auto"`},
		{false, `style="width:10em"`},
		{false, `style="max-width:100%"`},
		{false, `style="margin:-20px"`},
		{false, `style="opacity:.5"`},
		{false, `style="opacity:0;transition:opacity .5s"`},             // fades in
		{false, `style="opacity:0" data-src="https://x.org/large.jpg"`}, // a script shows it
		{false, `width="calc(1px)"`},
	} {
		got, _ := sanitise(`a<img src="https://x.org/i.jpg" `+c.attrs+`>`, "https://example.org/p")
		if pixel := !strings.Contains(got, "<img"); pixel != c.pixel {
			t.Errorf("<img %s> is a pixel: %v", c.attrs, pixel)
		}
	}
}

func TestCostlyPost(t *testing.T) {
	raw := "<p>one <b>two</b></p><script>three</script>" + numbered("", "<html a#=b>", "")(1<<17)
	got, _ := sanitise(raw, "")
	if got != "<p>one  two</p>" && got != "<p>one two</p>" {
		t.Errorf("%.100q", got)
	}
}

// TestCostlyPostIsTold checks that such a post explains its lack of markup, and that the explanation is not in its
// title and summary.
func TestCostlyPostIsTold(t *testing.T) {
	for _, raw := range []string{
		"<p>words" + numbered("", "<html a#=b>", "")(1<<17),
		"<p>words</p>" + strings.Repeat("<em>", 150) + strings.Repeat("<div>x</div>", 300),
	} {
		doc, err := Parse([]byte("<rss><channel><item><description><![CDATA["+raw+
			"]]></description></item></channel></rss>"), "", "")
		if err != nil {
			t.Fatal(err)
		}
		got := doc.Posts[0].Sanitise(time.Unix(0, 0))
		if !strings.HasPrefix(got.Content, "<p><em>"+hypertext.Note+"</em></p><p>words") || len(got.Content) > 1000 {
			t.Errorf("%.200q", got.Content)
		}
		if !strings.HasPrefix(got.Title, "words") || !strings.HasPrefix(got.Summary, "words") {
			t.Errorf("%q: %q", got.Title, got.Summary)
		}
	}
}
