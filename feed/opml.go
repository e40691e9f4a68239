package feed

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"digest"
)

// maxFeeds limits the feeds of a list, maxFolder the names of the folders around one feed, in bytes.
const (
	maxFeeds  = 100_000
	maxFolder = 1000
)

// The attributes of a list that digest exports: paused feeds, secret addresses and access tokens, with the
// declaration of their prefix.
const (
	pausedAttribute = "digest:resting"
	secretAttribute = "digest:secret"
	bearerAttribute = "digest:bearer"
	pausedSpace     = `xmlns:digest="urn:digest:subscriptions"`
)

// cutOff returns the error for the last line of an incomplete file.
func cutOff() *digest.Error {
	return digest.Refuse(digest.Invalid, "the file is incomplete; the end of the list is missing")
}

// ReadList reads a file that a person uploads as a subscription list. It finds OPML without its root, after other
// text, and within a web page that a browser saved. It also reads the formats of list.go. An error is a *digest.Error
// that describes the file.
func ReadList(body []byte) (d *Document, err error) {
	defer func() {
		if r := recover(); r != nil {
			d, err = nil, notList(digest.Words("an unreadable file"), fmt.Errorf("panic: %v", r))
		}
	}()
	text, repairs := decode(body, "")
	at := beginOfList(text)
	if at < 0 && strings.Contains(text, "&lt;outline") { // a page that displays its source
		text = decodeEntities(text)
		at = beginOfList(text)
	}
	if at < 0 {
		if d := readOtherList(text); d != nil {
			d.Repairs = repairs
			return d, nil
		}
		return nil, notList(whatInstead(text, body), nil)
	}
	d = parseOPML(text, at, "")
	if n := len(d.BadLines); indexFold(text[at:], "</opml") < 0 &&
		(n == 0 || d.BadLines[n-1].Why.Error() != cutOff().Message) {
		d.BadLines = append(d.BadLines,
			BadLine{Line: 1 + strings.Count(strings.TrimRightFunc(text, unicode.IsSpace), "\n"),
				Why: cutOff()})
	}
	d.Repairs = append(repairs, d.Repairs...)
	return d, nil
}

// beginOfList returns the index of the root of a list, otherwise of its first outline; -1: none.
func beginOfList(text string) int {
	if at := indexFold(text, "<opml"); at >= 0 {
		return at
	}
	return indexFold(text, "<outline")
}

// whatInstead describes a file that contains no list.
func whatInstead(text string, body []byte) any {
	trimmed := strings.TrimLeft(text, " \t\r\n\uFEFF")
	if trimmed == "" {
		return digest.Words("an empty file")
	}
	if trimmed[0] == '{' {
		return digest.Words("a JSON file")
	}
	root, how, found := findRoot(trimmed, false)
	switch {
	case !found:
		return whatElse(body, trimmed)
	case how == nil:
	case how.kind == HTML:
		return digest.Words("a web page")
	default:
		return digest.Words("a feed (add it by its address)")
	}
	return digest.Refuse(digest.Invalid, "XML with the root <%s>", shorten(root.name, maxRootName))
}

// notList returns the error for a file without a list; found describes the file: digest.Words or an error.
func notList(found any, err error) error {
	wrong := digest.Refuse(digest.Invalid,
		"not an OPML file but %s; choose an OPML file, or a text file with one address per line", found)
	wrong.Err = err
	return wrong
}

// A listReader reads a subscription list, however malformed: with bare '&' and '<' in attributes, and with unclosed
// quotes and outlines. An outline without an address is a folder.
type listReader struct {
	scanner
	*Document
	address string
	folders []string // the path at each open outline, innermost last
	line    int      // the line of the byte at counted, from 1
	counted int
	again   int // number of bytes read more than once

	episodes, playlists int // of podcasts; they are not feeds
	atEpisode           int // the line of the first episode or playlist
}

// mostReread limits how often the reader may read the list again, in total, to find missing ends.
const mostReread = 16

func isOPML(local string, _ *token) bool { return local == "opml" }

func readOPML(src *source) (*Document, error) { return parseOPML(src.text, 0, src.address), nil }

// parseOPML reads the list that begins at an offset of a document.
func parseOPML(doc string, at int, address string) *Document {
	r := &listReader{scanner: scanner{doc: doc, pos: at}, Document: &Document{Kind: OPML}, address: address,
		folders: []string{""}, line: 1}
	for len(r.Feeds) < maxFeeds {
		tok := r.next()
		switch {
		case tok.kind == tokenEOF:
			r.noteEpisodes()
			return r.Document
		case tok.kind == tokenEnd && strings.EqualFold(tok.name, "outline"):
			r.folders = r.folders[:max(1, len(r.folders)-1)]
		case tok.kind == tokenStart && strings.EqualFold(tok.name, "title") && r.Title == "":
			if text := r.next(); text.kind == tokenText || text.kind == tokenCDATA {
				r.Title = lineOf(text.text)
			}
		case tok.kind == tokenStart && strings.EqualFold(tok.name, "outline"):
			r.outline(&tok)
		}
	}
	r.Repairs = append(r.Repairs, string(digest.Words("too many feeds, so the rest were ignored")))
	r.noteEpisodes()
	return r.Document
}

// isEpisode counts an outline that is an episode of a podcast or a playlist: Overcast exports hundreds of them.
func (r *listReader) isEpisode(tok *token, typ string) bool {
	switch strings.ToLower(typ) {
	case "podcast-episode":
		r.episodes++
	case "podcast-playlist":
		r.playlists++
	default:
		return false
	}
	if r.atEpisode == 0 {
		r.atEpisode = r.lineAt(tok.at)
	}
	return true
}

// noteEpisodes reports all episodes and playlists in one line.
func (r *listReader) noteEpisodes() {
	if r.atEpisode == 0 {
		return
	}
	title := digest.Counted(r.episodes, "episode")
	if r.playlists > 0 {
		title += ", " + digest.Counted(r.playlists, "playlist")
	}
	r.BadLines = append(r.BadLines, BadLine{Line: r.atEpisode, Title: title,
		Why: digest.Refuse(digest.Invalid, "episodes and playlists are not feeds; only the podcasts were imported")})
	slices.SortStableFunc(r.BadLines, func(a, b BadLine) int { return a.Line - b.Line })
}

// isScraped reports whether FreshRSS creates a feed of that type from a page by rules. Then the outline has the
// address of the page.
func isScraped(typ string) bool {
	typ = strings.ToLower(typ)
	return strings.Contains(typ, "xpath") || strings.Contains(typ, "dotnotation") || strings.Contains(typ, "dotpath")
}

func (r *listReader) outline(tok *token) {
	whole := r.doc[tok.at : tok.at+1+nextOutline(r.doc[tok.at+1:])] // the end of the outline at the latest
	end, closed := tok.at+len(whole), strings.HasSuffix(strings.TrimSpace(whole), "/>")
	// An unclosed quote makes the next tag a part of this one.
	if r.pos > end && hasPrefixFold(r.doc[end:], "<outline") {
		if r.again += r.pos - end; r.again > mostReread*len(r.doc) {
			r.pos = len(r.doc)
			r.Repairs = append(r.Repairs, string(digest.Words("too many unclosed tags, so the rest was ignored")))
			return
		}
		alone := scanner{doc: whole}
		tok.attrs, tok.cut, tok.empty, r.pos = alone.next().attrs, false, closed, end
	}
	name, address, typ := lineOf(firstOf(tok.attr("title"), tok.attr("text"))), addressIn(tok), tok.attr("type")
	if address == "" || tok.cut {
		torn := tornXMLURL.FindStringSubmatch(whole[:min(len(whole), maxOutline)])
		switch {
		case torn == nil: // the outline has no address, or its end is missing
			address = ""
		case address == "" && !tok.cut:
			address, typ = decodeEntities(torn[1]), "rss"
			name, _, _ = strings.Cut(name, " xmlUrl=")
			r.pos, tok.empty = max(r.pos, end), closed
		}
	}
	inside := r.folders[len(r.folders)-1]
	switch u := resolve(r.address, address); {
	case r.isEpisode(tok, typ): // noteEpisodes reports it
	case isScraped(typ):
		r.BadLines = append(r.BadLines, BadLine{Line: r.lineAt(tok.at), Title: firstOf(name, lineOf(u)),
			Why: digest.Refuse(digest.Invalid,
				"your other reader builds this feed from a web page (%s); enter the address of a feed",
				lineOf(typ))})
	case u != "":
		r.Feeds = append(r.Feeds, Offer{URL: u, Title: titleBeside(address, u, name), Type: typ, Folder: inside,
			Line: r.lineAt(tok.at), Paused: tok.attr(pausedAttribute) == "true",
			Secret: tok.attr(secretAttribute) == "true", Bearer: tok.attr(bearerAttribute)})
	default:
		r.unreadable(tok, name)
		inside = joinFolder(inside, name)
	}
	if !tok.empty {
		r.folders = append(r.folders, inside)
	}
}

// addressIn returns the address of the feed in an outline as written; "": the outline is a folder or something
// different.
func addressIn(tok *token) string {
	u := firstOf(tok.attr("xmlUrl"), tok.attr("feedUrl"))
	if typ := tok.attr("type"); u == "" && (strings.EqualFold(typ, "rss") || strings.EqualFold(typ, "atom")) {
		return tok.attr("url")
	}
	return u
}

// maxOutline limits the bytes in which outline searches for the address of a malformed outline.
const maxOutline = 1 << 16

// tornXMLURL matches the address in an outline whose other attributes contain quotes and '>', so that the tag seems
// to end earlier.
var tornXMLURL = regexp.MustCompile(`(?i)\sxmlUrl\s*=\s*["']([^"'<>\s]+)["']`)

// lineAt returns the line of an offset. Offsets must not decrease between calls.
func (r *listReader) lineAt(at int) int {
	if at > r.counted {
		r.line += strings.Count(r.doc[r.counted:at], "\n")
		r.counted = at
	}
	return r.line
}

// unreadable records an outline that was apparently meant to be a feed.
func (r *listReader) unreadable(tok *token, name string) {
	var why error
	switch typ := strings.ToLower(tok.attr("type")); {
	case tok.cut:
		why = cutOff()
	case typ == "include" || typ == "link" && tok.attr("url") != "":
		why = digest.Refuse(digest.Invalid, "a link to another list or page, which we don’t import")
	case typ == "rss" || typ == "atom" || tok.empty && (tok.attr("htmlUrl") != "" || name != ""):
		why = digest.Refuse(digest.Invalid, "no feed address")
	default:
		return
	}
	r.addBad(r.lineAt(tok.at), name, why)
}

// indexFold returns the index of an ASCII text in s, ignoring case; -1: none.
func indexFold(s, text string) int {
	for at := 0; ; at++ {
		i := strings.IndexByte(s[at:], text[0])
		if i < 0 {
			return -1
		}
		if at += i; hasPrefixFold(s[at:], text) {
			return at
		}
	}
}

func lineOf(s string) string {
	return shorten(plainLine(strings.ToValidUTF8(s[:min(len(s), maxLine)], ""), unsaid), maxTitle)
}

// titleBeside returns the title of a feed in a list; "" if it is only the feed's address. An outline must have a text
// (OPML 2.0), so that many lists repeat the address there. Case and a final "/" make no difference.
func titleBeside(written, resolved, name string) string {
	for _, address := range []string{written, resolved, digest.WithoutCredentials(resolved)} {
		if strings.EqualFold(strings.TrimRight(name, "/"), strings.TrimRight(lineOf(address), "/")) {
			return ""
		}
	}
	return name
}

// nextOutline returns the index of the next outline tag or the end of the body; without either it returns len(doc).
func nextOutline(doc string) int {
	for at := 0; ; at++ {
		i := strings.IndexByte(doc[at:], '<')
		if i < 0 {
			return len(doc)
		}
		at += i
		name := strings.TrimPrefix(doc[at+1:min(len(doc), at+len("</outline"))], "/")
		if hasPrefixFold(name, "outline") || hasPrefixFold(name, "body") {
			return at
		}
	}
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// joinFolder returns the path of a folder within around. If name is empty or the path is too long, it returns around.
func joinFolder(around, name string) string {
	path := strings.Trim(around+"/"+strings.ReplaceAll(name, "/", "-"), "/")
	if name == "" || len(path) > maxFolder {
		return around
	}
	return path
}

// WriteOPML writes a subscription list (OPML 2.0) with an outline for each Folder, nested at "/". Offers without a
// folder come first.
func WriteOPML(w io.Writer, title string, outlines []Offer) error {
	list := slices.Clone(outlines)
	slices.SortStableFunc(list, func(a, b Offer) int { return strings.Compare(a.Folder, b.Folder) })
	p, space := &opmlWriter{}, ""
	if slices.ContainsFunc(list, func(o Offer) bool { return o.Paused || o.Secret || o.Bearer != "" }) {
		space = " " + pausedSpace
	}
	p.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\"%s>\n<head><title>%s</title></head>\n<body>",
		space, escapeAttribute(title))
	for _, o := range list {
		p.enter(strings.FieldsFunc(o.Folder, func(r rune) bool { return r == '/' }))
		own := ""
		if o.Paused {
			own += " " + pausedAttribute + `="true"`
		}
		if o.Secret {
			own += " " + secretAttribute + `="true"`
		}
		if o.Bearer != "" {
			own += " " + bearerAttribute + `="` + escapeAttribute(o.Bearer) + `"`
		}
		p.line(`<outline type="rss" text="%s" title="%[1]s" xmlUrl="%s"%s/>`,
			escapeAttribute(firstOf(o.Title, digest.WithoutCredentials(o.URL))), escapeAttribute(o.URL), own)
	}
	p.enter(nil)
	p.line("</body>\n</opml>")
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("writing opml: %w", err)
	}
	return nil
}

type opmlWriter struct {
	strings.Builder
	open []string
}

func (p *opmlWriter) line(format string, args ...any) {
	p.WriteString(strings.Repeat("  ", len(p.open)))
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// enter closes and opens outlines until exactly the folders in path are open.
func (p *opmlWriter) enter(path []string) {
	same := 0
	for same < len(path) && same < len(p.open) && path[same] == p.open[same] {
		same++
	}
	for len(p.open) > same {
		p.open = p.open[:len(p.open)-1]
		p.line("</outline>")
	}
	for _, name := range path[same:] {
		p.line(`<outline text="%s" title="%[1]s">`, escapeAttribute(name))
		p.open = append(p.open, name)
	}
}

func escapeAttribute(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return ""
	}
	return b.String()
}
