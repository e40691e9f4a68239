package feed

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"digest"
)

// mostLinks is how many links of a post are known to the link graph.
const mostLinks = 50

// Links gives where a post leads: its own address, where that is at another site than the feed and
// its page, and the links of its content, each once, the first of them. Addresses that differ in
// https, "www.", a final slash, a place in the page or parameters that count are one.
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

// LinkedFrom gives the addresses to which a post leads: its own, and those of the links of its
// sanitised content, in which an address stands as href="…".
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

// LinkKey is what two addresses of one place have in common; 0 for what is no web address.
func LinkKey(address string) int64 {
	if !isWeb(address) {
		return 0
	}
	address, _, _ = strings.Cut(CleanURL(address), "#")
	_, bare, _ := strings.Cut(address, "://")
	host, path, _ := strings.Cut(bare, "/")
	return keyOf(strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(host), "www.")+"/"+path, "/"))
}

// SiteKey is the Site of links to a site: to its registrable domain and all that is below it. It
// takes a name or an address; 0 for what is neither.
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

// keyOf is stored: it must stay as it is.
func keyOf(text string) int64 {
	sum := sha256.Sum256([]byte(text))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}
