package doctor

import "strings"

// parseTags reads a list such as "v=DKIM1; k=rsa; p=…" as DKIM and DMARC have
// it (RFC 6376 §3.2, RFC 7489 §6.3). White space around names and values does
// not count; of a tag that comes twice none is taken, and neither is the list.
func parseTags(record string) (tags map[string]string, ok bool) {
	tags = map[string]string{}
	pairs := strings.Split(record, ";")
	for i, pair := range pairs {
		if strings.TrimSpace(pair) == "" && i == len(pairs)-1 {
			break
		}
		name, value, found := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		if _, twice := tags[name]; !found || name == "" || twice {
			return nil, false
		}
		tags[name] = strings.TrimSpace(value)
	}
	return tags, true
}

// isFirst reports whether a record begins with a version: where it is
// required, a record that begins otherwise is none.
func isFirst(record, version string) bool {
	name, value, found := strings.Cut(record, "=")
	value, _, _ = strings.Cut(value, ";")
	return found && strings.TrimSpace(name) == "v" && strings.TrimSpace(value) == version
}

// listed reports whether a value is in a list such as "sha1:sha256".
func listed(list, value string) bool {
	for item := range strings.SplitSeq(list, ":") {
		if strings.TrimSpace(item) == value {
			return true
		}
	}
	return false
}
