package render

import (
	"net/url"
	"strings"
)

// maxAddress is the longest link that is shown; longer ones break in clients.
const maxAddress = 2000

// address gives raw as a link may carry it in HTML and in plain text: absolute
// http or https, without spaces, quotes or anything else that could end it
// early; "" if raw is no such address.
func address(raw string) string {
	raw = strings.TrimSpace(raw)
	if len(raw) > maxAddress {
		return ""
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.User != nil {
		return ""
	}
	if s := strings.ToLower(u.Scheme); s != "http" && s != "https" {
		return ""
	}
	if strings.ContainsFunc(u.Host, func(r rune) bool { return unsafeInAddress(r) && r < 0x80 }) {
		return ""
	}
	out := percent(raw)
	if len(out) > maxAddress {
		return ""
	}
	return out
}

// percent encodes what may not stand in an address, and leaves all else as it
// is: an address is its author's, byte for byte.
func percent(raw string) string {
	if !strings.ContainsFunc(raw, unsafeInAddress) {
		return raw
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(raw) {
		c := raw[i]
		if unsafeInAddress(rune(c)) {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func unsafeInAddress(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", r)
}
