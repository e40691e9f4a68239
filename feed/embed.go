package feed

import (
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const maxEmbedTitle = 200

// player replaces a video, a sound or a frame with a link that has its title and its picture. It returns false for
// elements to remove: invisible ones, trackers, and those without a web address.
func (c *cleaner) player(n *html.Node) bool {
	if isPixel(n) || isHidden(n) {
		return false
	}
	src := firstOf(attrOf(n, "src"), attrOf(n, "data-src"), attrOf(n, "data"))
	for child := range n.Descendants() {
		if src == "" && child.DataAtom == atom.Source {
			src = attrOf(child, "src")
		}
	}
	src = c.resolve(src)
	if !isWeb(src) || isTracker(src) {
		return false
	}
	src = embeddedPage(CleanURL(src))
	title := shorten(singleSpaced(firstOf(attrOf(n, "title"), attrOf(n, "aria-label"))), maxEmbedTitle)
	label, poster := embedLabel(n.DataAtom, src, title), posterOf(c.resolve(attrOf(n, "poster")), src)
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
	n.Data, n.DataAtom = "a", atom.A
	n.Attr = []html.Attribute{{Key: "href", Val: src}}
	if poster != nil {
		c.poster = firstOf(c.poster, attrOf(poster, "src"))
		n.AppendChild(poster)
		n.AppendChild(&html.Node{Type: html.ElementNode, DataAtom: atom.Br, Data: "br"})
	}
	n.AppendChild(&html.Node{Type: html.TextNode, Data: label})
	return true
}

// embedServices maps the host, without "www.", of a common service to the label of its links.
var embedServices = byWord(map[string]string{
	"Watch on YouTube":         "youtube.com youtu.be",
	"Watch on Vimeo":           "vimeo.com player.vimeo.com",
	"Watch on Dailymotion":     "dailymotion.com",
	"Watch at TED":             "ted.com embed.ted.com",
	"Listen on SoundCloud":     "w.soundcloud.com soundcloud.com",
	"Listen on Bandcamp":       "bandcamp.com",
	"Listen on Spotify":        "open.spotify.com",
	"Listen on Apple Podcasts": "embed.podcasts.apple.com",
})

func embedLabel(element atom.Atom, src, title string) string {
	host := strings.TrimPrefix(Host(src), "www.")
	if isIdle(title) || strings.EqualFold(title, host) {
		title = ""
	}
	label := embedServices[host]
	switch {
	case label != "":
	case element == atom.Video || strings.Contains(src, "/videos/embed/"): // PeerTube
		label = "Watch at " + host
	case element == atom.Audio:
		label = "Listen at " + host
	case title != "":
		return title + " (" + host + ")"
	default:
		return firstOf(host, src)
	}
	if title == "" {
		return label
	}
	return label + ": " + title
}

// posterOf returns the preview picture of an embed: the one that the document names, otherwise YouTube's picture of
// the video; nil: none.
func posterOf(named, page string) *html.Node {
	img := &html.Node{Type: html.ElementNode, DataAtom: atom.Img, Data: "img"}
	if isWeb(named) && !isTracker(named) {
		setAttr(img, "src", uncounted(named))
		return img
	}
	u, err := url.Parse(page)
	if err != nil || u.Host != "www.youtube.com" || u.Path != "/watch" || !filmID.MatchString(u.Query().Get("v")) {
		return nil
	}
	setAttr(img, "src", "https://i.ytimg.com/vi/"+u.Query().Get("v")+"/hqdefault.jpg")
	setAttr(img, "width", "480")
	setAttr(img, "height", "360")
	return img
}

// isIdle reports whether a title describes the player instead of the content.
func isIdle(title string) bool {
	switch strings.ToLower(title) {
	case "youtube video player", "youtube video", "vimeo video player", "video player", "audio player",
		"embedded content", "embed", "iframe", "video", "audio", "player":
		return true
	}
	return false
}

var (
	youTubeEmbed = regexp.MustCompile(`^/(?:embed|v|shorts)/([\w-]{11})$`)
	filmID       = regexp.MustCompile(`^[\w-]{11}$`) // of YouTube
	vimeoEmbed   = regexp.MustCompile(`^/video/([0-9]+)$`)
)

// embeddedPage returns the page of the content that a frame plays, if its address contains it; otherwise src.
func embeddedPage(src string) string {
	u, err := url.Parse(src)
	if err != nil {
		return src
	}
	switch host := strings.TrimPrefix(u.Hostname(), "www."); host {
	case "youtube.com", "youtube-nocookie.com":
		if list := u.Query().Get("list"); u.Path == "/embed/videoseries" && playlistID.MatchString(list) {
			return "https://www.youtube.com/playlist?list=" + list
		}
		if m := youTubeEmbed.FindStringSubmatch(u.Path); m != nil {
			return "https://www.youtube.com/watch?v=" + m[1]
		}
	case "player.vimeo.com":
		if m := vimeoEmbed.FindStringSubmatch(u.Path); m != nil {
			page := "https://vimeo.com/" + m[1]
			if key := u.Query().Get("h"); key != "" { // the key of a private video
				page += "/" + url.PathEscape(key)
			}
			return page
		}
	}
	return src
}
