package feed

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf8"
)

// A wrapper is a page that counts a click and redirects to the address in one
// of its parameters.
type wrapper struct {
	host   string // this one, or with a final dot its beginning, or with a first dot its end
	path   string // how the path begins
	params string // the parameters that hold the target, best first; "?": the whole query
}

// wrappers are tables of what is known; nobody is asked where a link leads.
var wrappers = []wrapper{
	{"www.google.", "/url", "url q"},
	{"google.", "/url", "url q"},
	{"news.google.", "/news/url", "url"},
	{"www.bing.com", "/news/apiclick.aspx", "url"},
	{"duckduckgo.com", "/l/", "uddg"},
	{"l.facebook.com", "/l.php", "u"},
	{"lm.facebook.com", "/l.php", "u"},
	{"www.facebook.com", "/l.php", "u"},
	{"l.messenger.com", "/l.php", "u"},
	{"l.instagram.com", "/", "u"},
	{"l.threads.com", "/", "u"},
	{"l.wl.co", "/l", "u"},
	{"out.reddit.com", "/", "url"},
	{"www.youtube.com", "/redirect", "q"},
	{"t.umblr.com", "/redirect", "z"},
	{"www.linkedin.com", "/redir/redirect", "url"},
	{"www.linkedin.com", "/safety/go", "url"},
	{"medium.com", "/r/", "url"},
	{"medium.com", "/m/global-identity", "redirectUrl"},
	{"getpocket.com", "/redirect", "url"},
	{"vk.com", "/away.php", "to"},
	{"steamcommunity.com", "/linkfilter/", "url u"},
	{"slack-redir.net", "/link", "url"},
	{"exit.sc", "/", "url"},
	{"gate.sc", "/", "url"},
	{".safelinks.protection.outlook.com", "/", "url"},
	{"href.li", "/", "?"},
	{"anonym.to", "/", "?"},
	{"anon.to", "/", "?"},
}

// behind gives the target of a click counter's address where it can be read in
// the address itself.
func behind(address string) (target string, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Port() != "" {
		return "", false
	}
	host := strings.ToLower(u.Hostname())
	for _, w := range wrappers {
		if w.of(host, u.Path) {
			return w.target(u)
		}
	}
	path := strings.TrimPrefix(u.EscapedPath(), "/")
	first, rest, _ := strings.Cut(path, "/")
	switch {
	case host == "go.theregister.com" && first == "feed":
		return readable("https://" + rest)
	case host == "click.pstmrk.it" && len(first) == 2:
		page, _, _ := strings.Cut(rest, "/")
		return unescaped("https://" + page)
	case strings.HasSuffix(host, ".awstrack.me") && strings.HasPrefix(first, "L"):
		page, _, _ := strings.Cut(rest, "/")
		return unescaped(page)
	case (host == "substack.com" || strings.HasSuffix(host, ".substack.com")) && first == "redirect":
		return substackTarget(path)
	case isClickHost(host):
		return encodedTarget(path)
	}
	return "", false
}

func (w wrapper) of(host, path string) bool {
	switch {
	case strings.HasPrefix(w.host, "."):
		return strings.HasSuffix(host, w.host) && strings.HasPrefix(path, w.path)
	case strings.HasSuffix(w.host, "."): // of a country; google.evil.example is somebody else's
		return strings.HasPrefix(host, w.host) && Domain(host) == strings.TrimPrefix(strings.TrimPrefix(host, "www."), "news.") &&
			(path == w.path || strings.HasPrefix(path, w.path+"/"))
	}
	return host == w.host && strings.HasPrefix(path, w.path)
}

func (w wrapper) target(u *url.URL) (string, bool) {
	if w.params == "?" {
		if strings.Contains(u.RawQuery, "://") {
			return readable(u.RawQuery)
		}
		return unescaped(u.RawQuery)
	}
	for name := range strings.FieldsSeq(w.params) {
		for p := range strings.SplitSeq(u.RawQuery, "&") {
			key, value, _ := strings.Cut(strings.TrimPrefix(p, "amp;"), "=")
			if !strings.EqualFold(key, name) {
				continue
			}
			if target, ok := unescaped(value); ok {
				return target, true
			}
		}
	}
	return "", false
}

// unescaped reads a target that stands percent-encoded in an address. A plus
// stays one: those who encode a space as a plus encode a plus, too.
func unescaped(s string) (string, bool) {
	plain, err := url.PathUnescape(s)
	if err != nil {
		return "", false
	}
	return readable(plain)
}

// readable gives a target that is an address as others are.
func readable(target string) (string, bool) {
	target = strings.ReplaceAll(target, " ", "%20")
	if !utf8.ValidString(target) || cleanAddress(target) != target || !isWeb(target) || strings.ContainsAny(target, "<>\"\\^`{|}") {
		return "", false
	}
	u, err := url.Parse(target)
	if err != nil || u.User != nil || !strings.Contains(u.Hostname(), ".") {
		return "", false
	}
	return target, true
}

// substackTarget reads /redirect/2/TOKEN, whose token begins with JSON.
func substackTarget(path string) (string, bool) {
	token := path[strings.LastIndexByte(path, '/')+1:]
	token, _, _ = strings.Cut(token, ".")
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(token, "="))
	if err != nil {
		return "", false
	}
	var says struct {
		E string `json:"e"`
	}
	if json.Unmarshal(b, &says) != nil {
		return "", false
	}
	return readable(says.E)
}

// isClickHost reports whether a host is one that senders of newsletters have
// for counting clicks.
func isClickHost(host string) bool {
	label, rest, _ := strings.Cut(host, ".")
	switch label {
	case "click", "clicks", "link", "links", "email", "trk", "track":
		return strings.Contains(rest, ".")
	}
	return false
}

// encodedTarget reads a path of which one part is an address in base64.
func encodedTarget(path string) (string, bool) {
	for part := range strings.SplitSeq(path, "/") {
		if !strings.HasPrefix(part, "aHR0cHM6Ly") && !strings.HasPrefix(part, "aHR0cDovL") { // https:/, http:/
			continue
		}
		part = strings.TrimRight(part, "=")
		b, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil {
			b, err = base64.RawStdEncoding.DecodeString(part)
		}
		if err == nil {
			return readable(string(b))
		}
	}
	return "", false
}
