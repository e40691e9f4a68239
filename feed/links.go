package feed

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"digest"
)

// mostLinks limits the links of a post in the link graph.
const mostLinks = 50

// Links returns the first mostLinks links of a post, each once: its own address, if it is at another site than the
// feed and its page, and the links in its content. Addresses count as equal if they differ only in https, "www.", a
// final slash, a fragment or tracking parameters.
func Links(p digest.Post, feedURL, siteURL string) []digest.Link {
	own := []string{Domain(Host(feedURL)), Domain(Host(siteURL))}
	site := Domain(Host(p.URL))
	var links []digest.Link
	if p.URL != "" && !slices.Contains(own, site) {
		links = append(links, digest.Link{Key: LinkKey(p.URL), Site: siteKey(site)})
	}
	seen := map[int64]bool{LinkKey(p.URL): true, 0: true}
	for _, address := range LinkedFrom(p) {
		if key := LinkKey(address); !seen[key] && len(links) < mostLinks {
			seen[key] = true
			site := Domain(Host(address))
			links = append(links, digest.Link{Key: key, Site: siteKey(site), Own: slices.Contains(own, site)})
		}
	}
	return links
}

// LinkedFrom returns the address of a post and the links in its sanitised content, in which each link is written as
// href="…".
func LinkedFrom(p digest.Post) []string {
	all := []string{CleanURL(p.URL)}
	for rest := p.Content; len(all) <= 2*mostLinks; {
		_, after, found := strings.Cut(rest, ` href="`)
		if !found {
			break
		}
		address, tail, _ := strings.Cut(after, `"`)
		if address = CleanURL(html.UnescapeString(address)); isWeb(address) {
			all = append(all, address)
		}
		rest = tail
	}
	return all
}

// LinkKey returns a number that is equal for equivalent addresses; 0: not a web address.
func LinkKey(address string) int64 {
	if !isWeb(address) {
		return 0
	}
	address, _, _ = strings.Cut(CleanURL(address), "#")
	_, bare, _ := strings.Cut(address, "://")
	host, path, _ := strings.Cut(bare, "/")
	return keyOf(strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(host), "www.")+"/"+path, "/"))
}

// SiteKey returns the Site of links to the registrable domain of a site and everything below it. The site is a name
// or an address; for anything else SiteKey returns 0.
func SiteKey(site string) int64 {
	if !strings.Contains(site, "://") {
		site = "https://" + site
	}
	host := Host(site)
	if !strings.Contains(host, ".") {
		return 0
	}
	return siteKey(Domain(host))
}

func siteKey(domain string) int64 { return keyOf("site " + domain) }

// keyOf hashes a key. The store contains its results: do not change them.
func keyOf(text string) int64 {
	sum := sha256.Sum256([]byte(text))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}
