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

// A link never seems to lead elsewhere than it does. Its writer may have meant
// no harm ("Example.com buys it", which leads to a newspaper), but readers
// take it for fraud: what begins like another address is set in
// quotation marks, and where it is nothing but such an address, the true one is
// shown instead. In a headline that holds further on for what can be nothing but an address.

// beginning matches an address, of the web or of mail, or the name of a host, that text begins with. Browsers take the full
// stops of East Asia for dots.
var beginning = regexp.MustCompile(
	`^(?i)(?:(https?://(?:[^\s/@]*@)?)|([a-z0-9._%+-]+@))?((?:[a-z0-9][a-z0-9-]*[.。．｡])+[a-z0-9-]+)(?:[/:?#]\S*)?`)

const dots = ".。．｡"

// A namedHost is an address, or the name of a host, that a text begins with.
type namedHost struct {
	host     string
	from, to int  // where it stands
	outright bool // with its scheme
	// it can be nothing else, wherever it stands: with its scheme, with www., with a path, or an address of mail
	plainly bool
}

// hostNamed is what text begins with, if that is an address to those who look
// for one: not what goes on in letters of another kind, as in Example.com’s.
func hostNamed(text string) (h namedHost, ok bool) {
	h.from = len(text) - len(strings.TrimLeftFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unseen(r) || strings.ContainsRune("([{<\"'“‘«-–—", r)
	}))
	if first, _, _ := strings.Cut(text[h.from:], " "); strings.IndexAny(first, dots) <= 0 {
		return h, false // as most words: no need to look closer
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

// isOfNET reports whether a name is that of a part of Microsoft's .NET, as it is written.
func isOfNET(written string) bool {
	return written == "ASP.NET" || written == "ADO.NET" || written == "VB.NET"
}

// isFile reports whether the name of a host is rather that of a file: endings of programs and texts are top-level domains, too.
func isFile(host string) bool {
	switch host[strings.LastIndexByte(host, '.')+1:] {
	case "md", "pl", "py", "rs", "sh":
		return true
	}
	return false
}

// endsAt reports whether a host can end where rest begins.
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

// registered reports whether a name could be that of a host on the web.
func registered(host string) bool {
	suffix, official := publicsuffix.PublicSuffix(host)
	return suffix != host && (official || strings.Contains(suffix, "."))
}

// pretends gives what the words of a link begin with if it is an address of
// another domain than the one they lead to.
func pretends(words, href string) (namedHost, bool) {
	h, ok := hostNamed(words)
	if !ok {
		return h, false
	}
	u, err := url.Parse(weburl.Escaped(href))
	return h, err != nil || u.Host != "" && domain(h.host) != domain(strings.ToLower(u.Hostname()))
}

// domain is what somebody registered.
func domain(host string) string {
	if d, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return d
	}
	return host
}

// showsAddress reports whether any of the words of a line is an address.
func showsAddress(line string) bool {
	for word := range strings.FieldsSeq(line) {
		if _, ok := hostNamed(word); ok {
			return true
		}
	}
	return false
}

// candid is a headline that leads to href.
func candid(title, href string) string {
	for from := 0; ; {
		if h, ok := pretends(title[from:], href); ok && (from == 0 || h.plainly) {
			named := strings.TrimRight(title[from+h.from:from+h.to], ")]}>\"'.,;:!?") // which end what is around it
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

// honest makes the links of a line candid.
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

// unseen are characters that take no room. Between letters of some scripts
// they have a meaning.
func unseen(r rune) bool {
	return r >= 0x200b && r <= 0x200f || r == 0x2060 || r == 0xad || r == 0xfeff
}

// visible takes out what cannot be seen beside letters that need no such
// thing, where it could only hide an address: www.ban\u200ck.com.
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

// pictureFirst is the picture that a link begins with, whose description then
// counts as its first words.
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

// insert puts a mark into words, so many bytes into their text.
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
