package web_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"digest"
	"digest/test/tier"

	"golang.org/x/net/html"
)

// notOurs matches Latin text that is allowed in any language: addresses and time zones, data of
// openAll, and names of programs, formats, records and settings.
var notOurs = regexp.MustCompile(
	`(?i)(America/North Dakota/)?New ` +
		`Salem|\S*(onau)?dampfschiff\S*|\S*fahrt\S*|\S+@\S+|https?:\S+|\S+\.(example|com|org|net|md|xml|html|txt)\b\S*|[a-z]\w+/[a-z]\w+(/\w+)?|#[0-9a-f]{6}|` +
		`x{9,}\S*|y{9,}\S*|[ab]{9,}\S*|(A )?short one, no|Anna &|\bco\b|News\b|Notes\b|Approved\.|Another of its ` +
		`own|A letter's own|Tom\b|\bcat\b|\blong\b|\bEmpty\b|Paris\b|no\. 4|\(as \S+ said\)|anna-writes|_domainkey|` +
		`\b(API|IP|PIN|ping|User-Agent|CET|DMARC|SPF|DKIM|Message-ID|Atom|RSS|OPML|XML-RPC|XML|JSON|CSV|ZIP|GIF|JPEG|PNG|DNS|TXT|UTC|WebSub|OpenAPI|JavaScript|ETag|Last-Modified|Link|MB|xmlUrl|Not Found|Daily Digest|digest (serve|work|doctor)|DIGEST_\w+)\b|` +
		`\b(digest|Buttondown|Ghost|Mailchimp|Mastodon|Substack|YouTube|listmonk|email,name,` +
		`joined_at|email)\b|\b(after|site|category):|\{\w+\}|category`)

// TestNoEnglishIsLeft checks that the pages of openAll contain no English words for an Arabic
// reader. Text that is marked as English, such as messages of mail servers, is allowed.
func TestNoEnglishIsLeft(t *testing.T) {
	tier.Alone(t)
	t.Parallel()
	p := allPagesIn(t, "ar", digest.LeftToRight)
	word := regexp.MustCompile(`[A-Za-z’]{2,}( [A-Za-z’]+)*`)
	left := map[string]string{}
	for i, a := range p.answers {
		for _, said := range a.said() {
			for _, words := range word.FindAllString(notOurs.ReplaceAllString(said, "|"), -1) {
				left[words] = p.names[i] + ": " + said
			}
		}
	}
	for _, words := range slices.Sorted(maps.Keys(left)) {
		t.Errorf("%q is said by %.300s", words, left[words])
	}
}

// said returns all text of a page, including the labels of controls. It skips code, keys and text
// in another marked language, which are not translated.
func (a answer) said() (all []string) {
	a.t.Helper()
	root, err := html.Parse(strings.NewReader(a.body))
	if err != nil {
		a.t.Fatal(err)
	}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode {
			if lang, ok := attr(n, "lang"); slices.Contains([]string{"script", "style", "noscript", "code", "kbd",
				"pre", "datalist"}, n.Data) || ok && lang != "ar" {
				return
			}
			for _, at := range n.Attr {
				if slices.Contains([]string{"aria-label", "title", "alt", "placeholder"}, at.Key) ||
					strings.HasPrefix(at.Key, "data-") && strings.Contains(at.Val, " ") {
					all = append(all, at.Val)
				}
			}
		}
		if n.Type == html.TextNode {
			all = append(all, strings.Join(strings.Fields(n.Data), " "))
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	walk(root)
	return all
}
