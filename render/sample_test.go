package render

import (
	"fmt"
	"strings"
	"time"

	"digest"
)

// The renderers of these tests, which do not change them.
var (
	plain   = New(nil)
	proxied = New(testProxy)
)

type sampleSite struct {
	title, url, language string
	posts                []digest.Post
}

func page(sites ...sampleSite) Edition {
	p := Edition{
		Date: digest.Date{Year: 2026, Month: time.November, Day: 20}, Number: 128, Name: "Daily Digest",
		WebURL:         "https://digest.example/e/aaaaaaaaaaaaamzrxqkk5yv2j5gq4yd2",
		UnsubscribeURL: "https://digest.example/unsubscribe/aaaaaaaaaaaaam7m3ctcv6zkq5ka6jda",
		HomeURL:        "https://digest.example/",
		Recipient:      "ada@example.org",
		Look:           digest.Look{DateSubject: true},
	}
	for _, s := range sites {
		site := Section{Title: s.title, URL: s.url, Language: s.language}
		for _, post := range s.posts {
			if post.Language == "" {
				post.Language = s.language
			}
			site.Posts = append(site.Posts, plain.Post(post))
		}
		p.Sections = append(p.Sections, site)
	}
	return p
}

func post(url, title, author, summary string, words int) digest.Post {
	seen := time.Date(2026, 11, 19, 21, 4, 0, 0, time.UTC)
	return digest.Post{
		URL: url, Title: title, Author: author, Summary: summary, Content: strings.Repeat("word ", words),
		SeenAt: seen, PublishedAt: seen.Add(-3 * time.Hour),
	}
}

func harbour() sampleSite {
	return sampleSite{"The Harbour Log", "https://harbour.example/", "en-GB", []digest.Post{
		post("https://harbour.example/2026/11/fog-signal", "The fog signal goes quiet after 140 years", "Maud Pell",
			"On Tuesday night the keeper pressed the button for the last time. The horn at Skerry Point has been "+
				"heard eleven miles out; from now on ships will rely on the beacon and on their own instruments. "+
				"I rowed out to hear what the bay sounds like without it, and found that nobody in the village "+
				"slept well.", 1400),
		post("https://harbour.example/2026/11/tide-tables", "Why this year’s tide tables are four minutes wrong",
			"Maud Pell",
			"A rounding rule from 1923, a new gauge on the east pier, and a printer who trusted both.", 620),
	}}
}

func kitchen() sampleSite {
	return sampleSite{"Cuisine de quartier", "https://cuisine.example/", "fr", []digest.Post{
		post("https://cuisine.example/soupe-au-potimarron", "Soupe au potimarron, sans crème et sans regret",
			"Léa Marchand",
			"Il suffit d’un potimarron bien mûr, d’une poire et d’un peu de patience. La poire remplace la "+
				"crème : elle lie la soupe et lui donne une douceur que l’on n’attend pas.", 500),
	}}
}

func compiler() sampleSite {
	return sampleSite{"Small Compilers", "https://compilers.example/", "en", []digest.Post{
		post("https://compilers.example/register-allocation",
			"Register allocation in 200 lines: linear scan & its limits", "",
			"Most of what a register allocator does well, it does in its first hundred lines. This post builds "+
				"one, measures it against graph colouring on real programs, and shows the three cases in which "+
				"the simple one loses: loops with many live values, calls in hot paths, and if (a < b && c > "+
				"d) chains.", 3100),
		post("https://compilers.example/notes/417", "Note 417", "", "", 0),
	}}
}

func tokyo() sampleSite {
	return sampleSite{"路地の記録", "https://roji.example/", "ja", []digest.Post{
		post("https://roji.example/2026/11/19/sento",
			"銭湯の煙突が消える日、神田に残った最後の一本", "佐藤みどり",
			"昭和三年に建てられた銭湯の煙突が、来週取り壊される。番台に座って四十年になる女将は、煙突の影で季節を知ったという。夕方の湯気と、桶の音と、近所の子どもたちの声を録音してきた。", 0),
		post("https://roji.example/2026/11/18/kissaten", "喫茶店のナポリタンはなぜ赤いのか",
			"佐藤みどり", "三軒の店で聞いた、三つの違う答え。", 0),
	}}
}

func beirut() sampleSite {
	return sampleSite{"دفاتر المدينة", "https://dafater.example/", "ar", []digest.Post{
		post("https://dafater.example/makhbaz",
			"المخبز الذي لا يغلق أبوابه: ليلة كاملة أمام الفرن",
			"رنا خوري",
			"في الثالثة فجراً يصل أول الزبائن، ومعهم تبدأ حكايات "+
				"الحي. قضينا ليلة كاملة أمام الفرن نسأل عن ثمن الطحين، "+
				"وعن الذين هاجروا، وعن رائحة لا تشبه أي رائحة أخرى في "+
				"المدينة.", 900),
	}}
}

func haifa() sampleSite {
	return sampleSite{"מפת הדרכים", "https://mapa.example/", "he", []digest.Post{
		post("https://mapa.example/linux-on-the-train",
			"Linux ברכבת: איך לוח הזמנים התחיל סוף סוף לדייק", "נועה לוי",
			"המסכים החדשים בתחנות מריצים קוד פתוח, וזו רק ההתחלה. "+
				"שוחחנו עם המהנדסת שכתבה את החיזוי, ועם הנוסעים שלא "+
				"הבחינו בשום שינוי.", 460),
	}}
}

func garden() sampleSite {
	old := post("https://garden.example/journal/quince", "What the quince taught me about waiting", "Ines & Tom",
		"Eight years from planting to the first fruit worth the name, and then forty of them in one week.", 800)
	old.PublishedAt = time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC)
	old.Enclosures = []digest.Enclosure{
		{URL: "https://garden.example/journal/quince.mp3", Type: "audio/mpeg", Length: 41_000_000, Seconds: 2580,
			Transcript: "https://garden.example/journal/quince.html"},
		{URL: "https://garden.example/journal/quince.pdf", Type: "application/pdf", Length: 2_100_000},
	}
	return sampleSite{"A Walled Garden", "https://garden.example/", "en", []digest.Post{
		post("https://garden.example/journal/first-frost", "First frost", "Ines & Tom",
			"Four degrees below zero at the north wall, one above by the pond. We lost the dahlias and kept the "+
				"chard, which is the wrong way round.", 300),
		old,
		post("https://garden.example/journal/seed-swap",
			"The seed swap is on 5 December, and this time we have labelled the envelopes", "",
			"Doors open at ten. Bring what you saved; take what you will sow.", 0),
	}}
}

func typical() Edition {
	return page(harbour(), kitchen(), compiler(), tokyo(), beirut(), haifa(), garden())
}

// pier returns a site with short notes without titles, and posts whose excerpts begin with their titles.
func pier() sampleSite {
	note := post("https://pier.example/2026/11/19/a", "", "",
		"The ferry was an hour late and nobody minded. The café had the heating on, and the dog slept on the "+
			"timetable.", 0)
	cutShort := post("https://pier.example/2026/11/19/b", "Bought a lamp for the end of the pier, and then…", "",
		"Bought a lamp for the end of the pier, and then another, because one lamp by itself looks like a mistake.", 0)
	again := post("https://pier.example/2026/11/19/c", "A bench for the north side", "Ida Voss",
		"A bench for the north side. It stands where the wind does not, and looks at the lighthouse.", 300)
	return sampleSite{"Notes from the pier", "https://pier.example/", "en", []digest.Post{note, cutShort, again}}
}

func folders() Edition {
	p := page(pier(), garden(), kitchen(), beirut(), harbour(), compiler())
	for i, folder := range []string{"", "", "Abroad", "Abroad", "Sea & shore", "Sea & shore"} {
		p.Sections[i].Folder = folder
	}
	p.Sections[1].Late = 1
	return withOwnLinks(p)
}

// withOwnLinks adds the links that only a reader's own edition has.
func withOwnLinks(p Edition) Edition {
	p.SaveURL = func(id digest.PostID) string { return fmt.Sprintf("https://digest.example/save/%045d", id) }
	p.SiteURL = func(id digest.FeedID) string { return fmt.Sprintf("https://digest.example/site/%045d", id) }
	p.SitesURL = "https://digest.example/feeds"
	p.SettingsURL, p.PauseURL = "https://digest.example/settings", p.UnsubscribeURL+"#pause"
	n := digest.PostID(0)
	for i := range p.Sections {
		p.Sections[i].Feed = digest.FeedID(i + 1)
		for _, post := range p.Sections[i].Posts {
			n++
			post.ID = n
		}
	}
	return p
}

// lately returns an edition with late posts and notices in both directions.
func lately() Edition {
	p := page(garden(), haifa(), tokyo())
	p.Sections[0].Late, p.Sections[1].Late = 1, 1
	p.Notices = said(
		SiteName("Small Compilers", "")+" has removed its feed, so you no longer follow it.",
		"You may have missed posts from "+SiteName("24 שעות", "")+
			" on Thursday 19 November, 09:10–23:50. Look for them on its website.",
	)
	return p
}

func said(lines ...string) (all []Notice) {
	for _, line := range lines {
		all = append(all, Notice{Text: line})
	}
	return all
}

// movedNotice returns the notice of a moved feed, as package edition builds it.
func movedNotice(title, from, to string) Notice {
	return Notice{
		Text: SiteName(title, from) + " has moved from " + digest.HostShown(from) + " to " + digest.HostShown(to) +
			".",
		Moved: Moved{7, digest.AddressShown(from), digest.AddressShown(to),
			"https://digest.example/moved/aaaaaaaaaaaaamzrxqkk5yv2j5gq4yd2aaaaaaaaaaaa7"},
	}
}

// moved returns an edition with notices of moves, one of them with hostile addresses.
func moved() Edition {
	p := page(harbour(), haifa())
	p.Notices = append([]Notice{
		movedNotice("Small Compilers", "https://compilers.example/feed.xml",
			"https://ann:secret@words.example:8443/blog/feed?format=atom&key=a<b"),
		movedNotice("דפי העיר 24", "https://xn--bcher-kva.example/", "https://xn--80ak6aa92e.com/\u202egnp.exe"),
		movedNotice(strings.Repeat("unbreakable", 12), "https://paypal.com."+strings.Repeat("a", 63)+".evil.example/"+
			strings.Repeat("path", 99), "https://xn--r8jz45g.jp/"),
	}, said("You may have missed posts from The Harbour Log on Thursday 19 November, 09:10–23:50. Look for them "+
		"on its website.")...)
	return p
}

func onlyNotes() Edition {
	p := page()
	p.Notices = said(
		SiteName("دفاتر المدينة", "")+" has removed its feed, so you no longer follow it.",
		SiteName("", "https://garden.example/feed")+
			" hasn’t worked for 90 days, so we no longer check it. It stays in your list of sites.",
		"You may have missed posts from "+SiteName("The Harbour Log", "")+
			" between Tuesday 17 November, 22:40 and Thursday 19 November, 23:50. Look for them on its website.",
	)
	return p
}

// stretched returns a notice about a site whose name is one long word.
func stretched() Edition {
	p := page()
	p.Notices = said("You may have missed posts from " + SiteName(strings.Repeat("unbreakable", 7), "") +
		" on Thursday 19 November, 09:10–23:50. Look for them on its website.")
	return p
}

// large returns an edition of n posts from about n/12 sites.
func large(n int) Edition {
	var sites []sampleSite
	base := append(harbour().posts, compiler().posts[0], garden().posts[0], tokyo().posts[0])
	for i := 0; i < n; i++ {
		if i%12 == 0 {
			k := i/12 + 1
			sites = append(sites, sampleSite{fmt.Sprintf("Site number %d", k),
				fmt.Sprintf("https://site%d.example/", k), "en", nil})
		}
		p := base[i%len(base)]
		p.URL += fmt.Sprintf("?n=%d", i)
		s := &sites[len(sites)-1]
		s.posts = append(s.posts, p)
	}
	return page(sites...)
}
