package feed

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Ranked returns the feeds that the page at an address offers, best first. It sorts them by audience, language and
// media type, and otherwise keeps the order of the page.
func (d *Document) Ranked(address string) []Offer {
	ranked := slices.Clone(d.Feeds)
	language := pageLanguage(d.Language, address)
	if !isDivided(ranked) {
		language = ""
	}
	rank := func(o Offer) []int {
		return []int{o.audience(d, address), strangeness(o, language), weakness(o.Type)}
	}
	slices.SortStableFunc(ranked, func(a, b Offer) int { return slices.Compare(rank(a), rank(b)) })
	return ranked
}

// The audiences of feeds: many readers want posts, few want comments.
const (
	ofPosts = iota
	ofActivity
	ofReplies
	ofComments
)

// Patterns for the addresses of feeds on forges and forums.
var (
	releases = regexp.MustCompile(`/(-/)?releases\.(atom|rss)$|/refs/rss\.xml$`)
	tags     = regexp.MustCompile(`/(-/)?tags(\.(atom|rss)|\?format=atom)$`)
	changes  = regexp.MustCompile(`/commits?/[^?]*\.(atom|rss)$|/-/commits/[^?]*\?format=atom|/log/rss\.xml$`)
	replies  = regexp.MustCompile(
		`/posts\.rss$|/t/[^/]+/\d+\.rss$|/feeds/question/|/topic/\d+\.rss$|/r/\w+/comments/|/feed/topic/`)
	topics = regexp.MustCompile(`/latest\.rss$|/atom/discussions|/feed/topics$|/discussions/feed\.rss$`)
)

// audience returns the audience of a feed in comparison with the other feeds of its page.
func (o Offer) audience(d *Document, address string) int {
	beside := func(pattern *regexp.Regexp) bool {
		return slices.ContainsFunc(d.Feeds, func(other Offer) bool { return pattern.MatchString(other.URL) })
	}
	switch {
	case o.IsComments(), d.isOfPost(o, address):
		return ofComments
	case releases.MatchString(o.URL), topics.MatchString(o.URL):
		return ofPosts
	case replies.MatchString(o.URL):
		return ofReplies
	case beside(releases) && tags.MatchString(o.URL):
		return ofActivity
	case beside(topics) && !topics.MatchString(o.URL) && strings.HasPrefix(withoutQuery(o.URL), forumOf(d.Feeds)):
		return ofReplies
	case beside(releases):
		return ofReplies
	case changes.MatchString(o.URL):
		return ofActivity
	}
	return ofPosts
}

// forumOf returns the address of the forum with a feed of its topics; without one it returns "-", which no address
// has as a prefix.
func forumOf(offers []Offer) string {
	for _, o := range offers {
		if at := topics.FindStringIndex(o.URL); at != nil {
			return o.URL[:at[0]] + "/"
		}
	}
	return "-"
}

func withoutQuery(address string) string {
	address, _, _ = strings.Cut(address, "?")
	return address
}

// isOfPost reports whether a feed contains the comments on the page itself. WordPress puts it below the address of
// the post, beside the feed of the whole site.
func (d *Document) isOfPost(o Offer, address string) bool {
	page := strings.TrimSuffix(withoutQuery(address), "/")
	if o.URL != page+"/feed/" && o.URL != page+"/feed" {
		return false
	}
	return slices.ContainsFunc(d.Feeds, func(other Offer) bool {
		site, ok := strings.CutSuffix(strings.TrimSuffix(other.URL, "/"), "/feed")
		return ok && len(site) < len(page) && strings.HasPrefix(page, site+"/")
	})
}

var commentsAddress = regexp.MustCompile(
	`/comments/|/comments$|comments\.(xml|rss|atom|json|rdf)|comments-rss|feed=comments|` +
		`[?&]feed=\w+&(amp;)?(p|page_id)=`)

var commentsTitle = regexp.MustCompile(`comments feed|^comments (on|for) |^comments$|^recent comments|` +
	`^(all|latest|newest) comments|kommentar-feed|^kommentare (zu|für) |` +
	`flux (rss )?des commentaires|^commentaires (sur|pour) |` +
	`feed de (los )?comentarios|^comentarios (en|de|a) |feed (de|dos) comentários|^comentários (em|sobre|a|para) |` +
	`feed dei commenti|reacties feed|reactiefeed|コメントフィード|コメントのフィード|خلاصة التعليقات|` +
	`комментариев$|评论 ?feed|评论源|迴響`)

// IsComments reports whether an offer is a feed of comments.
func (o Offer) IsComments() bool {
	return commentsAddress.MatchString(strings.ToLower(o.URL)) || commentsTitle.MatchString(strings.ToLower(o.Title))
}

// Certain reports whether an offer is based on more than the words of a link.
func (o Offer) Certain() bool { return o.likely != 1 }

// weakness ranks media types by how often their links are no feeds.
func weakness(typ string) int {
	switch {
	case typ == "application/json", isXML(typ):
		return 2
	case isPageType(typ), typ == "":
		return 1
	}
	return 0
}

func isDivided(offers []Offer) bool {
	first := ""
	for _, o := range offers {
		switch language := o.language(); {
		case language == "" || language == first:
		case first != "":
			return true
		default:
			first = language
		}
	}
	return false
}

// strangeness returns 0 for a feed in the language, 1 for a feed without one, and 2 for a feed in another language.
// If language is "", it returns 0.
func strangeness(o Offer, language string) int {
	switch own := o.language(); {
	case language == "" || own == language:
		return 0
	case own == "":
		return 1
	}
	return 2
}

// pageLanguage returns the language in the address of a page, otherwise the language that the page states.
func pageLanguage(said, address string) string {
	return cmp.Or(inAddress(address), primary(said))
}

// language returns the language of a feed, from its link, its address or its title; "": unknown.
func (o Offer) language() string {
	if own := cmp.Or(primary(o.Language), inAddress(o.URL)); own != "" {
		return own
	}
	for _, word := range strings.FieldsFunc(strings.ToLower(o.Title),
		func(r rune) bool { return strings.ContainsRune(" ()[]-–—|:,/»", r) }) {
		if code := languageNames[word]; code != "" {
			return code
		}
	}
	return ""
}

// primary returns the language of a tag such as de-CH; "" for none, and for x-default.
func primary(tag string) string {
	code, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
	code, _, _ = strings.Cut(code, "_")
	if len(code) == 2 || len(code) == 3 {
		return code
	}
	return ""
}

var languageInPath = regexp.MustCompile(`(?i)^([a-z]{2})([-_][a-z]{2,4})?$`)

var languageInName = regexp.MustCompile(`(?i)[._-]([a-z]{2})\.(xml|rss|atom|rdf|json)$`)

// inAddress returns the language in the query, the path or the host of an address.
func inAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	for _, name := range []string{"lang", "language", "hl", "locale", "l"} {
		if code := knownLanguage(primary(u.Query().Get(name))); code != "" {
			return code
		}
	}
	for _, part := range strings.Split(u.Path, "/") {
		if m := languageInPath.FindStringSubmatch(part); m != nil && knownLanguage(m[1]) != "" {
			return knownLanguage(m[1])
		}
	}
	if m := languageInName.FindStringSubmatch(u.Path); m != nil && knownLanguage(m[1]) != "" {
		return knownLanguage(m[1])
	}
	first, rest, _ := strings.Cut(u.Hostname(), ".")
	if strings.Contains(rest, ".") {
		return knownLanguage(first)
	}
	return ""
}

// languageCodes are the languages that inAddress recognises. It lacks codes that often mean something different in an
// address.
var languageCodes = setOf(`ar bg bn ca cs da de el en es et eu fa fi fr gl he hi hr hu id it ja ko lt lv ms nb nl nn
	no pl pt ro ru sk sl sr sv th tr uk ur vi zh`)

func knownLanguage(code string) string {
	if code = strings.ToLower(code); languageCodes[code] {
		return code
	}
	return ""
}
