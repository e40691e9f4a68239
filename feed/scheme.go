package feed

import "strings"

// isFeedScheme reports whether a scheme opens a feed reader or a podcast player. The address of a feed follows it.
func isFeedScheme(scheme string) bool { return feedSchemes[strings.ToLower(scheme)] }

var feedSchemes = setOf("feed feeds pcast itpc itms-pcast itms-podcast podcast podcasts rss")

// withoutFeedScheme unwraps addresses such as feed:https://..., and feed://... and pcast://..., which mean http.
func withoutFeedScheme(s string) string {
	scheme, rest, found := strings.Cut(s, ":")
	if !found || !isFeedScheme(scheme) || rest == "" || strings.Trim(rest, "0123456789") == "" ||
		rest[0] >= '0' && rest[0] <= '9' && !strings.Contains(rest, ".") {
		return s
	}
	rest, plain := strings.CutPrefix(rest, "//")
	switch {
	case plain && hasPrefixFold(rest, "https//"), plain && hasPrefixFold(rest, "http//"):
		// A browser has removed the second colon.
		scheme, rest, _ = strings.Cut(rest, "//")
		return strings.ToLower(scheme) + "://" + rest
	case strings.Contains(rest, "://"), !plain:
		return rest
	case strings.EqualFold(scheme, "feeds"):
		return "https://" + rest
	}
	return "http://" + rest
}
