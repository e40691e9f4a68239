package feed

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// The limits for the links in a page: their number, the bytes of one link's words, and the number of Leads and Parts.
const (
	maxAnchors = 1000
	maxAnchor  = 300
	maxLeads   = 20
	maxParts   = 4
)

// An anchor is an open link in the text of a page.
type anchor struct {
	href, title, typ string
	words            strings.Builder
}

// add adds words to a link; a nil anchor ignores them.
func (a *anchor) add(words string) {
	if a != nil && a.words.Len() < maxAnchor {
		a.words.WriteString(words[:min(len(words), maxAnchor)] + " ")
	}
}

func (r *pageReader) beginAnchor(tag html.Token) {
	href := valueOf(tag.Attr, "href")
	if href == "" || href[0] == '#' || len(href) > maxAddress {
		return
	}
	r.anchor = &anchor{href: href, title: valueOf(tag.Attr, "title"), typ: valueOf(tag.Attr, "type")}
	r.anchor.add(r.anchor.title)
	r.anchor.add(valueOf(tag.Attr, "aria-label"))
	r.anchor.addClass(tag)
}

// addClass adds the classes of an icon that show a link's purpose, such as fa-rss and icon-rss.
func (a *anchor) addClass(tag html.Token) {
	if class := valueOf(tag.Attr, "class"); a != nil && strings.Contains(class, "rss") {
		a.add(class)
	}
}

// endAnchor adds the closed link to Leads or Parts if it may be one.
func (r *pageReader) endAnchor() {
	a := r.anchor
	if r.anchor = nil; a == nil || r.anchors >= maxAnchors {
		return
	}
	words := strings.ToLower(singleSpaced(a.words.String()))
	if !a.isPromising(words) {
		return
	}
	r.anchors++
	href := resolve(r.base, a.href)
	if u, err := url.Parse(href); err == nil && isFeedReader(u.Hostname()) {
		a.href, href, a.typ = "", subscribed(u), "application/rss+xml"
	}
	switch likely := likelyFeed(a.href, href, strings.ToLower(a.typ), words, r.address); {
	case likely > 0 && len(r.Leads) < maxLeads:
		same := func(o Offer) bool { return o.URL == href }
		if !slices.ContainsFunc(r.Leads, same) {
			r.Leads = append(r.Leads, Offer{URL: strings.Clone(href),
				Title: shorten(singleSpaced(firstOf(a.title, words)), maxTitle), likely: likely})
		}
	case likely == 0 && isPart(href, words, r.address):
		r.addPart(href)
	}
}

// isPromising reports whether a link may be one of Leads or Parts. It avoids the cost of resolving other links.
func (a *anchor) isPromising(words string) bool {
	address := strings.ToLower(a.href)
	contains := func(part string) bool { return strings.Contains(address, part) }
	return slices.ContainsFunc(promises, contains) ||
		a.typ != "" || feedWord.MatchString(words) || partNames[strings.Trim(words, wordEnds)] ||
		slices.ContainsFunc(strings.FieldsFunc(address, func(r rune) bool { return r == '/' || r == '.' }),
			func(part string) bool { return partNames[part] })
}

// promises are in addresses of feeds.
var promises = strings.Fields("rss feed atom rdf xml syndicat backend pcast itpc: podcast subscribe")

// wordEnds are punctuation marks around the words of a link.
const wordEnds = " →»›"

func (r *pageReader) addPart(href string) {
	if len(r.Parts) < maxParts && isWeb(href) && SameSite(href, r.address) && !samePage(href, r.address) &&
		!slices.Contains(r.Parts, href) {
		r.Parts = append(r.Parts, strings.Clone(href))
	}
}

func (r *pageReader) sortLeads() {
	slices.SortStableFunc(r.Leads, func(a, b Offer) int { return b.likely - a.likely })
}

var (
	feedWord = regexp.MustCompile(
		`(^|[^\pL\pN])((rss2?|atom|rdf)($|[^\pL\pN])|((rss|web|news|podcast|atom)-?)?feeds?($|[^\pL\pN-])|` +
			`syndicat(e|ion)($|[^\pL\pN]))`)
	feedName = regexp.MustCompile(
		`^(rss2?|atom|feeds?|rdf|backend|syndication)$|` +
			`^(rss2?|atom|feed|index|news|blog|podcast|all|latest|posts|backend|syndication)` +
			`\.(xml|rss|rdf|atom|php|json)$|` +
			`\.(rss|rdf|atom)$|(^|[._-])(rss|feed|atom)([._-][\w-]*)?\.xml$`)
	feedAsk = regexp.MustCompile(
		`(^|&)(feed|format|type|alt|mode|view|output|_t)=(rss|rss2|atom|rdf|feed|xml)[\w.]*(&|$)`)
)

// likelyFeed returns how likely a link is a feed: 3 by its scheme or type, 2 by its address, 1 only by its words, 0
// not at all.
func likelyFeed(written, href, typ, words, page string) int {
	if scheme, _, found := strings.Cut(written, ":"); found && isFeedScheme(scheme) {
		return 3
	}
	u, err := url.Parse(href)
	if err != nil || !isWeb(href) || samePage(href, page) || strings.Contains(u.Path, "/wiki/") {
		return 0
	}
	own := SameSite(href, page)
	name := strings.ToLower(path.Base(u.Path))
	switch says := feedWord.MatchString(words); {
	case typ != "" && isFeedType(typ) && !isXML(typ) && typ != "application/json":
		return 3
	case name == "index.php" || name == "index.xml" && !says && !own:
		return 0
	case feedName.MatchString(name) && !strings.HasSuffix(name, ".php"),
		feedAsk.MatchString(strings.ToLower(u.RawQuery)):
		if own || says || isFeedHost(u.Hostname()) {
			return 2
		}
	case says && (own || isFeedHost(u.Hostname())) && !isFile(name):
		if feedName.MatchString(name) {
			return 2
		}
		return 1
	}
	return 0
}

// isFile reports whether a name has the extension of a picture, a document or a program.
func isFile(name string) bool {
	return fileEnds[path.Ext(name)]
}

var fileEnds = setOf(".png .gif .jpg .jpeg .svg .webp .pdf .zip .css .js .opml .mp3")

// isFeedHost reports whether a host serves feeds of other sites.
func isFeedHost(host string) bool {
	first, _, _ := strings.Cut(host, ".")
	return slices.Contains([]string{"feeds", "feed", "rss", "feeds2", "feedproxy", "anchor"}, first) ||
		strings.HasPrefix(host, "feeds-")
}

var partNames = setOf(`blog blogs weblog news newsroom journal posts articles writing writings notes diary updates
	stories essays magazine press changelog podcast episodes releases archive aktuelles neuigkeiten nachrichten
	beiträge artikel actualités actualites actus nouvelles noticias notícias artículos articulos entradas novedades
	artigos novidades nieuws notizie новости блог ブログ ニュース お知らせ 新着情報 新闻 博客 مدونة المدونة أخبار الأخبار`)

func isPart(href, words, page string) bool {
	u, err := url.Parse(href)
	if err != nil || !isWeb(href) || !SameSite(href, page) || u.RawQuery != "" {
		return false
	}
	host, _, _ := strings.Cut(u.Hostname(), ".")
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	last := strings.TrimSuffix(strings.ToLower(parts[len(parts)-1]), path.Ext(u.Path))
	switch {
	case len(parts) > 2:
		return false
	case parts[0] == "":
		return host != "www" && partNames[host]
	}
	return partNames[last] || partNames[strings.Trim(words, wordEnds)]
}
