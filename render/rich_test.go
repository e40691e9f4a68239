package render

import (
	"encoding/base64"
	"strings"

	"digest"
)

func testProxy(src string) string {
	return "https://digest.example/image/mac/" + base64.RawURLEncoding.EncodeToString([]byte(src))
}

func written(url, title, language, content string) digest.Post {
	p := post(url, title, "", "", 0)
	p.Language, p.Content = language, content
	p.Summary = strings.TrimSpace(cut(plainOf(content), 300))
	return p
}

func plainOf(content string) string {
	var b strings.Builder
	for _, k := range parseTree(content, digest.NoImages, nil) {
		b.WriteString(plainText(k.line) + " ")
	}
	return clean(b.String(), 2000)
}

// workshop contains all elements of an English text.
func workshop() sampleSite {
	return sampleSite{"The Workshop", "https://workshop.example/", "en", []digest.Post{
		written("https://workshop.example/clock", "Mending the tower clock", "en", `<h1>Mending the tower clock</h1>
<p>The clock had lost <em>four minutes a week</em> since 1987, and <strong>nobody</strong> minded until the trains came.
See <a href="https://workshop.example/plans?a=1&amp;b=2">the plans</a>, or write to <a href="mailto:keeper@workshop.example">keeper@workshop.example</a>.<br>A second line.<br><br>A new paragraph, with H<sub>2</sub>O, 10<sup>6</sup> turns, <del>five</del> six teeth, <mark>one of them new</mark>, and a <q>quotation</q>.</p>
<figure><img src="https://workshop.example/wheel.jpg" width="1200" height="800" alt="The great wheel, out of its frame"><figcaption>The great wheel. Photograph: Ada</figcaption></figure>
<h2>What we found</h2>
<ul><li>Dust</li><li>A nest, with <a href="https://birds.example/">two eggs</a><ol start="3"><li>third</li><li>fourth</li></ol></li><li><p>Rust.</p><p>More rust.</p></li></ul>
<blockquote><p>Leave it to me, she said.</p><p>So we did.</p></blockquote>
<h3>The program</h3>
<pre><code>func tick(d time.Duration) {
	for range time.Tick(d) {
		hand.Advance(1) // and a comment that goes on for longer than a phone is wide
	}
}
</code></pre>
<table><thead><tr><th>Week</th><th>Minutes lost</th></tr></thead><tbody><tr><td>First</td><td>4</td></tr><tr><td>Second</td><td>0.5</td></tr></tbody></table>
<table><tr><th>Part</th><th>Made by</th><th>Where it is kept</th><th>Remarks</th></tr>
<tr><td>Escapement</td><td>Watchmakers of Grenoble</td><td>Undercroft</td><td>Irreplaceable</td></tr>
<tr><td>Pendulum</td><td>Ironmongers</td><td>Belfry</td><td>Overhauled/repainted</td></tr></table>
<hr><dl><dt>Fusee</dt><dd>A cone with a chain.</dd></dl>
<p><img src="https://workshop.example/DSC_0042.jpg"></p><p><img src="https://count.example/p.gif" width="1" height="1">Done <img src="https://s.example/emoji/smile.png" alt="🙂" width="16" height="16">.</p>
<p><a href="https://evil.example/">https://bank.example/</a></p>`),
		written("https://workshop.example/short", "A short note", "en", "<p>The bell is back.</p>"),
	}}
}

// toldInHebrew and the others return full texts in difficult scripts.
func toldInHebrew() sampleSite {
	return sampleSite{"מפת הדרכים", "https://mapa.example/", "he", []digest.Post{
		written("https://mapa.example/clock", "השעון במגדל", "he",
			`<p>השעון פיגר <em>ארבע דקות</em> בשבוע, ואיש לא שם לב (עד שהגיעו הרכבות).</p>
<p>The keeper wrote: “It will do.”</p><ul><li>אבק</li><li>Rust.</li><li>קן ציפורים</li></ul>
<blockquote><p>תשאירו לי, היא אמרה.</p></blockquote><pre>hand.Advance(1)</pre>
<table><tr><th>שבוע</th><th>דקות</th></tr><tr><td>ראשון</td><td>4</td></tr></table>`),
	}}
}

func toldInArabic() sampleSite {
	return sampleSite{"دفاتر المدينة", "https://dafater.example/", "ar", []digest.Post{
		written("https://dafater.example/saa", "ساعة البرج", "ar",
			`<p>تأخرت الساعة <strong>أربع دقائق</strong> كل أسبوع، ولم ينتبه أحد!</p>
<ol><li>الغبار</li><li>الصدأ</li></ol><p dir="ltr" lang="fr">Midi sonne à midi.</p>`),
	}}
}

func toldInJapanese() sampleSite {
	return sampleSite{"路地の記録", "https://roji.example/", "ja", []digest.Post{
		written("https://roji.example/tokei", "塔の時計を直す", "ja",
			`<p>時計は毎週<em>四分</em>遅れていた。
誰も気に<ruby>留<rp>(</rp><rt>と</rt><rp>)</rp></ruby>めなかった、列車が来るまでは。「そのうち直る」と番人は言った。</p><ul><li>埃</li><li>鳥の巣、卵が二つ</li></ul>
<p lang="zh-Hant">鐘聲響起。</p>`),
	}}
}

func toldInChinese() sampleSite {
	return sampleSite{"胡同笔记", "https://hutong.example/", "zh-CN", []digest.Post{
		written("https://hutong.example/zhong", "修钟记", "zh-CN",
			`<p>钟每周慢四分钟，没有人在意，直到火车来了。《钟表匠》一书里说：“慢一点也好。”</p><blockquote><p>交给我吧。</p></blockquote><ol><li>灰尘</li><li>铁锈</li></ol>`),
	}}
}

// looking returns an edition in a look, with pictures in its posts.
func looking(look digest.Look, sites ...sampleSite) Edition {
	p := page(sites...)
	p.Look = look
	for i, s := range sites {
		for j, post := range s.posts {
			p.Sections[i].Posts[j] = proxied.Post(post)
		}
	}
	return p
}

func rich(images digest.Images) Edition {
	return looking(digest.Look{Layout: digest.FullText, Images: images}, workshop(), harbour())
}

func scripts() Edition {
	return looking(digest.Look{Layout: digest.FullText}, toldInHebrew(), toldInArabic(), toldInJapanese(),
		toldInChinese())
}

func headlines() Edition {
	p := typical()
	p.Layout = digest.Headlines
	p.Sections[2].Late = 1
	p.PostalAddress = "The Paper, 1 Example Street, 1000 Sometown"
	return p
}

func threaded() Edition {
	p := page(harbour(), kitchen())
	p.Threaded = true
	return p
}
