package render

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"

	"digest/internal/weburl"
)

// maxAddress is the length of the longest link that is shown. Mail programs break longer ones.
const maxAddress = 2000

// address returns raw in a form that is safe in HTML and plain text: absolute http or https, without spaces, quotes or
// other characters that could end it early. It returns "" for other addresses.
func address(raw string) string {
	raw = strings.TrimSpace(raw)
	if len(raw) > maxAddress {
		return ""
	}
	raw = weburl.WithSlashes(raw)
	u, err := url.Parse(weburl.Escaped(raw))
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

// The text of a link must not pretend to be another address. The author may have meant no harm, as in "Example.com buys
// it" with a link to a newspaper, but readers suspect fraud. So text that begins like another address gets quotation
// marks, and text that consists only of such an address is replaced by the true address. In headlines this also applies
// after the beginning, to text that can only be an address.

// beginning matches a web address, an email address or a host name at the beginning of a text. Browsers accept East
// Asian full stops as dots.
var beginning = regexp.MustCompile(
	`^(?i)(?:(https?://(?:[^\s/@]*@)?)|([a-z0-9._%+-]+@))?((?:[a-z0-9][a-z0-9-]*[.。．｡])+[a-z0-9-]+)(?:[/:?#]\S*)?`)

const dots = ".。．｡"

// A namedHost is an address or a host name at the beginning of a text.
type namedHost struct {
	host     string
	from, to int
	outright bool // with a scheme
	// it can only be an address, at any position: it has a scheme, www., a path, or is an email address
	plainly bool
}

// hostNamed returns the address at the beginning of a text, if a reader would see it as one. Text such as Example.com’s
// is no address.
func hostNamed(text string) (h namedHost, ok bool) {
	h.from = len(text) - len(strings.TrimLeftFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unseen(r) || strings.ContainsRune("([{<\"'“‘«-–—", r)
	}))
	if first, _, _ := strings.Cut(text[h.from:], " "); strings.IndexAny(first, dots) <= 0 {
		return h, false // most words end here, without the regular expression
	}
	at := beginning.FindStringSubmatchIndex(text[h.from:])
	if at == nil {
		return h, false
	}
	h.to, h.outright = h.from+at[1], at[2] >= 0
	written, rest := text[h.from+at[6]:h.from+at[7]], text[h.from+at[7]:]
	h.host = strings.NewReplacer("。", ".", "．", ".", "｡", ".").Replace(strings.ToLower(written))
	// not ASP.NET/MVC, setup.py/cfg
	withPath := len(rest) > 1 && rest[0] == '/' && rest[1] != ' ' && !isOfNET(written) && !isFile(h.host)
	h.plainly = h.outright || at[4] >= 0 || strings.HasPrefix(h.host, "www.") || withPath
	if !h.plainly && isOfNET(written) {
		return h, false
	}
	return h, (h.outright || registered(h.host)) && h.endsAt(rest) // not 3.5 or Node.js
}

// isOfNET reports whether a name is a part of Microsoft's .NET in its usual spelling.
func isOfNET(written string) bool {
	return written == "ASP.NET" || written == "ADO.NET" || written == "VB.NET"
}

// isFile reports whether a host name is probably the name of a file, because its extension is also a top-level domain.
func isFile(host string) bool {
	switch host[strings.LastIndexByte(host, '.')+1:] {
	case "md", "pl", "py", "rs", "sh":
		return true
	}
	return false
}

func (h namedHost) endsAt(rest string) bool {
	switch {
	case rest == "":
		return true
	case rest[0] == ':':
		return len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9'
	case strings.IndexByte(" \n/.)'", rest[0]) >= 0:
		return true
	}
	return h.plainly && strings.IndexByte(",;!?#*]<>}\"", rest[0]) >= 0
}

func registered(host string) bool {
	suffix, official := publicsuffix.PublicSuffix(host)
	return suffix != host && (official || strings.Contains(suffix, "."))
}

// pretends returns the address at the beginning of a link's words if its domain differs from the link's own.
func pretends(words, href string) (namedHost, bool) {
	h, ok := hostNamed(words)
	if !ok {
		return h, false
	}
	u, err := url.Parse(weburl.Escaped(href))
	return h, err != nil || u.Host != "" && domain(h.host) != domain(strings.ToLower(u.Hostname()))
}

// domain returns the registered domain of a host.
func domain(host string) string {
	if d, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return d
	}
	return host
}

func showsAddress(line string) bool {
	for word := range strings.FieldsSeq(line) {
		if _, ok := hostNamed(word); ok {
			return true
		}
	}
	return false
}

// candid returns the headline of a link to href, with other addresses in quotation marks.
func candid(title, href string) string {
	for from := 0; ; {
		if h, ok := pretends(title[from:], href); ok && (from == 0 || h.plainly) {
			named := strings.TrimRight(title[from+h.from:from+h.to], ")]}>\"'.,;:!?") // these end the text around it
			marked := title[:from+h.from] + "“" + named + "”"
			title, from = marked+title[from+h.from+len(named):], len(marked)
		}
		space := strings.IndexByte(title[from:], ' ')
		if space < 0 {
			return title
		}
		from += space + 1
	}
}

// honest applies the same rule to the links of a line.
func honest(line []token) []token {
	for i, t := range line {
		if t.kind != opening || t.name != "a" {
			continue
		}
		words := line[i:closes(line, i)]
		if p := pictureFirst(words); p != nil {
			p.words = candid(p.words, t.href)
			continue
		}
		for k := range words {
			words[k].text = visible(words[k].text)
		}
		shown := plainText(words)
		h, ok := pretends(shown, t.href)
		switch {
		case !ok:
		case h.outright && strings.TrimSpace(shown[h.to:]) == "":
			words[1] = token{kind: word, text: shownAddress(t.href)}
			for k := 2; k < len(words); k++ {
				words[k] = token{kind: word}
			}
		default:
			insert(words, h.to, "”")
			insert(words, h.from, "“")
		}
	}
	return line
}

// unseen reports invisible characters. In some scripts they have a meaning between letters.
func unseen(r rune) bool {
	return r >= 0x200b && r <= 0x200f || r == 0x2060 || r == 0xad || r == 0xfeff
}

// visible removes invisible characters beside ASCII, where they can only hide an address: www.ban\u200ck.com.
func visible(text string) string {
	if strings.IndexFunc(text, unseen) < 0 {
		return text
	}
	all := []rune(text)
	ascii := func(i int) bool { return i >= 0 && i < len(all) && all[i] < utf8.RuneSelf && all[i] > ' ' }
	var b strings.Builder
	for i, r := range all {
		if !unseen(r) || !ascii(i-1) && !ascii(i+1) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// pictureFirst returns the picture at the beginning of a link. Its description then counts as the first words.
func pictureFirst(words []token) *picture {
	for _, t := range words {
		switch {
		case t.kind == pictured:
			return t.pic
		case t.kind == word && strings.TrimSpace(t.text) != "":
			return nil
		}
	}
	return nil
}

// insert inserts a mark into words at a position in bytes.
func insert(words []token, at int, mark string) {
	for i := range words {
		w := &words[i].text
		if words[i].kind == word && at <= len(*w) {
			*w = (*w)[:at] + mark + (*w)[at:]
			return
		}
		at -= len(*w)
	}
}

func shownAddress(href string) string {
	_, rest, _ := strings.Cut(href, ":")
	return cut(strings.TrimSuffix(strings.TrimPrefix(rest, "//"), "/"), 60)
}
