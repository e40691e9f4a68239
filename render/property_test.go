package render

import (
	"fmt"
	"io"
	"math/rand/v2"
	"mime/quotedprintable"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"digest"
	"digest/test/tier"
)

// TestAnyEdition checks editions of many sizes: the limits, the unsubscribe link, well-formed HTML, and the same
// content in both versions.
func TestAnyEdition(t *testing.T) {
	tier.Alone(t)
	rng := rand.New(rand.NewPCG(1, 2))
	sizes := []int{0, 1, 2, 3, 12, 40, 90, 150, 300, 301, 700, 2000}
	for range 12 {
		sizes = append(sizes, 1+rng.IntN(1200))
	}
	for i, n := range sizes {
		t.Run(fmt.Sprintf("%d-%d", i, n), func(t *testing.T) { checkEdition(t, randomPage(rng, n)) })
	}
}

func mailOf(t testing.TB, p Edition) Message {
	t.Helper()
	m, err := plain.Mail(p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkedMail renders an edition and checks the limits of both forms.
func checkedMail(t *testing.T, p Edition) Message {
	t.Helper()
	m := mailOf(t, p)
	coded, err := plain.EncodedMail(p)
	if err != nil {
		t.Fatal(err)
	}
	checkSizes(t, m, coded)
	checkDecodes(t, coded.HTML, m.HTML)
	checkDecodes(t, coded.Text, m.Text)
	return m
}

func checkEdition(t *testing.T, p Edition) {
	t.Helper()
	m := checkedMail(t, p)
	posts := 0
	for _, s := range p.Sections {
		posts += s.count()
	}
	if m.Shown+m.Omitted != posts {
		t.Errorf("%d shown and %d omitted are not %d posts", m.Shown, m.Omitted, posts)
	}
	if m.Omitted > 0 && m.Shown < 20 {
		t.Errorf("only %d of %d posts fit", m.Shown, posts)
	}
	doc := parse(t, m.HTML)
	checkLinks(t, doc, m.Text)
	checkShown(t, p, m, doc)
	checkLate(t, p, m)
	checkMarks(t, m, doc)
	for name, u := range map[string]string{"unsubscribe": p.UnsubscribeURL, "home": p.HomeURL, "web": p.WebURL} {
		if !hasLink(doc, u) || !strings.Contains(m.Text, u+"\n") {
			t.Errorf("the %s link %s is missing", name, u)
		}
	}
	if !strings.HasSuffix(m.HTML, "</html>\n") {
		t.Error("the page has no end")
	}
	if strings.ContainsAny(m.Subject, "\r\n") || len(m.Subject) > 100 {
		t.Errorf("subject %q", m.Subject)
	}
}

func checkSizes(t *testing.T, m Message, coded EncodedMessage) {
	t.Helper()
	if len(m.HTML) > 95_000 {
		t.Errorf("the HTML has %d bytes", len(m.HTML))
	}
	base64 := len(m.HTML) * 4 / 3
	if n := len(strings.Join(coded.HTML, "")); min(n, base64) > 100_000 {
		t.Errorf("the HTML has %d bytes when encoded", n)
	}
	var std strings.Builder
	w := quotedprintable.NewWriter(&std)
	_, _ = io.WriteString(w, m.HTML)
	_ = w.Close()
	if min(std.Len(), base64) > 100_000 {
		t.Errorf("the HTML has %d bytes when encoded by the standard library", std.Len())
	}
	if len(m.Text) > 100_000 {
		t.Errorf("the text has %d bytes", len(m.Text))
	}
}

func checkDecodes(t *testing.T, blocks []string, want string) {
	t.Helper()
	var apart strings.Builder
	for _, b := range blocks {
		if b != "" && !strings.HasSuffix(b, "\r\n") || strings.HasSuffix(b, "=\r\n") || strings.HasPrefix(b, ".") {
			t.Fatalf("the block %q cannot stand between any two others", b)
		}
		apart.WriteString(piece{coded: b}.decoded())
	}
	if apart.String() != want {
		t.Error("the blocks by themselves are not the plain version")
	}
	coded := strings.Join(blocks, "")
	got, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(coded)))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != strings.ReplaceAll(want, "\n", "\r\n") {
		t.Error("the encoded version is not the plain one")
	}
	for line := range strings.SplitSeq(coded, "\r\n") {
		if len(line) > 76 || strings.ContainsAny(line, "\r\n") || strings.HasSuffix(line, " ") ||
			strings.HasPrefix(line, ".") {
			t.Fatalf("bad line %q", line)
		}
	}
}

// checkLinks checks that every link of the page is http(s), and that the text version has it too.
func checkLinks(t *testing.T, doc *html.Node, text string) {
	t.Helper()
	lines := map[string]bool{}
	for line := range strings.Lines(text) {
		lines[line[strings.LastIndexByte(strings.TrimRight(line, "\n"), ' ')+1:len(line)-1]] = true
	}
	for _, a := range all(doc, "a") {
		href := attr(a, "href")
		if name, within := strings.CutPrefix(href, "#"); within {
			if !strings.Contains(text, textOf(a)) || !hasAnchor(doc, name) {
				t.Errorf("the contents lead to %s, which is not there", textOf(a))
			}
			continue
		}
		u, err := url.Parse(href)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			t.Errorf("link %q", href)
		}
		if !lines[href] {
			t.Errorf("link %s is not in the text", href)
		}
	}
}

// checkShown checks that the promised number of posts have a headline with a link to the author's page.
func checkShown(t *testing.T, p Edition, m Message, doc *html.Node) {
	t.Helper()
	linked := map[string]string{}
	for _, a := range all(doc, "a") {
		linked[attr(a, "href")] = strings.TrimSpace(textOf(a))
	}
	shown := 0
	for _, s := range p.Sections {
		for i := range s.count() {
			if b := s.post(i); linked[b.URL] == b.Title || b.Untitled && linked[b.URL] != "" {
				shown++
			}
		}
	}
	if shown != m.Shown {
		t.Errorf("%d posts are linked, %d are said to be shown", shown, m.Shown)
	}
	if n := len(all(doc, "h1")); n != 1 {
		t.Errorf("%d h1", n)
	}
	if n := len(all(doc, "img")) + len(all(doc, "script")) + len(all(doc, "link")); n != 0 {
		t.Errorf("%d elements that load something", n)
	}
}

// parse parses HTML, and fails if the parser has to repair it.
func parse(t *testing.T, page string) *html.Node {
	t.Helper()
	checkNesting(t, page)
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// checkNesting checks that every element is closed, in the right order.
func checkNesting(t *testing.T, page string) {
	t.Helper()
	var open []string
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 || z.Err() != io.EOF {
				t.Errorf("left open: %v (%v)", open, z.Err())
			}
			return
		case html.StartTagToken:
			if name, _ := z.TagName(); !slices.Contains([]string{"meta", "br", "img"}, string(name)) {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				t.Fatalf("</%s> closes %v", name, open)
			}
			open = open[:len(open)-1]
		}
	}
}

func all(n *html.Node, tag string) []*html.Node {
	var out []*html.Node
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == tag {
			out = append(out, d)
		}
	}
	return out
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func hasAnchor(doc *html.Node, name string) bool {
	for _, h := range all(doc, "h2") {
		if attr(h, "id") == name {
			return true
		}
	}
	return false
}

func hasLink(doc *html.Node, address string) bool {
	for _, a := range all(doc, "a") {
		if attr(a, "href") == address {
			return true
		}
	}
	return false
}

// randomPage returns an edition of n posts of random sites. Some texts are long, wide, right to left, or hostile.
func randomPage(rng *rand.Rand, n int) Edition {
	p := page()
	for i := 0; i < n; {
		s := Section{Title: randomText(rng, 120), URL: fmt.Sprintf("https://site%d.example/", rng.IntN(50))}
		for k := 1 + rng.IntN(12); k > 0 && i < n; k, i = k-1, i+1 {
			s.Posts = append(s.Posts, plain.Post(digest.Post{
				URL:   fmt.Sprintf("https://site.example/%d/%s", i, strings.Repeat("x", rng.IntN(120))),
				Title: randomText(rng, 1+rng.IntN(250)), Author: randomText(rng, 40),
				Summary: randomText(rng, rng.IntN(900)), Language: "en",
			}))
		}
		s.Late = max(0, rng.IntN(2*len(s.Posts)+1)-len(s.Posts))
		p.Sections = append(p.Sections, s)
	}
	for range rng.IntN(9) {
		p.Notices = append(p.Notices, said("You may have missed posts from "+SiteName(randomText(rng, 120), "")+
			" on Thursday 19 November, 09:10–23:50. Look for them on its website.")...)
	}
	return p
}

func randomText(rng *rand.Rand, n int) string {
	words := []string{
		"the", "quick", "harbour", "<script>alert(1)</script>", `"quoted"`, "a=b", "&amp;",
		"銭湯の煙突が消える日",
		"المخبز", "ברכבת", "é́́́́́́́́́", "👩‍👩‍👧‍👦", strings.Repeat("long", 40),
		"\r\n", "\u202e", "\x00", "\xff", "ก็", "=",
	}
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[rng.IntN(len(words))] + " ")
	}
	return b.String()
}
