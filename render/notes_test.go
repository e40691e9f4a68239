package render

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"digest/internal/catalogue"
)

func notes(n int) (out []Notice) {
	for i := range n {
		out = append(out, said(fmt.Sprintf(
			"You may have missed posts from Site %d on Thursday 19 November, 09:10–23:50. Look for them on its "+
				"website.", i))...)
	}
	return out
}

func TestNotesAreCounted(t *testing.T) {
	for _, c := range []struct {
		posts         bool
		notices       []Notice
		subject, deck string
	}{
		{false, nil, "no new posts", "no new posts"},
		{false, notes(1), "1 notice", "1 notice"},
		{false, notes(3), "3 notices", "3 notices"},
		{false, notes(200), "200 notices", "200 notices"}, // all notices, including those not shown
		{false, append(said(" ", "\r\n"), notes(1)...), "1 notice", "1 notice"},
		{true, nil, "2 posts from 1 site", "2 posts from 1 site"},
		{true, notes(1), "2 posts from 1 site", "2 posts from 1 site, 1 notice"},
		{true, notes(7), "2 posts from 1 site", "2 posts from 1 site, 7 notices"},
	} {
		p := page()
		if c.posts {
			p = page(harbour())
		}
		p.Notices = c.notices
		m := mailOf(t, p)
		if want := "Friday 20 November: " + c.subject; m.Subject != want {
			t.Errorf("subject %q, want %q", m.Subject, want)
		}
		for where, text := range map[string]string{"page": strings.ReplaceAll(shownText(t, m.HTML), "\u00a0", " "),
			"text": m.Text} {
			if !strings.Contains(text, " · "+c.deck+"\n") {
				t.Errorf("the deck %q is not in the %s", c.deck, where)
			}
		}
	}
}

// TestOnlyNotes: an edition may contain only notices.
func TestOnlyNotes(t *testing.T) {
	p := page()
	p.Notices = append(said("Small Compilers has removed its feed, so you no longer follow it."), notes(1)...)
	checkEdition(t, p)
	m := mailOf(t, p)
	for where, text := range map[string]string{"page": strings.ReplaceAll(shownText(t, m.HTML), "\u00a0", " "),
		"text": strings.Join(strings.Fields(m.Text), " ")} {
		order(t, where, text, "2 notices", p.Notices[0].Text, p.Notices[1].Text,
			"You’re receiving this email because")
		for _, never := range []string{"no new posts", "no new posts", "Nothing new", "Notices"} {
			if strings.Contains(text, never) {
				t.Errorf("the %s says %q", where, never)
			}
		}
	}
	if lead := all(all(parse(t, m.HTML), "body")[0], "div")[0]; !strings.Contains(textOf(lead), p.Notices[0].Text) {
		t.Errorf("the line of the list begins %q", textOf(lead)[:80])
	}
}

// TestNotesStandAfterThePosts: notices have their own heading, before the links at the foot.
func TestNotesStandAfterThePosts(t *testing.T) {
	p := page(harbour(), kitchen())
	p.Notices = notes(2)
	m := mailOf(t, p)
	for where, text := range map[string]string{"page": strings.ReplaceAll(shownText(t, m.HTML), "\u00a0", " "),
		"text": strings.ReplaceAll(m.Text, "  \n", " ")} {
		order(t, where, text, "Il suffit", "\nNotices\n", p.Notices[0].Text, p.Notices[1].Text,
			"You’re receiving this email because", "Unsubscribe")
	}
	if h := all(parse(t, m.HTML), "h2"); textOf(h[len(h)-1]) != "Notices" {
		t.Error("the notes have no heading for those who listen")
	}
}

func TestNoticesAreFew(t *testing.T) {
	long := "May have missed posts from " + strings.Repeat("a long name ", 60)
	heavy := strings.Repeat("é̂̃̄̅̆̇", 400) // six marks on each letter
	posts := large(300)                     // more posts than fit
	for _, c := range []struct {
		alone  bool
		notice string
		n      int
		shown  int // 0: some
	}{
		{false, long, 5, 5},
		{false, long, 6, 4}, // the fifth line counts the rest
		{false, long, 40, 4},
		{true, long, 60, 60},
		{true, long, 61, 59},
		{true, long, 5000, 59},
		{false, heavy, 5, 0},
		{true, heavy, 60, 0},
	} {
		p := page()
		if !c.alone {
			p = posts
		}
		for range c.n {
			p.Notices = append(p.Notices, said(c.notice)...)
		}
		checkEdition(t, p)
		m := mailOf(t, p)
		shown := strings.Count(m.HTML, `class="ex" style="margin:0 0 10px;`) + strings.Count(m.HTML,
			`class="ex" style="margin:0 0 18px;`)
		if shown < c.n {
			if shown--; !strings.Contains(m.Text, "\n"+
				catalogue.English().Sentence(catalogue.Key("%d more on the web").With(c.n-shown))+"\n") {
				t.Errorf("%d of %d notices are shown, and the rest is not counted", shown, c.n)
			}
		}
		if c.shown > 0 && shown != c.shown || shown == 0 {
			t.Errorf("%d of %d notices are shown, want %d", shown, c.n, c.shown)
		}
	}
}

// TestTheRestIsCounted checks the number of notices that are only on the web.
func TestTheRestIsCounted(t *testing.T) {
	n := plain.tidyNotices(said(strings.Repeat("é̂̃̄̅̆̇", 240), strings.Repeat("é̂̃̄̅̆̇", 240), "a", "b"),
		true)
	if last := n.lines[len(n.lines)-1].Text; n.all != 4 || len(n.lines) == 4 && last != "b" {
		t.Errorf("%d notices, the last %q", n.all, last)
	}
	n = plain.tidyNotices(append(notes(59),
		said(strings.Repeat("é̂̃̄̅̆̇", 240), strings.Repeat("é̂̃̄̅̆̇", 240))...), true)
	if last := n.lines[len(n.lines)-1].Text; last != "2 more on the web." {
		t.Errorf("the last is %q", last)
	}
}

// TestMovesAreTold: the notice of a move has the hosts, the full addresses and the link to undo it, in both versions.
func TestMovesAreTold(t *testing.T) {
	for _, alone := range []bool{false, true} {
		p := moved()
		if alone {
			p.Sections = nil
		}
		checkEdition(t, p)
		m := mailOf(t, p)
		for where, text := range map[string]string{"page": strings.Join(strings.Fields(shownText(t, m.HTML)), " "),
			"text": strings.Join(strings.Fields(m.Text), " ")} {
			order(t, where, text, "Small Compilers has moved from compilers.example to words.example:8443. From "+
				"now on, you’ll get the posts from the new address.",
				"Old address: https://compilers.example/feed.xml",
				"New address: https://words.example:8443/blog/feed?format=atom&key=a<b", "Use the old address again",
				"from bücher.example to xn--80ak6aa92e.com.",
				"New address: https://xn--80ak6aa92e.com/%E2%80%AEgnp.exe",
				"a.evil.example to 例え.jp.", "Old address: https://paypal.com.aaaa",
				"You’re receiving this email because")
			if strings.Contains(text, "secret") {
				t.Errorf("the %s tells a password", where)
			}
		}
	}
}

// TestRemedies: a notice links to the remedies, in both versions.
func TestRemedies(t *testing.T) {
	p := page(harbour())
	const where = "https://digest.example/feeds/7"
	p.Notices = []Notice{
		{Text: "We can’t get posts from Pear.", Links: []NoticeLink{{where, catalogue.Key("What you can do")}}},
		{Text: "We can’t get posts from Plum.", Links: []NoticeLink{{"javascript:alert(1)",
			catalogue.Key("What you can do")}}},
		{Text: "You have tried Fig for two weeks.", Links: []NoticeLink{{where + "/keep", catalogue.Key("Keep it")},
			{where + "/stop", catalogue.Key("Stop it")}}},
	}
	checkEdition(t, p)
	m := mailOf(t, p)
	order(t, "text", strings.Join(strings.Fields(m.Text), " "), "We can’t get posts from Pear. What you can do: "+
		where, "We can’t get posts from Plum.", "You have tried Fig for two weeks. Keep it: "+where+"/keep Stop it: "+
		where+"/stop")
	order(t, "HTML", textOf(all(parse(t, m.HTML), "body")[0]), "You have tried Fig for two weeks. Keep it · Stop it")
	if strings.Count(m.HTML, `href="`+where+`"`) != 1 || strings.Contains(m.HTML+m.Text, "javascript:") ||
		strings.Count(m.HTML, "What you can do") != 1 {
		t.Errorf("%s", m.HTML)
	}
}

// TestManyMoves: the limits of notices also apply to two hundred moves.
func TestManyMoves(t *testing.T) {
	for _, c := range []struct {
		posts, least, most int
	}{{0, 20, 59}, {300, 4, 4}} {
		p := large(c.posts)
		for i := range 200 {
			p.Notices = append(p.Notices, movedNotice(strings.Repeat("unbreakable", 12),
				fmt.Sprintf("https://%s.old.example/%d", strings.Repeat("a", 60), i),
				fmt.Sprintf("https://%s.new.example/%d%s", strings.Repeat("é", 20), i, strings.Repeat("path", 99))))
		}
		checkEdition(t, p)
		m := mailOf(t, p)
		shown := strings.Count(m.HTML, ">Use the old address again</a>")
		if shown < c.least || shown > c.most || shown != strings.Count(m.Text, "\nUse the old address again:\n") {
			t.Errorf("%d of 200 moves are shown beside %d posts", shown, c.posts)
		}
		if rest := fmt.Sprintf("%d more on the web.", 200-shown); !strings.Contains(m.Text, rest) {
			t.Errorf("the text does not say %q", rest)
		}
	}
}

func TestSiteName(t *testing.T) {
	for _, c := range []struct{ title, url, want string }{
		{"The Harbour Log", "https://harbour.example/feed", "The Harbour Log"},
		{" two\r\nlines\t", "", "two lines"},
		{"", "https://harbour.example:8080/feed?x=1", "harbour.example:8080"},
		{"", "https://user:secret@harbour.example/feed", "harbour.example"},
		{"\u202e\u2066", "https://harbour.example/", "harbour.example"},
		{"", "", "a site without a name"},
		{"", "http://[::1", "a site without a name"},
		{"路地の記録", "", "路地の記録"},
		{"מפת הדרכים", "", "\u2068מפת הדרכים\u2069"},
		{"24 שעות", "", "\u206824 שעות\u2069"},
		{"Linux ברכבת", "", "\u2068Linux ברכבת\u2069"},   // one letter is enough to move the digits after it
		{"\u2068a\u2069 \u2069ב", "", "\u2068a ב\u2069"}, // marks in a title are removed
		{strings.Repeat("ש", 300), "", "\u2068" + strings.Repeat("ש", 79) + "…\u2069"},
	} {
		if got := SiteName(c.title, c.url); got != c.want {
			t.Errorf("%q at %s is %q, want %q", c.title, c.url, got, c.want)
		}
	}
}

// TestNoticesKeepTheirMarks: notices keep paired marks, and no others.
func TestNoticesKeepTheirMarks(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"from \u2068מפה\u2069 between 09:10", "from \u2068מפה\u2069 between 09:10"},
		{"from \u2068מפה", "from \u2068מפה\u2069"},
		{"from מפה\u2069 and", "from מפה and"},
		{"\u2068a \u2068b\u2069 c\u2069", "\u2068a b\u2069 c"},
		{"\u2068a\u2069 and \u2068b\u2069", "\u2068a\u2069 and \u2068b\u2069"},
		{"a \u2067b\u2069 \u202ec", "a b c"},
		{"\u2068" + strings.Repeat("ש", 300) + "\u2069", "\u2068" + strings.Repeat("ש", noticeColumns-1) +
			"…\u2069"},
		{"plain", "plain"},
	} {
		if got := cleanNotice(c.in); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.in, got, c.want)
		}
	}
}

// checkMarks checks that every paragraph closes each mark that it opens.
func checkMarks(t *testing.T, m Message, doc *html.Node) {
	t.Helper()
	for _, para := range all(doc, "p") {
		if s := textOf(para); paired(s) != s {
			t.Errorf("unpaired marks in %q", s)
		}
	}
	if paired(m.Text) != m.Text {
		t.Error("unpaired marks in the text")
	}
}
