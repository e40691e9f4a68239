package poller

import (
	"strings"

	"digest/feed"
	"digest/internal/catalogue"
)

// Facts describes a feed for people, apart from its title and address: its kind and the number of posts.
// Each value is a catalogue.Sayable or a name.
func (c Candidate) Facts() []any {
	var facts []any
	if kind := formatName(c.Kind); kind != nil {
		facts = append(facts, kind)
	}
	if c.Comments {
		facts = append(facts, catalogue.Key("comments feed"))
	}
	if c.Posts > 0 {
		facts = append(facts, catalogue.Key("%d posts").With(c.Posts))
	}
	return facts
}

// formatName returns the common name of a format, or of a media type that a page states.
func formatName(kind string) any {
	kind = strings.ToLower(kind)
	switch {
	case kind == string(feed.HFeed):
		return catalogue.Key("the page itself")
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
