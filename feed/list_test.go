package feed

import (
	"bytes"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

func TestOPML(t *testing.T) {
	d := mustParse(t, `<?xml version="1.0"?><opml version="1.0"><head><title>Mine &amp; yours</title></head><body>
		<outline text="News & Co"><outline text="Inner">
			<outline type="rss" text="A & B" xmlUrl="https://a.org/?x=1&y=2"/>
			<outline text="Torn" description="see <a href="https://z.org" rel="x">z</a> now" xmlUrl="https://b.org/feed" type="rss" />
		</outline>
		<outline title="C" xmlurl='/c.xml'></outline>
		</outline>
		<outline text="just a note"/>
		<outline text="" xmlUrl="https://d.org/"/>
		<outline text="https://e.org/feed" xmlUrl="https://e.org/feed"/>
		<outline text="/f.xml" title="/f.xml" xmlUrl="/f.xml"/>
		<outline text="https://g.org/" xmlUrl="https://ann:secret@g.org/"/>
		<outline text="HTTPS://H.org/Feed" xmlUrl="https://h.org/feed/"/>
	</body>`, "https://lists.org/my.opml")
	want := []Offer{
		{URL: "https://a.org/?x=1&y=2", Title: "A & B", Type: "rss", Folder: "News & Co/Inner", Line: 3},
		{URL: "https://b.org/feed", Title: "Torn", Type: "rss", Folder: "News & Co/Inner", Line: 4},
		{URL: "https://lists.org/c.xml", Title: "C", Folder: "News & Co", Line: 6},
		{URL: "https://d.org/", Line: 9},
		{URL: "https://e.org/feed", Line: 10}, // the address is no title
		{URL: "https://lists.org/f.xml", Line: 11},
		{URL: "https://ann:secret@g.org/", Line: 12},
		{URL: "https://h.org/feed/", Line: 13},
	}
	if d.Kind != OPML || d.Title != "Mine & yours" || !reflect.DeepEqual(d.Feeds, want) {
		t.Errorf("title %q\n got %+v\nwant %+v", d.Title, d.Feeds, want)
	}
}

func TestOPMLThereAndBack(t *testing.T) {
	list := []Offer{
		{URL: "https://a.org/?x=1&y=<2>", Title: `"A" & <b>`, Type: "rss"},
		{URL: "https://b.org/", Title: "B", Type: "rss", Folder: "News"},
		{URL: "https://c.org/", Title: "Ç日", Type: "rss", Folder: "News/In & out"},
		{URL: "https://d.org/", Title: "D", Type: "rss", Folder: "Other", Paused: true},
		{URL: "https://ann:secret@e.org/", Type: "rss", Folder: "Untitled"},
	}
	var b bytes.Buffer
	if err := WriteOPML(&b, "T & <t>", list); err != nil {
		t.Fatal(err)
	}
	d := mustParse(t, b.String(), "")
	for i := range d.Feeds {
		if d.Feeds[i].Line == 0 {
			t.Errorf("no line: %+v", d.Feeds[i])
		}
		d.Feeds[i].Line = 0
	}
	if d.Title != "T & <t>" || !reflect.DeepEqual(d.Feeds, list) {
		t.Errorf("title %q\n got %+v\nwant %+v\n%s", d.Title, d.Feeds, list, b.String())
	}
}

func TestPage(t *testing.T) {
	d := mustParse(t, `<!DOCTYPE html><html lang="de"><head><title>A &amp; B</title><base href="/sub/">
		<link rel="stylesheet" href="x.css">
		<link rel="alternate" hreflang="en" href="/en">
		<link rel="ALTERNATE" type="Application/RSS+XML; charset=utf-8" title=" One
			feed" href="one.xml">
		<link rel=alternate type=application/atom+xml href=//cdn.org/two.xml>
		<link rel="alternate" type="application/rss+xml" href="one.xml">
		<link rel="alternate stylesheet" type="text/css" href="y.css">
		<link rel="alternate" type="application/json" href="https://example.org/wp-json/wp/v2/pages/7">
		<link rel="alternate" type="application/json+oembed" href="https://example.org/oembed">
		<link rel="feed" href="three">
		<link rel="alternate" type="application/atom" href="www.x.org/five">
		</head><body><link rel="alternate" type="application/feed+json" href="https://x.org/four.json"></body>`,
		"https://example.org/a/b")
	want := []Offer{
		{URL: "https://example.org/sub/one.xml", Title: "One feed", Type: "application/rss+xml"},
		{URL: "https://cdn.org/two.xml", Type: "application/atom+xml"},
		{URL: "https://example.org/sub/three"},
		{URL: "https://www.x.org/five", Type: "application/atom"},
		{URL: "https://x.org/four.json", Type: "application/feed+json"},
	}
	if d.Kind != HTML || d.Title != "A & B" || d.Language != "de" || !reflect.DeepEqual(d.Feeds, want) {
		t.Errorf("title %q, language %q\n got %+v\nwant %+v", d.Title, d.Language, d.Feeds, want)
	}
}

// TestScrapedFeeds checks that the import skips feeds that another reader creates from pages by its own rules.
func TestScrapedFeeds(t *testing.T) {
	d, err := ReadList([]byte(`<opml version="2.0" xmlns:frss="https://freshrss.org/opml"><body>
		<outline text="Scraped" type="HTML+XPath" xmlUrl="https://s.example/news" frss:xPathItem="//div"/>
		<outline text="XML" type="XML+XPath" xmlUrl="https://x.example/x"/>
		<outline text="Dots" type="JSON+DotNotation" xmlUrl="https://j.example/api"/>
		<outline text="Both" type="HTML+XPath+JSON+DotNotation" xmlUrl="https://j.example/page"/>
		<outline text="JF" type="JSONFeed" xmlUrl="https://jf.example/feed.json"/>
		<outline text="A" type="rss" xmlUrl="https://a.example/feed"/></body></opml>`))
	if err != nil {
		t.Fatal(err)
	}
	feeds, unread := listed(d)
	if len(feeds) != 2 || len(unread) != 4 || !strings.HasPrefix(unread[0],
		"2 Scraped: your other reader builds this feed from a web page (HTML+XPath)") {
		t.Errorf("%q %q", feeds, unread)
	}
}

// TestEpisodes checks that the parser reports hundreds of episodes in one line.
func TestEpisodes(t *testing.T) {
	d, err := ReadList([]byte(`<opml version="1.0"><head><title>Overcast Podcast Subscriptions</title></head><body>
		<outline text="playlists"><outline type="podcast-playlist" title="All" smart="1"/></outline>
		<outline text="feeds"><outline type="rss" overcastId="1" text="Boats" title="Boats"
			xmlUrl="https://a.example/p.xml" htmlUrl="https://a.example/">
		<outline type="podcast-episode" overcastId="2" title="One" url="https://a.example/1"
			enclosureUrl="https://a.example/1.mp3"/>
		<outline type="podcast-episode" overcastId="3" title="Two" url="https://a.example/2"/></outline>
		<outline type="rss" text="Ships" xmlUrl="https://b.example/p.xml"/></outline></body></opml>`))
	if err != nil {
		t.Fatal(err)
	}
	feeds, unread := listed(d)
	if strings.Join(feeds, " ") != "Boats|https://a.example/p.xml|feeds Ships|https://b.example/p.xml|feeds" ||
		strings.Join(unread,
			" ") != "2 2 episodes, 1 playlist: episodes and playlists are not feeds; only the podcasts were imported" {
		t.Errorf("%q %q", feeds, unread)
	}
}

func TestOtherLists(t *testing.T) {
	const channel = "UCabcdefghijklmnopqrstu-"
	youTube := youTubeFeed + "channel_id=" + channel
	for _, c := range []struct{ why, text, feeds, unread string }{
		{"Newsboat", "# my feeds\nhttps://a.example/feed boats \"~A boat\" sea\nhttps://b.example/atom.xml\n\n" +
			"\"query:Unread:unread = \\\"yes\\\"\"\nfilter:~/bin/f:https://c.example/ \"~C\"\nexec:~/bin/g x\n" +
			"file:///home/ann/x.xml\nhttps://d.example/ ! \"two words\"\n",
			"A boat|https://a.example/feed|boats |https://b.example/atom.xml| |https://d.example/|two words",
			"5 Unread: this is a search in another reader, not a feed; 6 C: a local script " +
				"creates this feed; enter the address that the script reads; " +
				"7 exec:~/bin/g: a local script creates this feed; enter the address that the script reads; 8 " +
				"file:///home/ann/x.xml: this is a file on your computer, not a feed on the web"},
		{"newsraft", "@ News\nhttps://a.example/feed\n@ Sea\nhttps://b.example/feed\n",
			"|https://a.example/feed|News |https://b.example/feed|Sea", ""},
		{"Snownews", "https://a.example/feed|A|Sea,News|\n", "A|https://a.example/feed|Sea,News", ""},
		{"addresses", "\uFEFF- https://a.example/feed\r\n- B https://b.example/feed\r\nfeed://c.example/x\r\n" +
			"@ann@d.example\r\n",
			"|https://a.example/feed| B|https://b.example/feed| |feed://c.example/x| |@ann@d.example|", ""},
		{"titles before addresses", "A boat: https://a.example/feed\n[B](https://b.example/feed)\n",
			"A boat|https://a.example/feed| B|https://b.example/feed|", ""},
		{"Mastodon", "Account address,Show boosts,Notify on new posts,Languages\nann@masto.example,true,false,\n" +
			"bob@other.example,false,false,\"en, de\"\nnobody,true,false,\n",
			"|@ann@masto.example| |@bob@other.example|", "4 nobody: no feed address"},
		{"Misskey", "ann@masto.example,withReplies=false\nbob@other.example\n",
			"|@ann@masto.example| |@bob@other.example|", ""},
		{"YouTube", "Channel Id,Channel Url,Channel Title\n" + channel + ",http://www.youtube.com/channel/" + channel +
			",\"Boats, and ships\"\n", "Boats, and ships|" + youTube + "|", ""},
		{"YouTube in German", "Kanal-ID,Kanal-URL,Kanaltitel\n" + channel + ",http://www.youtube.com/channel/" +
			channel + ",Boote\n\n", "Boote|" + youTube + "|", ""},
		{"a table", "Title;Feed URL;Category\nA;https://a.example/feed;Sea\n", "A|https://a.example/feed|Sea", ""},
		{"NewPipe", `{"app_version":"0.27","subscriptions":[{"service_id":0,"url":"https://www.youtube.com/channel/` +
			channel + `","name":"Boats"}]}`, "Boats|https://www.youtube.com/channel/" + channel + "|", ""},
		{"FreeTube", `{"_id":"allChannels","subscriptions":[{"id":"` + channel +
			`","name":"Boats","thumbnail":"https://x.example/"}]}` + "\n", "Boats|" + youTube + "|", ""},
		{"YouTube's older archive",
			`[{"kind":"youtube#subscription","snippet":{"title":"Boats","resourceId":{"channelId":"` + channel +
				`"}}}]`, "Boats|" + youTube + "|", ""},
		{"JSON of addresses alone",
			`{"version":1,"feeds":[{"url":"https://a.example/feed"},{"url":"https://b.example/feed"}]}`,
			"|https://a.example/feed| |https://b.example/feed|", ""},
		{"JSON of addresses",
			`{"feeds":[{"id":3,"title":"A","feed_url":"https://a.example/feed","site_url":"https://a.example/"}]}`,
			"A|https://a.example/feed|", ""},
	} {
		d, err := ReadList([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		checkList(t, d)
		feeds, unread := listed(d)
		if got := strings.Join(feeds, " "); got != c.feeds || strings.Join(unread, "; ") != c.unread {
			t.Errorf("%s:\n%s, want\n%s\n%s, want\n%s", c.why, got, c.feeds, strings.Join(unread, "; "), c.unread)
		}
	}
	for _, text := range []string{"", "Dear Ann,\n\nI write at https://a.example/feed now.\nCome and see.\nBob",
		"a,b\n1,2\n", `{"a":1}`, `{"version":1,"site":"https://a.example/feed"}`,
		"{\"at\":\"https://a.example/1\"}\n{\"at\":\"https://a.example/2\"}", "[1,2]",
		"Account address,Hide notifications\nann@masto.example,true\n",
		strings.Repeat("[", 10_000), "42"} {
		if d, err := ReadList([]byte(text)); err == nil || !strings.Contains(err.Error(), "one address per line") {
			t.Errorf("%.40q: %+v %v", text, d, err)
		}
	}
}

func TestHugeListsTakeLittleMemory(t *testing.T) {
	if raced {
		t.Skip("the race detector allocates too")
	}
	const size, most = 8 << 20, 300 << 20
	for why, text := range map[string]string{
		"arrays":      "[" + strings.Repeat("[],", size/3) + "[]]",
		"objects":     "[" + strings.Repeat(`{"a":1},`, size/8) + "{}]",
		"values":      "[" + strings.Repeat("1,", size/2) + "1]",
		"bad rows":    "url\n" + strings.Repeat("x\n", size/2),
		"one row":     "url" + strings.Repeat(",", size),
		"words":       "https://a.example/ " + strings.Repeat("a ", size/2),
		"bad lines":   strings.Repeat("query:x:y\n", size/10),
		"one address": "https://a.example/" + strings.Repeat("| ", size/2),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d, err := ReadList([]byte(text))
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > most {
			t.Errorf("%s: %d MiB, %v", why, used>>20, err)
		}
		if d != nil && len(d.BadLines) > mostBadLines {
			t.Errorf("%s: %d lines are reported", why, len(d.BadLines))
		}
	}
}
