package render

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"digest"
)

func TestSubject(t *testing.T) {
	date := digest.Date{Year: 2026, Month: time.November, Day: 20}
	for _, c := range []struct {
		date         digest.Date
		posts, sites int
		want         string
	}{
		{date, 12, 7, "Friday 20 November: 12 posts from 7 sites"},
		{date, 1, 1, "Friday 20 November: 1 post from 1 site"},
		{date, 2, 1, "Friday 20 November: 2 posts from 1 site"},
		{date, 0, 0, "Friday 20 November: no new posts"},
		// no leading zero
		{digest.Date{Year: 2027, Month: time.January, Day: 1}, 2, 2, "Friday 1 January: 2 posts from 2 sites"},
		{digest.Date{Year: 2028, Month: time.February, Day: 29}, 2, 2, "Tuesday 29 February: 2 posts from 2 sites"},
		{date, 1500, 30, "Friday 20 November: 1,500 posts from 30 sites"}, // all posts, including those not shown
	} {
		p := page()
		p.Date = c.date
		p.Sections = make([]Section, c.sites+1) // one without posts, which does not count
		for i := range c.posts {
			s := &p.Sections[i%c.sites]
			s.Posts = append(s.Posts, plain.Post(post("https://a.example/", "A title", "", "", 0)))
		}
		m := mailOf(t, p)
		if m.Subject != c.want {
			t.Errorf("subject %q, want %q", m.Subject, c.want)
		}
	}
}

func TestRefusesAPageWithoutAWayOut(t *testing.T) {
	for name, spoil := range map[string]func(*Edition){
		"no unsubscribe link": func(p *Edition) { p.UnsubscribeURL = "" },
		"a mailto":            func(p *Edition) { p.UnsubscribeURL = "mailto:a@b.example" },
		"a relative home":     func(p *Edition) { p.HomeURL = "/" },
		"a bad web link":      func(p *Edition) { p.WebURL = "javascript:alert(1)" },
		"no date":             func(p *Edition) { p.Date = digest.Date{} },
	} {
		p := typical()
		spoil(&p)
		if _, err := plain.Mail(p); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestStructure reads the page like a screen reader.
func TestStructure(t *testing.T) {
	m := mailOf(t, typical())
	doc := parse(t, m.HTML)
	if h := all(doc, "h1"); len(h) != 1 || textOf(h[0]) != "Daily Digest" {
		t.Errorf("h1 is not the nameplate")
	}
	if n := len(all(doc, "h2")); n != 7 {
		t.Errorf("%d h2 for 7 sites", n)
	}
	if n := len(all(doc, "h3")); n != 12 {
		t.Errorf("%d h3 for 12 posts", n)
	}
	for _, table := range all(doc, "table") {
		if attr(table, "role") != "presentation" {
			t.Error("a layout table without role")
		}
	}
	body := all(doc, "body")[0]
	lead := all(body, "div")[0]
	if !strings.Contains(attr(lead, "style"), "display:none") ||
		!strings.Contains(textOf(lead), "The fog signal goes quiet") {
		t.Errorf("the body does not begin with a hidden preheader")
	}
	if n := len(all(doc, "style")); n != 2 {
		t.Errorf("%d style elements: dark rules must be apart", n)
	}
}

// TestScripts: every text states its language, and has its direction.
func TestScripts(t *testing.T) {
	m := mailOf(t, typical())
	doc := parse(t, m.HTML)
	for _, c := range []struct{ title, lang, dir string }{
		{"銭湯の煙突が消える日、神田に残った最後の一本", "ja", "auto"},
		{"المخبز الذي لا يغلق أبوابه: ليلة كاملة أمام الفرن", "ar", "rtl"},
		// its first letter is Latin
		{"Linux ברכבת: איך לוח הזמנים התחיל סוף סוף לדייק", "he", "rtl"},
		{"Soupe au potimarron, sans crème et sans regret", "fr", "auto"},
	} {
		found := 0
		for _, a := range all(doc, "a") {
			if textOf(a) != c.title {
				continue
			}
			found++
			if lang, dir := inherited(a, "lang"), inherited(a, "dir"); lang != c.lang || dir != c.dir {
				t.Errorf("%s: lang %q dir %q, want %q %q", c.title, lang, dir, c.lang, c.dir)
			}
		}
		if found != 1 {
			t.Errorf("%s: linked %d times", c.title, found)
		}
	}
}

func inherited(n *html.Node, name string) string {
	for ; n != nil; n = n.Parent {
		if v := attr(n, name); v != "" {
			return v
		}
	}
	return ""
}

// TestHostilePosts: text of a feed never becomes markup, a header or a second line.
func TestHostilePosts(t *testing.T) {
	p := page(sampleSite{"Evil\r\nBcc: x@y.example</h2><script>", "javascript:alert(1)", `en" onload="x`, []digest.Post{
		post(`https://a.example/"onmouseover="alert(1)`, "Hi\r\nSubject: spoofed <script>alert(1)</script> \"'`",
			"</p><img src=x onerror=alert(1)>", "<iframe src=//evil.example></iframe>&lt;b&gt;\u202egnp.exe", 0),
		post("javascript:alert(1)", "Not a link", "", "", 0),
		post("data:text/html,<script>", "Nor is this", "", "", 0),
		post("https://user:secret@bank.example@evil.example/", "Nor one that hides its host", "", "", 0),
	}})
	p.Name = "Paper</title><script>\nX: y"
	p.Recipient = `"<b>"@example.org`
	p.Notices = said("<script>", "\r\n.\r\n")
	m := mailOf(t, p)
	doc := parse(t, m.HTML)
	allowed := map[string]bool{}
	for _, tag := range strings.Fields("html head meta title style body div table tbody tr td h1 h2 h3 p a") {
		allowed[tag] = true
	}
	attrs := map[string]bool{}
	for _, name := range strings.Fields(
		"lang dir id charset name content style class role aria-label aria-roledescription width align " +
			"cellpadding cellspacing border href") {
		attrs[name] = true
	}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && !allowed[n.Data] {
			t.Errorf("element %s", n.Data)
		}
		for _, a := range n.Attr {
			if n.Type == html.ElementNode && !attrs[a.Key] {
				t.Errorf("attribute %s=%q", a.Key, a.Val)
			}
		}
	}
	if n := len(all(doc, "a")); n != 4 { // one valid address of a post, and three of the frame
		t.Errorf("%d links", n)
	}
	if strings.ContainsAny(m.HTML+m.Text, "\r\u202e") {
		t.Error("a control character came through")
	}
	for line := range strings.Lines(m.Text) {
		if strings.HasPrefix(line, "Bcc:") || strings.HasPrefix(line, "Subject:") {
			t.Errorf("line %q", line)
		}
	}
}

// TestWhatGivesWay checks the order in which a large edition loses detail.
func TestWhatGivesWay(t *testing.T) {
	for _, c := range []struct {
		posts          int
		most           int  // maximum number of complete long excerpts; every fifth post has one
		below          bool // some posts are below the list of sites
		every, omitted bool // every post is below; some are only on the web
	}{
		{20, 4, true, true, false},
		{100, 19, true, true, false}, // excerpts become shorter first, as many as necessary
		{200, 0, true, false, false}, // then posts become headlines
		{900, 0, false, false, true}, // then headlines are omitted
	} {
		p := large(c.posts)
		m := mailOf(t, p)
		doc := parse(t, m.HTML)
		if got := strings.Count(m.HTML, "nobody in the village slept well."); got > c.most ||
			(got > 0) != (c.most > 0) {
			t.Errorf("%d posts: %d whole excerpts, want %d", c.posts, got, c.most)
		}
		h3 := len(all(doc, "h3"))
		if (h3 > 0) != c.below || (h3 == c.posts) != c.every {
			t.Errorf("%d posts: %d below the index", c.posts, h3)
		}
		if (m.Omitted > 0) != c.omitted || strings.Contains(m.HTML, "more on the web") != c.omitted ||
			strings.Contains(m.Text, "more on the web") != c.omitted {
			t.Errorf("%d posts: %d omitted", c.posts, m.Omitted)
		}
		if len(all(doc, "h2")) == 0 {
			t.Errorf("%d posts: no site is a heading", c.posts)
		}
		if c.below && !c.every {
			if n := len(all(doc, "h2")); n != len(p.Sections) {
				t.Errorf("%d posts: %d of %d sites keep an excerpt", c.posts, n, len(p.Sections))
			}
		}
	}
}

func TestTextLines(t *testing.T) {
	m := mailOf(t, typical())
	for line := range strings.Lines(m.Text) {
		line = strings.TrimRight(line, " \n")
		if widthOf(line) > textColumns && !strings.Contains(line, "https://") {
			t.Errorf("%d columns: %s", widthOf(line), line)
		}
	}
}
