package feed

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/mmcdole/gofeed/rss"
)

// cloudAddress returns the address at which subscribers of a feed's notifications register, from the element <cloud>
// (RSS 2.0). It supports only HTTP forms: for xml-rpc, soap and feeds without <cloud> it returns "".
func cloudAddress(c *rss.Cloud) string {
	if c == nil || !strings.HasPrefix(c.Path, "/") {
		return ""
	}
	port, err := strconv.ParseUint(strings.TrimSpace(c.Port), 10, 16)
	if err != nil || port == 0 {
		return ""
	}
	scheme := "http"
	switch strings.ToLower(strings.TrimSpace(c.Protocol)) {
	case "http-post":
		if port == 443 {
			scheme = "https"
		}
	case "https-post":
		scheme = "https"
	default:
		return ""
	}
	// If the parsed host differs from the input, it contained a user, a path or the like.
	host := strings.Trim(strings.TrimSpace(c.Domain), "[]")
	address := scheme + "://" + net.JoinHostPort(host, strconv.FormatUint(port, 10)) + c.Path
	u, err := url.Parse(address)
	if err != nil || u.Hostname() != host || u.User != nil || strings.ContainsAny(address, "# \t\r\n") {
		return ""
	}
	address, err = NormalURL(address)
	if err != nil || !isWeb(address) {
		return ""
	}
	return address
}
