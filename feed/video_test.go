package feed

import (
	"net/url"
	"strings"
	"testing"
)

func TestVideoAddresses(t *testing.T) {
	const channel = "UCabcdefghijklmnopqrstu-"
	for typed, want := range map[string]string{
		"https://www.youtube.com/channel/" + channel:                    youTubeFeed + "channel_id=" + channel,
		"m.youtube.com/channel/" + channel + "/videos?view=0":           youTubeFeed + "channel_id=" + channel,
		"https://youtube.com/playlist?list=PLabcdefghij_-&index=2":      youTubeFeed + "playlist_id=PLabcdefghij_-",
		"https://music.youtube.com/playlist?list=OLAK5uy_abcdefgh":      youTubeFeed + "playlist_id=OLAK5uy_abcdefgh",
		"https://www.youtube.com/user/somebody":                         youTubeFeed + "user=somebody",
		"https://www.youtube.com/user/a&b=c":                            youTubeFeed + "user=a%26b%3Dc",
		"https://www.youtube.com/@somebody":                             "https://www.youtube.com/@somebody",
		"https://www.youtube.com/c/somebody/videos":                     "https://www.youtube.com/c/somebody/videos",
		"https://www.youtube.com/watch?v=abcdefghijk&list=PLabcdefghij": "https://www.youtube.com/watch?v=abcdefghijk&list=PLabcdefghij",
		"https://www.youtube.com/channel/nonsense":                      "https://www.youtube.com/channel/nonsense",
		youTubeFeed + "channel_id=" + channel:                           youTubeFeed + "channel_id=" + channel,
		"https://youtube.com.evil.example/channel/" + channel: "https://youtube.com.evil.example/channel/" +
			channel,
		"https://youtube.com:8443/channel/" + channel:      "https://youtube.com:8443/channel/" + channel,
		"https://vimeo.com/somebody":                       "https://vimeo.com/somebody/videos/rss",
		"www.vimeo.com/somebody/videos":                    "https://vimeo.com/somebody/videos/rss",
		"https://vimeo.com/channels/staffpicks":            "https://vimeo.com/channels/staffpicks/videos/rss",
		"https://vimeo.com/groups/shorts/about":            "https://vimeo.com/groups/shorts/videos/rss",
		"https://vimeo.com/123456789":                      "https://vimeo.com/123456789",
		"https://vimeo.com/somebody/videos/rss":            "https://vimeo.com/somebody/videos/rss",
		"https://vimeo.com/channels/staffpicks/videos/rss": "https://vimeo.com/channels/staffpicks/videos/rss",
		"https://vimeo.com/watch":                          "https://vimeo.com/watch",
		"https://vimeo.com/":                               "https://vimeo.com/",
	} {
		got, err := AskedURL(typed)
		if err != nil || got != want {
			t.Errorf("%s is asked at %s (%v), want %s", typed, got, err, want)
		}
		if again, _ := AskedURL(got); again != got {
			t.Errorf("%s leads on to %s", got, again)
		}
	}
}

func TestGuessVideos(t *testing.T) {
	for page, want := range map[string]string{
		"https://tube.example/a/ann/video-channels":   "https://tube.example/feeds/videos.xml?accountName=ann",
		"https://tube.example/accounts/ann@b.example": "https://tube.example/feeds/videos.xml?accountName=ann%40b.example",
		"https://tube.example/c/boats/videos":         "https://tube.example/feeds/videos.xml?videoChannelName=boats",
		"https://tube.example/video-channels/boats":   "https://tube.example/feeds/videos.xml?videoChannelName=boats",
		"https://tube.example/a/":                     "",
		"https://tube.example/w/abc":                  "",
		"https://tube.example/":                       "",
	} {
		u, _ := url.Parse(page)
		if got := guessVideos(u); got != want {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
		if got := GuessPaths(page, "")[0]; want != "" && got != want {
			t.Errorf("%s: %s is tried first", page, got)
		}
	}
}

func TestChannelOfAFilm(t *testing.T) {
	const channel, other = "UCabcdefghijklmnopqrstu-", "UC0123456789012345678901"
	for _, c := range []struct{ reason, address, page, want string }{
		{"in its head", "https://www.youtube.com/watch?v=1", `<meta itemprop="channelId" content="` + channel + `">`,
			channel},
		{"in its script", "https://www.youtube.com/watch?v=1", `<script>var a = {"externalChannelId":"` +
			channel + `"}</script>`, channel},
		{"an offer goes before", "https://www.youtube.com/@a", `<meta itemprop="channelId" content="` +
			other + `"><link rel="alternate" type="application/rss+xml" href="/feeds/videos.xml?channel_id=` +
			channel + `">`, channel},
		{"no channel", "https://www.youtube.com/watch?v=1", `<meta itemprop="channelId" content="../../evil">`, ""},
		{"another site", "https://evil.example/watch?v=1", `<meta itemprop="channelId" content="` + channel + `">`, ""},
	} {
		d, err := Parse([]byte("<!doctype html><html><head><title>T</title>"+c.page+
			"</head><body><p>a</p></body></html>"), "text/html", c.address)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(d.Feeds) > 0 {
			got = strings.TrimPrefix(d.Feeds[0].URL, youTubeFeed+"channel_id=")
		}
		if len(d.Feeds) > 1 || got != c.want {
			t.Errorf("%s: %v", c.reason, d.Feeds)
		}
	}
}
