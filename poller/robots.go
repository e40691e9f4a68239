package poller

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Robots is what the robots.txt of a site says to this program by its name.
type Robots struct {
	Origin       string // scheme://host:port, the port always named
	FetchedAt    time.Time
	ETag         string
	LastModified string
	Rules        string // our group's, a line each; empty: it does not speak to us
}

// A RobotsCache keeps what the robots.txt of each site said.
type RobotsCache interface {
	Robots(ctx context.Context, origin string) (Robots, bool, error)
	SaveRobots(ctx context.Context, r Robots) error
}

const (
	// robotsToken is the name by which a robots.txt speaks to this program. What
	// it says to all ("*") is meant for those who find pages by themselves; a
	// feed is asked because a reader has chosen it.
	robotsToken = "digest"

	maxRobots = 512 << 10 // bytes of a robots.txt that are read (RFC 9309 §2.5)
	maxRules  = 64 << 10  // bytes of rules that are kept
	maxRule   = 2 << 10   // bytes of one
)

// parseRobots gives the rules of the groups that name us, in a form that allows
// reads: "allow /a" or "disallow /b" a line (RFC 9309 §2.2). Paths are
// normalised; what is neither rule nor name is passed over.
func parseRobots(body []byte) string {
	text := strings.TrimPrefix(string(body[:min(len(body), maxRobots)]), "\ufeff")
	var rules strings.Builder
	ours, naming := false, false // the group names us; its names are still being listed
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		key, value := directive(line)
		switch key {
		case "user-agent":
			ours = ours && naming || isUs(value)
			naming = true
		case "allow", "disallow":
			naming = false
			path := normalPath(value)
			if ours && path != "" && len(path) <= maxRule && rules.Len()+len(path) < maxRules {
				rules.WriteString(key + " " + path + "\n")
			}
		}
	}
	return rules.String()
}

func directive(line string) (key, value string) {
	line, _, _ = strings.Cut(line, "#")
	key, value, _ = strings.Cut(line, ":")
	return strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
}

// isUs compares the name that a line begins with, up to its version.
func isUs(value string) bool {
	end := strings.IndexFunc(value, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	})
	if end >= 0 {
		value = value[:end]
	}
	return strings.EqualFold(value, robotsToken)
}

// allows reports whether rules let path, with its query, be asked for: the
// longest rule that matches wins, and of two as long the one that allows.
func allows(rules, path string) bool {
	path = literal(normalPath(path))
	verdict, longest := true, -1
	for line := range strings.Lines(rules) {
		kind, pattern, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if pattern == "" || len(pattern) < longest || !matches(pattern, path) {
			continue
		}
		allow := kind == "allow"
		verdict = allow || verdict && len(pattern) == longest
		longest = len(pattern)
	}
	return verdict
}

// matches reports whether a path begins as a pattern says: "*" stands for
// anything, a last "$" for the end.
func matches(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	parts := strings.Split(strings.ReplaceAll(pattern, "$", "%24"), "*")
	rest, ok := strings.CutPrefix(path, parts[0])
	if !ok {
		return false
	}
	if len(parts) == 1 {
		return !whole || rest == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	if whole {
		return strings.HasSuffix(rest, parts[last])
	}
	return strings.Contains(rest, parts[last])
}

// literal writes the two characters that are special in a pattern as they must
// be written there to stand for themselves.
func literal(path string) string {
	return strings.NewReplacer("*", "%2A", "$", "%24").Replace(path)
}

const upperHex = "0123456789ABCDEF"

// normalPath makes two ways of writing a path the same (RFC 9309 §2.2.2):
// escapes in capitals, none where none is needed, all bytes beyond ASCII escaped.
func normalPath(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		escaped := c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2])
		if escaped {
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
		}
		if c <= ' ' || c >= 0x7f || escaped && !unreserved(c) {
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

func isHex(c byte) bool {
	return slices.Contains([]byte("0123456789abcdefABCDEF"), c)
}

func unhex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}

// unreserved bytes mean the same with an escape and without (RFC 3986 §2.3).
func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
