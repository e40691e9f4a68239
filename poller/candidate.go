package poller

import (
	"strings"

	"digest/feed"
	"digest/internal/catalogue"
)

// Facts says what is known of a feed beside its title and address, in words for people:
// what it is, and how many posts it lists. Each is catalogue.Sayable, or a name.
func (c Candidate) Facts() []any {
	var facts []any
	if kind := formatName(c.Kind); kind != nil {
		facts = append(facts, kind)
	}
	if c.Comments {
		facts = append(facts, catalogue.Key("comments"))
	}
	if c.Posts > 0 {
		facts = append(facts, catalogue.Key("%d posts").With(c.Posts))
	}
	return facts
}

// formatName is a format, or a media type that a page states, as people call it.
func formatName(kind string) any {
	kind = strings.ToLower(kind)
	switch {
	case kind == string(feed.HFeed):
		return catalogue.Key("this page")
	case kind == string(feed.ATProto):
		return catalogue.Key("Bluesky account")
	case kind == string(feed.ActivityStreams):
		return catalogue.Key("fediverse account")
	case strings.Contains(kind, "atom"):
		return "Atom"
	case kind == string(feed.RDF), strings.Contains(kind, "rdf"):
		return "RSS 1.0"
	case strings.Contains(kind, "rss"):
		return "RSS"
	case strings.Contains(kind, "json"):
		return "JSON Feed"
	}
	return nil
}
