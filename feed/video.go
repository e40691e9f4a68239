package feed

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// youTubeFeed is where the feeds of YouTube's channels, users and playlists are.
const youTubeFeed = "https://www.youtube.com/feeds/videos.xml?"

// youTubeNames are how YouTube names channels and playlists.
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

// youTubePage is the feed of a channel, a user or a playlist. What is behind a handle
// (/@name, /c/name) or the page of one film its page tells.
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

// vimeoOwn are names at Vimeo that are no person's.
var vimeoOwn = setOf(`about album analytics api apps blog business categories channels create customers developer enterprise event events
	explore features for-hire groups help integrations jobs join live log_in login manage marketplace music ondemand ott partners password
	press pricing privacy professionals search settings showcase sitemap solutions staffpicks stock store terms tools upgrade upload
	watch`)

// vimeoPage is the feed of a person, a channel or a group; a number is one film.
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

// guessVideos gives the feed of an account or a channel of PeerTube, whose pages may be
// at any site, if an address could be that of one; "" if not.
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

// offerChannel notes the feed of the channel to which a page of YouTube belongs, where
// the page offers none, as that of a film.
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

// channelOf is the channel that a <meta> names, "" if it names none.
func channelOf(tag html.Token) string {
	if valueOf(tag.Attr, "itemprop") == "channelId" {
		return valueOf(tag.Attr, "content")
	}
	return ""
}
