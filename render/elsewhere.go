package render

import (
	"net/url"
	"slices"
	"strings"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/weburl"
)

// A post of a link blog is about a page of another site. Either its address is the address of that page, as at Daring
// Fireball, or it names the page beside its own address (JSON Feed 1.1, external_url).

// leadsAway returns the host of the other site to which the post's address points, and "" for most posts. It also
// returns "" if the address is an enclosure, the player of an episode, or a redirect to the post's own page.
func (p *Post) leadsAway(from digest.Post) string {
	site, err := url.Parse(weburl.Escaped(from.SiteURL))
	there, wrong := url.Parse(weburl.Escaped(p.URL))
	if err != nil || wrong != nil || site.Host == "" || there.Host == "" ||
		domain(strings.ToLower(site.Hostname())) == domain(strings.ToLower(there.Hostname())) {
		return ""
	}
	if slices.ContainsFunc(from.Enclosures, func(e digest.Enclosure) bool {
		return e.URL == from.URL ||
			e.Medium() == digest.Sound
	}) {
		return ""
	}
	switch strings.ToLower(there.Hostname()) {
	case "feedproxy.google.com", "feeds.feedburner.com", "rss.feedsportal.com":
		return ""
	}
	return p.Host()
}

// elsewhere returns the link to a page that the post names beside its own address, or nil.
func (p *Post) elsewhere(from digest.Post) []File {
	u := address(from.LeadsTo)
	if u == "" || u == p.URL {
		return nil
	}
	return []File{{Label: arrow(p.r.isRTL()) + clean(strings.TrimPrefix(strings.ToLower(hostAndPort(u)), "www."), 60),
		URL: u}}
}

// comments returns the link to the page with comments on the post, or nil.
func (p *Post) comments(from digest.Post) []File {
	u := address(from.Comments)
	if u == "" || u == p.URL {
		return nil
	}
	return []File{{Label: p.r.Say(catalogue.Key("Comments")), URL: u, Quiet: true}}
}

// arrow returns an arrow in the direction of a line. From right to left it adds a mark, because Latin text may follow.
func arrow(rtl bool) string {
	if rtl {
		return lineMark(true) + "← "
	}
	return "→ "
}
