package poller

import (
	"strings"

	"digest"
	"digest/feed"
)

// Facts says what is known of a feed beside its title and address, in words for people:
// what it is, and how many posts it lists.
func (c Candidate) Facts() []string {
	var facts []string
	if kind := formatName(c.Kind); kind != "" {
		facts = append(facts, kind)
	}
	if c.Comments {
		facts = append(facts, "comments")
	}
	if c.Posts > 0 {
		facts = append(facts, digest.Counted(c.Posts, "post"))
	}
	return facts
}

// formatName is a format, or a media type that a page states, as people call it.
func formatName(kind string) string {
	kind = strings.ToLower(kind)
	switch {
	case kind == string(feed.HFeed):
		return "the page itself"
	case kind == string(feed.ATProto):
		return "an account of Bluesky"
	case kind == string(feed.ActivityStreams):
		return "an account of the fediverse"
	case strings.Contains(kind, "atom"):
		return "Atom"
	case kind == string(feed.RDF), strings.Contains(kind, "rdf"):
		return "RSS 1.0"
	case strings.Contains(kind, "rss"):
		return "RSS"
	case strings.Contains(kind, "json"):
		return "JSON Feed"
	}
	return ""
}
