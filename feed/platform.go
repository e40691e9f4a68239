package feed

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Platforms whose pages state no feed, or another feed than readers want, although the page's address determines the
// feed's address.

// platformFeed returns the feed of a platform's page with a normal address; "" for other pages.
func platformFeed(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Port() != "" || u.User != nil {
		return ""
	}
	host := strings.TrimPrefix(u.Hostname(), "www.")
	parts := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
	name, domain, _ := strings.Cut(host, ".")
	switch {
	case isYouTube(u.Hostname()):
		return youTubePage(parts, u.Query())
	case host == "vimeo.com":
		return vimeoPage(parts)
	case host == "medium.com":
		return mediumPage(parts)
	case domain == "medium.com" && parts[0] != "feed":
		return "https://" + host + "/feed"
	case host == "reddit.com", domain == "reddit.com":
		return redditPage(parts, u.RawQuery)
	case host == "tumblr.com":
		return tumblrPage(parts)
	case domain == "tumblr.com":
		return tumblrBlog(name, parts)
	case host == "open.substack.com" && len(parts) > 1 && parts[0] == "pub" && isName(parts[1]):
		return "https://" + parts[1] + ".substack.com/feed"
	case isFeedReader(u.Hostname()):
		return subscribed(u)
	}
	return ""
}

var plainName = regexp.MustCompile(`^[\w.-]+$`)

// isName reports whether a part of an address can be the name of a person or a blog.
func isName(s string) bool { return plainName.MatchString(s) }

// mediumOwn are the names at Medium that are no publications.
var mediumOwn = setOf(`about m me p business creators explore-topics feed jobs-at-medium membership new-story
	partner-program plans policy search sitemap tags topic topics verified-authors`)

// mediumPage returns the feed of a person, a publication or a tag.
func mediumPage(parts []string) string {
	const start = "https://medium.com/feed/"
	switch name := parts[0]; {
	case name == "tag" && len(parts) > 1 && isName(parts[1]):
		return start + "tag/" + parts[1]
	case !isName(strings.TrimPrefix(name, "@")) || mediumOwn[strings.ToLower(name)]:
		return ""
	default:
		return start + name
	}
}

// redditPage returns the feed of a community, a person, or a sorted list of either. For a thread it returns the feed
// of the community, because the thread's own feed contains replies.
func redditPage(parts []string, query string) string {
	if strings.HasSuffix(parts[len(parts)-1], ".rss") || len(parts) < 2 || !isName(parts[1]) {
		return ""
	}
	kind := map[string]string{"r": "r", "u": "user", "user": "user", "domain": "domain"}[parts[0]]
	if kind == "" {
		return ""
	}
	list := "https://www.reddit.com/" + kind + "/" + parts[1] + "/"
	sorted := setOf("new top hot rising controversial best submitted comments")
	switch {
	case len(parts) == 4 && parts[2] == "m" && kind == "user" && isName(parts[3]):
		return list + "m/" + parts[3] + "/.rss"
	case len(parts) != 3 || !sorted[parts[2]] || parts[2] == "comments" && kind == "r":
		return list + ".rss"
	}
	if query = strings.TrimSuffix(query, "/"); query != "" {
		query = "?" + query
	}
	return list + parts[2] + "/.rss" + query
}

// tumblrOwn are the names at Tumblr that are no blogs.
var tumblrOwn = setOf(`about abuse apps business communities dashboard developers docs explore following help inbox
	jobs likes live login logo new press privacy policy register search security settings support tagged themes tips
	trending api assets embed static media www safe-mode`)

// tumblrPage returns the feed of a blog with a page at tumblr.com/NAME.
func tumblrPage(parts []string) string {
	if parts[0] == "dashboard" && len(parts) > 1 {
		parts = parts[1:]
	}
	if parts[0] == "blog" && len(parts) > 1 {
		if parts = parts[1:]; parts[0] == "view" && len(parts) > 1 {
			parts = parts[1:]
		}
	}
	return tumblrBlog(strings.TrimPrefix(strings.ToLower(parts[0]), "@"), parts[1:])
}

// tumblrBlog returns the feed of a blog, or of one of its tags.
func tumblrBlog(name string, parts []string) string {
	if tumblrOwn[name] || strings.Contains(name, ".") || !isName(name) || slices.Contains(parts, "rss") {
		return ""
	}
	start := "https://" + name + ".tumblr.com/"
	if len(parts) == 2 && parts[0] == "tagged" {
		return start + "tagged/" + parts[1] + "/rss"
	}
	return start + "rss"
}

var podcastID = regexp.MustCompile(`^(?:id|itunes)(\d{5,12})$`)

// PodcastLookup returns the request to Apple's public service for the feed of a podcast, if address is a page with
// Apple's ID of the podcast. Without a country the service searches the United States; abroad is the same request
// with the country of the page. Both are "" for other pages.
func PodcastLookup(address string) (lookup, abroad string) {
	u, err := url.Parse(address)
	if err != nil {
		return "", ""
	}
	switch strings.TrimPrefix(u.Hostname(), "www.") {
	case "podcasts.apple.com", "itunes.apple.com", "geo.itunes.apple.com", "embed.podcasts.apple.com", "overcast.fm",
		"castro.fm", "pca.st":
	default:
		return "", ""
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	id := ""
	for i, part := range parts {
		if m := podcastID.FindStringSubmatch(part); m != nil {
			id = m[1]
		} else if part == "itunes" && i+1 < len(parts) && strings.Trim(parts[i+1], "0123456789") == "" {
			id = parts[i+1]
		}
	}
	if id == "" {
		return "", ""
	}
	lookup = "https://itunes.apple.com/lookup?id=" + id
	if country := strings.ToLower(parts[0]); len(country) == 2 && country != "us" {
		abroad = lookup + "&country=" + country
	}
	return lookup, abroad
}

// ReadPodcastLookup returns the feed in a response of Apple's service; "": none.
func ReadPodcastLookup(body []byte) string {
	var answer struct {
		Results []struct{ FeedURL asValue }
	}
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	for _, result := range answer.Results[:min(len(answer.Results), maxInList)] {
		if address := result.FeedURL.text(); isWeb(address) {
			return address
		}
	}
	return ""
}

// readerHosts are feed readers with subscribe links. Such a link contains the address of the feed.
var readerHosts = setOf(`feedly.com cloud.feedly.com inoreader.com theoldreader.com newsblur.com feedbin.com
	feedbin.me netvibes.com add.my.yahoo.com fusion.google.com google.com bazqux.com subscribeonandroid.com
	antennapod.org subtome.com bloglovin.com flipboard.com feedreader.com`)

func isFeedReader(host string) bool { return readerHosts[strings.TrimPrefix(host, "www.")] }

// subscribed returns the feed in a link to a feed reader.
func subscribed(u *url.URL) string {
	for _, name := range []string{"url", "feed", "feeds", "feedurl", "add_feed", "subscribe", "rssurl"} {
		if to := u.Query().Get(name); isWeb(to) {
			return normalOr(to)
		}
	}
	path, err := url.PathUnescape(strings.TrimPrefix(u.EscapedPath(), "/"))
	if err != nil {
		return ""
	}
	if strings.HasSuffix(u.Hostname(), "subscribeonandroid.com") && strings.Contains(path, "/") {
		return normalOr(path)
	}
	for _, before := range []string{"i/subscription/feed/", "i/subscription/content/feed/", "i/discover/sources/feed/",
		"feed/"} {
		if _, to, found := strings.Cut(path, before); found && isWeb(to) {
			return normalOr(to)
		}
	}
	return ""
}

func normalOr(address string) string {
	normal, err := NormalURL(address)
	if err != nil {
		return ""
	}
	return normal
}

var soundCloudUser = regexp.MustCompile(`soundcloud://users:(\d{1,12})"`)

// offerSounds adds the feed of the SoundCloud account to which a page belongs.
func (d *Document) offerSounds(doc, address string) {
	if len(d.Feeds) > 0 || strings.TrimPrefix(strings.TrimPrefix(Host(address), "www."), "m.") != "soundcloud.com" {
		return
	}
	if m := soundCloudUser.FindStringSubmatch(doc); m != nil {
		d.addOffer(Offer{URL: "https://feeds.soundcloud.com/users/soundcloud:users:" + strings.Clone(m[1]) +
			"/sounds.rss", Type: "application/rss+xml"})
	}
}

// forgeOwn are first segments of forge addresses that belong to no project.
var forgeOwn = setOf(`about admin api apps collections contact customer-stories dashboard enterprise events explore
	features help issues join login marketplace new notifications orgs organizations pricing pulls readme search
	security sessions settings signup site sponsors stars topics trending user users groups -`)

// offerReleases adds the releases of a project on a page of a forge. Such pages offer only commits or all activity,
// if anything. The host or the keywords of the page identify the forge.
func (d *Document) offerReleases(address, keywords string) {
	u, err := url.Parse(address)
	if err != nil {
		return
	}
	parts := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
	if len(parts) < 2 || forgeOwn[strings.ToLower(parts[0])] || !isName(parts[0]) || !isName(parts[1]) {
		return
	}
	host, project := u.Hostname(), u.Scheme+"://"+u.Host+"/"+parts[0]+"/"+parts[1]
	name := singleSpaced(parts[1])
	releases := ""
	switch {
	case host == "github.com", strings.Contains(keywords, "github enterprise"):
		releases = project + "/releases.atom"
	case strings.HasPrefix(host, "gitlab."), strings.Contains(keywords, "gitlab"):
		releases = gitLabProject(u, parts) + "/-/releases.atom"
	case host == "codeberg.org", host == "gitea.com", strings.Contains(keywords, "gitea"),
		strings.Contains(keywords, "forgejo"):
		releases = project + "/releases.rss"
	default:
		return
	}
	d.addOffer(Offer{URL: releases, Title: "Releases of " + name, Type: "application/atom+xml"})
}

// offerTopics adds the latest topics on pages of Discourse, which offer only the replies to one topic, or no feed.
func (d *Document) offerTopics(address string) {
	if !strings.HasPrefix(strings.ToLower(d.Generator), "discourse ") {
		return
	}
	forum, _, found := strings.Cut(address, "/t/")
	if u, err := url.Parse(address); found && err == nil && strings.HasPrefix(forum, u.Scheme+"://"+u.Host) {
		d.addOffer(Offer{URL: forum + "/latest.rss", Title: "Latest topics", Type: "application/rss+xml"})
	}
}

// gitLabProject returns the address of the project of a GitLab page. Groups may contain groups.
func gitLabProject(u *url.URL, parts []string) string {
	if i := slices.Index(parts, "-"); i > 1 {
		parts = parts[:i]
	}
	return u.Scheme + "://" + u.Host + "/" + strings.Join(parts, "/")
}
