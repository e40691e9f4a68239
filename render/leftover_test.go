package render

import (
	"strings"
	"testing"

	"digest"
)

// TestLeftovers: an excerpt loses endings of feed generators, and no words of the author.
func TestLeftovers(t *testing.T) {
	for _, c := range []struct{ title, summary, want string }{
		{"T", "I replied in a… Continue Reading The post The Hidden Power: F29 Challenge appeared first on " +
			"Bravely She Blogs.", "I replied in a…"},
		{"T", "Some say so. The post Navy: “no evidence” appeared first on Boston.com.", "Some say so."},
		{"T", "Der Turm steht. Der Beitrag Der Turm erschien zuerst auf Stadtblatt.", "Der Turm steht."},
		{"T", "Voilà. L’article La tour est apparu en premier sur Le Journal.", "Voilà."},
		{"T", "Así es. La entrada La torre se publicó primero en El Diario.", "Así es."},
		{"T", "É isso. O post A torre apareceu primeiro em O Diário.", "É isso."},
		{"T", "send us a ... Read More » Artykuł SotM EU 2024 pochodzi z serwisu OSM Polska.", "send us a ..."},
		{"T", "時計は直った。 投稿 塔の時計 は 路地の記録 に最初に表示されました。",
			"時計は直った。"},
		{"T", "via some sequence of … Continue reading →", "via some sequence of …"},
		{"T", "a big blow to the ad-driven… Continue reading on NewCo Shift »", "a big blow to the ad-driven…"},
		{"T", "Nothing new. Continue reading on Medium »", "Nothing new."},
		{"T", "Из камер. Читать дальше →", "Из камер."},
		{"【安全公告】Intel 漏洞", "由于涉及到的 … 继续阅读【安全公告】Intel 漏洞",
			"由于涉及到的 …"},
		{"A tower", "It stands there … Continue reading “A tower”", "It stands there …"},
		{"The Hidden Power: F29 Challenge 3/29",
			"I replied in a… Continue Reading The post The Hidden Power: F29 Challenge 3/29 appeared…",
			"I replied in a…"},
		{"The Hidden Power: F29 Challenge 3/29", "I replied in a… Continue Reading The post The Hidden Power: F29…",
			"I replied in a…"},
		{"The post office", "It is shut. The post The post office appeared first on The Harbour.", "It is shut."},
		{"Shut", "The post is late. The post Shut appeared first on The Harbour.", "The post is late."},
		{"Der Turm", "Der Turm steht. Der Beitrag Der Turm…", "Der Turm steht."},
		{"Die große Tür", "Sie steht offen. Der Beitrag Die große Tür erschien zuerst…", "Sie steht offen."},
		{"T", "Regular readers know […]", "Regular readers know…"},
		{"T", "when you are depressed… […]", "when you are depressed…"},
		{"T", "我们都知道…… […]", "我们都知道……"},
		{"T", "en particulier : La refonte d'un mécanisme au (...)…",
			"en particulier : La refonte d'un mécanisme au…"},
		{"T", "submitted by /u/mvanigan [link] [comments]", ""},
		{"T", "It is fast. submitted by /u/mvanigan to r/golang [link] [comments]", "It is fast."},
		{"T", "Comments", ""},
		{"T", "Article URL: https://a.example/1 Comments URL: https://b.example/2 Points: 5 # Comments: 0", ""},
		{"T", "[Supabase](https://supabase.example) signs [keys](https://a.example/b_(c) \"Keys\").",
			"Supabase signs keys."},
		{"T", `host = <a href="https://a.example/edit" rel="nofollow">a.example/edit</a>…`,
			"host = a.example/edit…"},
		{"T", "Read more", ""},

		{"T", "You can read more about Noticing here.) In a rare interview…",
			"You can read more about Noticing here.)"},
		{"T", "This is what I want to read more", "This is what I want to read more"},
		{"T", "Keep reading and you will know.", "Keep reading and you will know."},
		{"T", "He wrote comments. Comments", "He wrote comments. Comments"},
		{"T", "The post office appeared first in the square.", "The post office appeared first in the square."},
		{"Office hours change", "We stood there. The post office…", "We stood there. The post office…"},
		{"Office", "The post Office scandal is told…", "The post Office scandal is told…"},
		{"T", "The tag <a href> takes <b>.", "The tag <a href> takes <b>."},
		{"T", "f[0](x) and [a](b)", "f[0](x) and [a](b)"},
	} {
		p := New(nil).Post(digest.Post{URL: "https://a.example/1", Title: c.title, Summary: c.summary, Content: "<p>" +
			c.summary + "</p>"})
		if p.Excerpt != c.want {
			t.Errorf("%q: %q, want %q", c.summary, p.Excerpt, c.want)
		}
		if p.Readable && !strings.HasSuffix(c.summary, "…") && !strings.HasSuffix(c.summary, "[…]") {
			t.Errorf("%q: a page of its own is offered that says no more", c.summary)
		}
	}
	p := New(nil).Post(digest.Post{URL: "https://a.example/1", Untitled: true, Summary: "Comments"})
	if p.Excerpt != "Comments" {
		t.Errorf("of a post without a title all words were left out: %q", p.Excerpt)
	}
}

// TestLeftoversOfTexts: a full text loses the ending that names its first place of publication. A link to the rest
// stays, because the feed does not contain the rest.
func TestLeftoversOfTexts(t *testing.T) {
	const end = `<p>The post <a href="https://a.example/1">A tower</a> appeared first on <a ` +
		`href="https://a.example/">A paper</a>.</p>`
	p := New(nil).Post(digest.Post{URL: "https://a.example/1", Title: "A tower", Summary: "It stands.",
		Content: "<p>It stands.</p><p>It stands there still.</p>" + end})
	web, _ := p.WebText(2, false, nil)
	for _, got := range []string{web.HTML, p.body(digest.NoImages, nil).all.html.decoded(),
		p.body(digest.NoImages, nil).all.text.decoded()} {
		if strings.Contains(got, "appeared first") || !strings.Contains(got, "It stands there still.") {
			t.Errorf("the text is\n%s", got)
		}
	}
	p = New(nil).Post(digest.Post{URL: "https://a.example/1", Title: "A tower", Summary: "It stands.",
		Content: `<p>It stands …</p><p><a href="https://a.example/1">Continue reading</a></p>`})
	if web, _ = p.WebText(2, false, nil); !strings.Contains(web.HTML, "Continue reading") {
		t.Errorf("the way on is missing in\n%s", web.HTML)
	}
}

// TestPictureSaysNoTitle: a description that repeats the title is dropped, so that the title does not appear twice
// where pictures are hidden.
func TestPictureSaysNoTitle(t *testing.T) {
	const src = "https://far.example/wheel.jpg"
	for alt, want := range map[string]string{"A tower": "", "A tower!": "", "“a Tower”": "",
		"A tower of bricks": "A tower of bricks"} {
		p := proxied.Post(digest.Post{URL: "https://a.example/1", Title: "A tower", Summary: "It stands.",
			ImageURL: src,
			Content:  `<p>It stands, and some more is to be said of it.</p><img src="` + src + `" alt="` + alt + `">`})
		web, _ := p.WebText(2, true, nil)
		for _, got := range []string{p.shown.decoded(), p.body(digest.ProxiedImages, nil).all.html.decoded(),
			web.HTML} {
			if !strings.Contains(got, `alt="`+want+`"`) {
				t.Errorf("%q: no %q in\n%s", alt, want, got)
			}
		}
		if off := p.body(digest.NoImages, nil).all.text.decoded(); strings.Contains(off, "[Picture") == (want == "") {
			t.Errorf("%q: without pictures it is\n%s", alt, off)
		}
	}
}

// TestLeadsToItsFile: the host of a post's sound file is not another site.
func TestLeadsToItsFile(t *testing.T) {
	const sound = "https://files.example/redirect.mp3/1.mp3"
	p := New(nil).Post(digest.Post{URL: sound, SiteURL: "https://a.example/", Title: "T",
		Enclosures: []digest.Enclosure{{URL: sound, Type: "audio/mpeg", Seconds: 3600}}})
	if strings.Contains(p.Byline, "files.example") {
		t.Errorf("the byline is %q", p.Byline)
	}
}

// TestContentsAreShort: with very many sites, the first headline is still on the first screen of a phone.
func TestContentsAreShort(t *testing.T) {
	var sites []sampleSite
	for i := range 150 {
		sites = append(sites, sampleSite{strings.Repeat("Name ", 1+i%4) + "site", "https://a.example/", "en",
			[]digest.Post{written("https://a.example/1", "A headline", "en", "<p>x</p>")}})
	}
	m, err := proxied.Mail(page(sites...))
	if err != nil {
		t.Fatal(err)
	}
	contents, _, _ := strings.Cut(m.Text, "----")
	if len(contents) > 550 || !strings.Contains(contents, "more") {
		t.Errorf("%d characters stand before the posts:\n%s", len(contents), contents)
	}
}

// TestWithoutAppearedIn: the words of each language are found, so apartWords and wayOnWords are complete.
func TestWithoutAppearedIn(t *testing.T) {
	const words = "Some words of a post."
	for _, end := range []string{
		"The post X appeared first on Y.", "The post X first appeared on Y.", "Der Beitrag X erschien zuerst auf Y.",
		"L’article X est apparu en premier sur Y.",
		"La entrada X se publicó primero en Y.", "La entrada X apareció primero en Y.",
		"El artículo X aparece primero en Y.", "La publicación X se publicó por primera vez en Y.",
		"O post X apareceu primeiro em Y.", "O artigo X aparece primeiro no Y.",
		"O conteúdo X foi publicado primeiro em Y.",
		"L'articolo X proviene da Y.", "Il post X sembra essere il primo su Y.", "Het bericht X verscheen eerst op Y.",
		"Artykuł X pochodzi z serwisu Y.",
		"Inlägget X dök först upp på Y.", "Inlägget X publicerades först på Y.",
		"Сообщение X появились сначала на Y.",
		"Запись X впервые появилась на Y.",
		"Запись X появилась сначала на Y.",
		"ظهرت المقالة X أولاً على Y.", "ظهر المقال X أولاً على Y.",
		"הפוסט X הופיע לראשונה ב-Y.", "投稿 X は Y に最初に表示されました。",
		"X最先出现在Y。",
		"THE POST X APPEARED FIRST ON Y.", "Continue reading →", "Keep reading", "Read more",
		"Read the rest of this entry", "Read the full story", "Weiterlesen", "Mehr lesen",
		"Lire la suite", "Lisez la suite", "En savoir plus", "Seguir leyendo", "Sigue leyendo", "Leer más",
		"Continue lendo", "Continuar lendo", "Leia mais", "Ler mais",
		"Continua a leggere", "Leggi tutto", "Lees verder", "Lees meer", "Czytaj dalej", "Läs mer",
		"Читать далее", "Читать дальше", "続きを読む", "继续阅读", "繼續閱讀",
		"阅读全文", "閱讀全文", "اقرأ المزيد", "קרא עוד",
		"submitted by /u/a to r/b [link] [comments]",
	} {
		if got := without(words+" "+end, "X"); got != words {
			t.Errorf("%q leaves %q", end, got)
		}
		if got := without(strings.Repeat("Many words stand above it. ", 200)+words+" "+
			end, "X"); !strings.HasSuffix(got, words) {
			t.Errorf("%q below a long text leaves %q", end, got[len(got)-60:])
		}
	}
}

// TestAppearedGoesOn: text that continues after such words belongs to the author, and stays.
func TestAppearedGoesOn(t *testing.T) {
	for _, text := range []string{
		"The post office of the village appeared first on the map of 1890. " +
			strings.Repeat("It has stood there ever since, and sells stamps. ", 5),
		"Some words. The post that I wrote " + strings.Repeat("at length ", 80) + "appeared first on paper.",
	} {
		text = strings.TrimSpace(text)
		if got := without(text, "X"); got != text {
			t.Errorf("%q became %q", text, got)
		}
		if at := appearedFrom(text, "X"); at >= 0 {
			t.Errorf("%q has its end at %d", text, at)
		}
	}
}

// TestCutAppearanceBeginsASentence: such words within an author's sentence stay, even if the title follows.
func TestCutAppearanceBeginsASentence(t *testing.T) {
	for text, want := range map[string]string{
		"We saw the post office…":                    "We saw the post office…",
		"A day by the sea. The post Office…":         "A day by the sea.",
		"A day by the sea […] The post Office…":      "A day by the sea…",
		"It ends so, and then the post office appe…": "It ends so, and then the post office appe…",
	} {
		if got := without(text, "Office"); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// FuzzWithout removes endings from arbitrary text. Only an ending may disappear.
func FuzzWithout(f *testing.F) {
	f.Add("\xff\xff\xff\xff a b. The post T appeared first on X", "T")
	f.Add("İİİİ ÅÅ. The post T appe…", "T")
	f.Add("Words [Read more](https://a.example/) […]", "Words")
	f.Fuzz(func(t *testing.T, text, title string) {
		if got := lowered(text); len(got) != len(text) {
			t.Errorf("%q has another length in lower case: %q", text, got)
		}
		if got := without(text, title); len(got) > len(text)+len("…") {
			t.Errorf("%q became longer: %q", text, got)
		}
	})
}
