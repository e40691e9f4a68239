package feed

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// youTubeFeed begins the addresses of feeds of YouTube's channels, users and playlists.
const youTubeFeed = "https://www.youtube.com/feeds/videos.xml?"

// The formats of YouTube's IDs.
var (
	channelID  = regexp.MustCompile(`^UC[\w-]{22}$`)
	playlistID = regexp.MustCompile(`^[A-Z]{2}[\w-]{8,62}$`)
)

func isYouTube(host string) bool {
	switch host {
	case "youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com":
		return true
	}
	return false
}

// youTubePage returns the feed of a channel, a user or a playlist. For handles (/@name, /c/name) and single videos it
// returns "": only the content of the page identifies the channel.
func youTubePage(parts []string, query url.Values) string {
	list := query.Get("list")
	switch {
	case parts[0] == "playlist" && playlistID.MatchString(list):
		return youTubeFeed + "playlist_id=" + list
	case len(parts) < 2:
		return ""
	case parts[0] == "channel" && channelID.MatchString(parts[1]):
		return youTubeFeed + "channel_id=" + parts[1]
	case parts[0] == "user" && parts[1] != "":
		return youTubeFeed + "user=" + url.QueryEscape(parts[1])
	}
	return ""
}

// vimeoOwn are the names at Vimeo that are no persons.
var vimeoOwn = setOf(`about album analytics api apps blog business categories channels create customers developer enterprise event events
	explore features for-hire groups help integrations jobs join live log_in login manage marketplace music ondemand ott partners password
	press pricing privacy professionals search settings showcase sitemap solutions staffpicks stock store terms tools upgrade upload
	watch`)

// vimeoPage returns the feed of a person, a channel or a group; "" for a single video, which is a number.
func vimeoPage(parts []string) string {
	const start, end = "https://vimeo.com/", "/videos/rss"
	name := parts[0]
	switch {
	case slices.Contains(parts, "rss") || name == "" || strings.Trim(name, "0123456789") == "":
		return ""
	case (name == "channels" || name == "groups") && len(parts) > 1 && parts[1] != "":
		return start + name + "/" + url.PathEscape(parts[1]) + end
	case vimeoOwn[strings.ToLower(name)] || len(parts) > 1 && parts[1] != "videos":
		return ""
	}
	return start + url.PathEscape(name) + end
}

// guessVideos returns the feed of a PeerTube account or channel for an address that may be its page; "" for others.
// Any site may run PeerTube.
func guessVideos(u *url.URL) string {
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(parts) < 2 || parts[1] == "" {
		return ""
	}
	whose := map[string]string{"a": "accountName", "accounts": "accountName", "c": "videoChannelName",
		"video-channels": "videoChannelName"}[parts[0]]
	if whose == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host + "/feeds/videos.xml?" + whose + "=" + url.QueryEscape(parts[1])
}

var channelInScript = regexp.MustCompile(`"externalChannelId":"(UC[\w-]{22})"`)

// offerChannel adds the feed of the channel to which a YouTube page belongs, if the page offers none, such as the
// page of a video.
func (d *Document) offerChannel(doc, address, channel string) {
	if len(d.Feeds) > 0 || !isYouTube(Host(address)) {
		return
	}
	if m := channelInScript.FindStringSubmatch(doc); channel == "" && m != nil {
		channel = m[1]
	}
	if channelID.MatchString(channel) {
		d.Feeds = append(d.Feeds, Offer{URL: youTubeFeed + "channel_id=" + strings.Clone(channel),
			Type: "application/atom+xml"})
	}
}

func channelOf(tag html.Token) string {
	if valueOf(tag.Attr, "itemprop") == "channelId" {
		return valueOf(tag.Attr, "content")
	}
	return ""
}
