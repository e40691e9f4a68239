package render

import (
	"fmt"
	"strings"
	"testing"

	"digest"
	"digest/internal/hypertext"
	"digest/test/tier"
)

// essays returns an edition of full texts with these numbers of words.
func essays(words ...int) Edition {
	s := sampleSite{"Essays", "https://essays.example/", "en", nil}
	for i, n := range words {
		content := strings.Repeat("<p>"+strings.Repeat("plain words ", 40)+
			"</p>\n", n/80) + fmt.Sprintf("<p>The end of %d.</p>", i)
		s.posts = append(s.posts, written(fmt.Sprintf("https://essays.example/%d", i), fmt.Sprintf("Essay %d", i), "en",
			content))
	}
	return looking(digest.Look{Layout: digest.FullText}, s)
}

// TestFullTextsShareTheRoom: if texts are too long together, short ones stay whole. Long ones are cut at about the same
// length and link to the rest.
func TestFullTextsShareTheRoom(t *testing.T) {
	m, err := plain.EncodedMail(essays(8000, 300, 9000, 400, 20_000))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Join(m.HTML, "")); n > maxCoded || n < maxCoded*9/10 {
		t.Errorf("%d bytes of %d are used", n, maxCoded)
	}
	plain := mailOf(t, essays(8000, 300, 9000, 400, 20_000))
	posts := strings.Split(plain.HTML, "<h3")[1:]
	longest, shortest := 0, len(plain.HTML)
	for i, p := range posts {
		whole, onward := strings.Contains(p, fmt.Sprintf("The end of %d.", i)),
			strings.Contains(p, "Continue reading at essays.example</a>")
		if short := i == 1 || i == 3; whole != short || onward == short {
			t.Errorf("post %d: whole %t, continued %t", i, whole, onward)
		} else if !short {
			longest, shortest = max(longest, strings.Count(p, "plain")), min(shortest, strings.Count(p, "plain"))
		}
	}
	if longest-shortest > 40 {
		t.Errorf("one post is cut at %d, another at %d", shortest, longest)
	}
	if n := strings.Count(plain.Text, "\nContinue reading at essays.example:\nhttps://essays.example/"); n != 3 {
		t.Errorf("the text leads on %d times", n)
	}
}

// TestFullTextsGiveWay: too many full texts become excerpts with a link to the rest. If these are still too many, the
// edition loses detail like one of excerpts.
func TestFullTextsGiveWay(t *testing.T) {
	tier.Alone(t)
	for _, c := range []struct{ posts, onward, shown int }{{5, 0, 5}, {60, 60, 60}, {160, 0, 160}} {
		words := make([]int, c.posts)
		for i := range words {
			words[i] = 240 + c.posts*20
		}
		m := mailOf(t, essays(words...))
		if n := strings.Count(m.HTML, "Continue reading"); n != c.onward || m.Shown != c.shown {
			t.Errorf("%d posts: %d lead on, %d are shown; want %d and %d", c.posts, n, m.Shown, c.onward, c.shown)
		}
	}
}

// TestMarkupThatMultiplies: unclosed elements continue in every later paragraph. For such a post, stored before the
// parser rejected them, the email shows the words and a note.
func TestMarkupThatMultiplies(t *testing.T) {
	var open strings.Builder
	for i := range 190 {
		fmt.Fprintf(&open, "<b id=%d>", i)
	}
	p := New(testProxy).Post(written("https://a.example/1", "T", "en", open.String()+strings.Repeat("<p>a", 500)))
	mail := p.body(digest.NoImages, nil)
	web, _ := p.WebText(2, true, nil)
	for _, got := range []string{mail.all.html.decoded(), mail.all.text.decoded(), web.HTML} {
		if !strings.Contains(strings.Join(strings.Fields(got), " "), hypertext.Note) ||
			!strings.Contains(got, "a a a") || len(got) > 10_000 {
			t.Errorf("%d bytes: %.500s", len(got), got)
		}
	}
}

// TestPictures: pictures are off, replaced by words, linked, or loaded through this instance only. Tracking pixels
// appear in none of these.
func TestPictures(t *testing.T) {
	const content = `<p>Text.</p><img src="https://far.example/wheel.jpg" alt="The wheel" width="1200" height="800">
		<img src="https://count.example/p.gif" width="1" height="1">`
	site := sampleSite{"A", "https://a.example/", "en",
		[]digest.Post{written("https://a.example/1", "T", "en", content)}}
	for images, want := range map[digest.Images]string{
		digest.NoImages:     `>[Picture: The wheel]</span>`,
		digest.LinkedImages: `<a href="https://far.example/wheel.jpg" style="color:#8f2d1f">[Picture: The wheel]</a>`,
		digest.ProxiedImages: `<img src="` +
			testProxy("https://far.example/wheel.jpg") + `" alt="The wheel" width="600" height="400"`,
	} {
		m := mailOf(t, looking(digest.Look{Layout: digest.FullText, Images: images}, site))
		if !strings.Contains(m.HTML, want) || strings.Contains(m.HTML+m.Text, "count.example") ||
			!strings.Contains(m.Text, "[Picture: The wheel]") {
			t.Errorf("%s: no %s, or what only counts:\n%s\n%s", images, want, m.HTML, m.Text)
		}
		if far := strings.Contains(m.HTML, "far.example"); far != (images == digest.LinkedImages) {
			t.Errorf("%s: the picture's own address is in it: %t", images, far)
		}
		p := looking(digest.Look{Layout: digest.Excerpts, Images: images}, site)
		if strings.Contains(mailOf(t, p).HTML, "<img") {
			t.Errorf("%s: an excerpt has a picture that its post does not lead with", images)
		}
	}
}

// TestHeadlinesAlone: an edition of headlines has bylines and no other text of the posts.
func TestHeadlinesAlone(t *testing.T) {
	m := mailOf(t, headlines())
	for _, part := range []string{m.HTML, m.Text} {
		if strings.Contains(part, "the keeper pressed") || !strings.Contains(part, "Maud Pell · 6 min read") ||
			strings.Count(part, "https://harbour.example/2026/11/fog-signal") != 1 {
			t.Errorf("not headlines alone:\n%s", part)
		}
	}
}

// TestThreadedSubject: all editions of a threaded digest have the same subject, so that clients group them. The date is
// in the preheader.
func TestThreadedSubject(t *testing.T) {
	first, second := threaded(), threaded()
	second.Date.Day++
	second.Sections = second.Sections[:1]
	a := mailOf(t, first)
	b := mailOf(t, second)
	if a.Subject != "Daily Digest" || b.Subject != a.Subject {
		t.Errorf("subjects %q and %q", a.Subject, b.Subject)
	}
	if !strings.Contains(b.HTML, "\nSaturday 21 November: The fog signal") {
		t.Error("the preheader does not say the day")
	}
	second.Name = strings.Repeat("ף", 60)
	if b = mailOf(t, second); len(b.Subject) > maxSubject {
		t.Errorf("a subject of %d bytes", len(b.Subject))
	}
}

// TestLeadSubject: the subject is the headline of the lead with the names of other sites. It is one short line without
// characters that hide or reverse text. The preheader then has the next headlines.
func TestLeadSubject(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(*Edition)
		want   string
		leaves bool // the subject is not the headline
	}{
		{"a headline", func(*Edition) {}, "The fog signal", false},
		{"a long one", func(e *Edition) { lead(e, digest.Post{Title: strings.Repeat("ך מ", 100)}) }, "", false},
		{"one that would be two fields",
			func(e *Edition) { lead(e, digest.Post{Title: "A\r\nBcc: b@example.org\u202e\u0000"}) },
			"A Bcc: b@example.org", false},
		{"a note without a title", func(e *Edition) { lead(e, digest.Post{Untitled: true, Summary: "I saw a whale."}) },
			"Soupe au potimarron", false},
		{"headlines", func(e *Edition) { e.Layout = digest.Headlines }, "The fog signal", false},
		{"no new posts", func(e *Edition) { e.Sections = nil }, "Friday 20 November: no new posts", true},
		{"one conversation", func(e *Edition) { e.Threaded = true }, "Daily Digest", true},
		{"a newsletter", func(e *Edition) { e.Newsletter = true }, "Daily Digest, 20 November: 12 posts from 7 sites",
			true},
		{"a newsletter with a pattern", func(e *Edition) { e.Newsletter, e.SubjectPattern = true, "{title} · {name}" },
			"The fog signal goes quiet after 140 years · Daily Digest", false},
	} {
		e := typical()
		e.DateSubject = false
		c.spoil(&e)
		m := mailOf(t, e)
		if c.want != "" && !strings.HasPrefix(m.Subject, c.want) || len(m.Subject) > maxSubject ||
			strings.ContainsFunc(m.Subject, dropped) {
			t.Errorf("%s: the subject is %q", c.name, m.Subject)
		}
		preheader := textOf(all(all(parse(t, m.HTML), "body")[0], "div")[0])
		headline, _, _ := strings.Cut(m.Subject, " · ")
		if !c.leaves && (strings.Contains(preheader, headline) || !strings.Contains(preheader, " posts from ")) {
			t.Errorf("%s: the preheader is %q", c.name, preheader)
		}
	}
}

func lead(e *Edition, p digest.Post) {
	e.Sections[0].Posts = append([]*Post{plain.Post(p)}, e.Sections[0].Posts...)
}

// TestSetInItsScript checks the styles that only right-to-left and East Asian texts need.
func TestSetInItsScript(t *testing.T) {
	m := mailOf(t, scripts())
	for what, want := range map[string]string{
		"the text runs from the right":     `<div class="tx" dir="rtl" style="text-align:right;`,
		"lists are set in from the right":  `<ul style="margin:0 0 16px;padding:0 26px 0 0">`,
		"quotations have their rule there": `padding:2px 16px 0 0;border-right:`,
		"English within it runs from the left": `<p dir="ltr" style="margin:0 0 16px;text-align:left">The ` +
			`keeper wrote`,
		"code does too": `class="cd" dir="ltr"`,
		"Hebrew is not slanted": `<em style="font-style:normal;font-weight:700">ארבע ` +
			`דקות</em>`,
		"nor is Japanese":                        `<em style="font-style:normal;font-weight:700">四分</em>`,
		"a line end in Japanese is no space":     `遅れていた。誰も`,
		"readings stand behind their characters": `留（と）めなかった`,
		"another language is named":              `<p lang="zh-Hant"`,
		"Arabic has more air":                    `line-height:1.8"`,
	} {
		if !strings.Contains(m.HTML, want) {
			t.Errorf("%s: no %s", what, want)
		}
	}
}

// TestMarkupInBothVersions: markup that plain text can only describe is in both versions of an email, for every setting
// of pictures. Each wanted text occurs once.
func TestMarkupInBothVersions(t *testing.T) {
	for content, want := range map[string]struct{ text, html, both, never []string }{
		"<p>Entry is <s>10</s> <del>12</del> 8 euro.</p>": {text: []string{"Entry is ~~10~~ ~~12~~ 8 euro."},
			html: []string{"<del>12</del>"}},
		"<p>The 1<sup>st</sup> and le 2<sup>e</sup> of 10<sup>6</sup>, a note<sup>3</sup>, Quay<sup>TM</sup>," +
			" a<sup>n</sup>.</p>": {text: []string{"The 1st and le 2e of 10^6, a note^3, QuayTM, a^n."}},
		// pictures without an address
		`<p>The tide:</p><img alt="plot of tides" width="120" height="80"/><p>As one sees.</p><img alt="chart.png"/>`: {
			both: []string{"[Picture: plot of tides]"}, never: []string{"chart", `src=""`}},
		// pictures within sentences
		`<p>Let <img class="inline" src="https://p.example/a" alt="\alpha"> be a root.</p>`: {
			text: []string{`Let \alpha be a root.`}, never: []string{"Picture"}},
		"<p>From 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f to 🏴\U000e0067\U000e0062\U000e007f.</p>": {
			both: []string{"From 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f to 🏴."}},
		// captions, one of which repeats the description
		`<figure><img src="https://p.example/a" alt="The quay at dawn"><figcaption>The quay at dawn</figcaption>` +
			`</figure><figure><img src="https://p.example/b" alt="A pier"><figcaption>By night</figcaption></figure>`: {
			both: []string{"The quay at dawn", "A pier", "By night"}},
		"<ol><li value=7>Seventh.<li>Eighth.</ol><ol reversed><li>Bronze.<li>Silver.<li>Gold.</ol>": {
			text: []string{"7. Seventh.", "8. Eighth.", "3. Bronze.", "2. Silver.", "1. Gold."},
			html: []string{`<ol start="7"`, `<ol start="3"`, `<li value="2"`, `<li value="1"`}},
	} {
		for _, images := range []digest.Images{digest.NoImages, digest.LinkedImages, digest.ProxiedImages} {
			m := mailOf(t, looking(digest.Look{Layout: digest.FullText, Images: images},
				sampleSite{"Quay", "https://quay.example/", "en",
					[]digest.Post{written("https://quay.example/1", "Tides", "en", content)}}))
			for part, once := range map[string][]string{m.Text: append(want.text, want.both...),
				m.HTML: append(want.html, want.both...)} {
				for _, w := range once {
					if strings.Count(part, w) != 1 {
						t.Errorf("%s: not one %q in\n%s", images, w, part)
					}
				}
				for _, w := range want.never {
					if strings.Contains(part, w) {
						t.Errorf("%s: %q in\n%s", images, w, part)
					}
				}
			}
		}
	}
}
