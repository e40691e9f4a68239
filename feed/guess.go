package feed

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// Paths of feeds to try on sites that state none: common ones, rare ones, and ones within a folder.
const (
	commonPaths = "feed rss feed.xml rss.xml index.xml atom.xml feed/ ?feed=rss2"
	rarePaths   = "blog/feed feed.json blog-feed.xml index.rdf feed.rss feed.atom blog/rss.xml rss/feed.xml " +
		"feeds/posts/default"
	folderPaths = "feed index.xml feed.xml rss.xml"
)

// generatorPaths returns the paths of feeds on sites made by a program. Pages name it in meta name=generator.
func generatorPaths(generator string) string {
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(generator)), " ")
	switch strings.TrimRight(name, ".,:;!/0123456789") {
	case "wordpress":
		return "feed/ ?feed=rss2"
	case "hugo":
		return "index.xml posts/index.xml blog/index.xml post/index.xml"
	case "jekyll", "publii", "bludit":
		return "feed.xml atom.xml"
	case "ghost", "textpattern":
		return "rss/"
	case "hexo", "zola", "movable":
		return "atom.xml rss.xml rss2.xml"
	case "gatsby", "astro", "nikola", "drupal", "next.js":
		return "rss.xml"
	case "eleventy":
		return "feed.xml feed/feed.xml"
	case "pelican":
		return "feeds/all.atom.xml"
	case "wix.com", "wix":
		return "blog-feed.xml"
	case "squarespace":
		return "blog?format=rss ?format=rss news?format=rss journal?format=rss"
	case "docusaurus":
		return "blog/rss.xml blog/atom.xml"
	case "webflow", "hubspot", "framer":
		return "blog/rss.xml"
	case "blogger":
		return "feeds/posts/default"
	case "joomla":
		return "?format=feed&type=rss index.php?format=feed&type=rss"
	case "discourse":
		return "latest.rss"
	case "flarum":
		return "atom/discussions atom"
	case "phpbb":
		return "app.php/feed feed.php"
	case "dokuwiki":
		return "feed.php"
	case "spip":
		return "spip.php?page=backend"
	case "serendipity":
		return "feeds/index.rss2 index.php?/feeds/index.rss2"
	case "dotclear":
		return "feed/atom"
	case "mybb":
		return "syndication.php"
	case "known":
		return "?_t=rss"
	case "writefreely", "bear":
		return "feed/"
	}
	return ""
}

// GuessPaths returns addresses of feeds to try on a site that offers none, likely ones first. The order is: PeerTube,
// if the page may belong to it; the program that made the site; the folder of the page; the whole site.
func GuessPaths(address, generator string) []string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil
	}
	origin := u.Scheme + "://" + u.Host
	var out []string
	add := func(base, paths string) {
		for _, name := range strings.Fields(paths) {
			if guess := base + name; !slices.Contains(out, guess) {
				out = append(out, guess)
			}
		}
	}
	if videos := guessVideos(u); videos != "" {
		out = append(out, videos)
	}
	add(origin+"/", generatorPaths(generator))
	folders := foldersOf(u)
	for i, folder := range folders {
		add(origin+folder, folderPaths)
		if owner(folder) {
			return out
		}
		if i == 0 {
			add(origin+"/", commonPaths)
		}
	}
	add(origin+"/", commonPaths)
	add(origin+"/", rarePaths)
	return out
}

// Above returns the pages above a page, nearest first: its folders and the front page. Of pages below /~name/ the
// last is /~name/ itself.
func Above(address string) []string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil
	}
	var out []string
	for _, folder := range append(foldersOf(u), "/") {
		if above := u.Scheme + "://" + u.Host + folder; !samePage(above, address) {
			out = append(out, above)
		}
		if owner(folder) {
			break
		}
	}
	return out
}

// owner reports whether a folder contains the pages of one person. Then the pages above it belong to someone else.
func owner(folder string) bool {
	last := path.Base(folder)
	return strings.HasPrefix(last, "~") || strings.HasPrefix(last, "@")
}

const mostFolders = 2

// foldersOf returns the folders of a page, innermost first. It skips the front page, folders of a year, a month or a
// day, and the folder of a post.
func foldersOf(u *url.URL) []string {
	whole := u.EscapedPath()
	parts := strings.Split(strings.Trim(whole, "/"), "/")
	if n := len(parts) - 1; path.Ext(parts[n]) != "" || n > 0 && !owner(parts[n]) &&
		(!strings.HasSuffix(whole, "/") || strings.ContainsAny(parts[n], "-0123456789")) {
		parts = parts[:n]
	}
	var out []string
	for n := len(parts); n > 0 && len(out) < mostFolders; n-- {
		if strings.Trim(parts[n-1], "0123456789-") != "" {
			out = append(out, "/"+strings.Join(parts[:n], "/")+"/")
		}
	}
	return out
}
