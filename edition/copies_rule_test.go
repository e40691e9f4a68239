package edition

import (
	"strings"
	"testing"

	"digest"
)

// text is some sentences that no other one has.
const text = `<p>On Sunday we took the old boat out of the harbour for the first time since the storm, and found that
	her planks had dried more than we feared: water came in at every seam until the wood had swollen again.</p>`

func blog(content string) source {
	return newSource(digest.Post{ID: 1, URL: "https://anna.example/boats", Title: "The old boat", Content: content},
		digest.FeedLabel{FeedID: 1, Host: "www.anna.example", Domain: "anna.example", SiteURL: "https://anna.example/"})
}

func at(url, domain, title, content string) source {
	return newSource(digest.Post{ID: 2, URL: url, Title: title, Content: content}, digest.FeedLabel{FeedID: 2, Host: domain, Domain: domain})
}

func toot(content string) source {
	return at("https://social.example/@anna/1", "social.example", "The old boat", content)
}

const ad = "<p>Buy our paint, it keeps any water out. Buy our paint, it keeps any water out.</p>"

// read is of a feed that is read at another domain than its posts are at.
func read(url, domain, content string) source {
	s := at(url, domain, "The old boat", content)
	s.ID = 1
	return s
}

// host is of a feed at a host of the blog's domain.
func host(name, content string) source {
	s := at("https://anna.example/boats", "anna.example", "The old boat", content)
	s.Feed.Host = name
	return s
}

func heard(s source) source {
	s.Enclosures = []digest.Enclosure{{URL: "https://anna.example/boats.mp3"}}
	return s
}

func summed(url, summary string) source {
	return newSource(digest.Post{ID: 2, URL: url, Title: "x", Summary: summary, Syndication: "https://anna.example/boats"}, digest.FeedLabel{FeedID: 2, Host: "social.example", Domain: "social.example"})
}

func (s source) me(pages string) source { s.Feed.Me = pages; return s }

func (s source) copiedTo(addresses string) source { s.Syndication = addresses; return s }

func TestJudge(t *testing.T) {
	link := ` <a href="https://anna.example/boats">anna.example/boats</a></p>`
	for name, c := range map[string]struct {
		post, other source
		want        verdict
	}{
		"the site's second feed":                     {blog(text), at("https://anna.example/boats", "anna.example", "The old boat", text), secondLeft},
		"the site's second feed, with an excerpt":    {blog(text), at("https://www.anna.example/boats/", "anna.example", "The old boat", text[:90]+"</p>"), secondLeft},
		"the site's second feed has more":            {blog(text[:90] + "</p>"), at("http://anna.example/boats", "anna.example", "The old boat", text), firstLeft},
		"the site's second feed, headlines":          {blog(text), at("https://anna.example/boats", "anna.example", "The old boat", ""), secondLeft},
		"all posts of a site lead to one page":       {blog(text), at("https://anna.example/boats", "anna.example", "The dog", "<p>Our dog has learned to swim, at last, and it is very proud of that.</p>"), bothStay},
		"a planet with the whole text":               {blog(text), at("https://anna.example/boats", "planet.example", "Anna: The old boat", text), secondLeft},
		"an aggregator with its comments":            {blog(text), at("https://anna.example/boats", "news.example", "The old boat", `<a href="https://news.example/9">Comments</a>`), secondLeft},
		"an aggregator of a feed without texts":      {blog(""), at("https://anna.example/boats", "news.example", "The old boat", "Comments"), secondLeft},
		"a link blog with something to say":          {blog(text), at("https://anna.example/boats", "links.example", "The old boat", "<p>Anna knows more of boats than most of us, and how to write.</p>"), bothStay},
		"two aggregators":                            {at("https://far.example/x", "news.example", "Far", "Comments"), at("https://far.example/x", "other.example", "Far", "Comments"), secondLeft},
		"two link blogs":                             {at("https://far.example/x", "links.example", "Far", "<p>This is what I think of it, and you should.</p>"), at("https://far.example/x", "other.example", "Far", "<p>How wrong can anybody be about all of this?</p>"), bothStay},
		"an announcement by the author's account":    {blog(text), toot("<p>The old boat" + link).me("https://anna.example/"), secondLeft},
		"one in other words, which the site names":   {blog(text).copiedTo("https://social.example/@anna/1"), toot("<p>I wrote up our first trip of the year, in which we nearly drown. Read it:" + link).me("https://anna.example/"), secondLeft},
		"a critic whom the site names as its copy":   {blog(text).copiedTo("https://social.example/@anna/1"), toot("<p>I do not agree with any of this, and it is dangerous to say so" + link), bothStay},
		"a critic of two words":                      {blog(text), toot("<p>Utter lies" + link), bothStay},
		"the author's few words":                     {blog(text), toot("<p>New on my blog: The old boat" + link).me("https://anna.example/"), secondLeft},
		"the author's many words":                    {blog(text), toot("<p>I should have listened to everybody who told me never to do it again" + link).me("https://anna.example/"), bothStay},
		"one in other words, of nobody known":        {blog(text), toot("<p>I wrote up our first trip of the year, in which we nearly drown. Read it:" + link), bothStay},
		"a stranger who only passes it on":           {blog(text), toot("<p>The old boat" + link), secondLeft},
		"a stranger who disagrees":                   {blog(text), toot("<p>I do not agree with any of this, and it is dangerous to say so" + link), bothStay},
		"a note and its copy, by the author's word":  {blog("<p>Water came in at every seam.</p>"), toot("<p>Water came in at every seam.</p>").me("https://anna.example"), secondLeft},
		"the same words of two people":               {blog("<p>Happy new year to all!</p>"), toot("<p>Happy new year to all!</p>"), bothStay},
		"a site that says another's post is its own": {blog("<p>Water came in at every seam.</p>").copiedTo("https://social.example/@anna/1"), toot("<p>Water came in at every seam.</p>"), firstLeft},
		"a thief who takes an address":               {blog(text), at("https://anna.example/boats", "evil.example", "The old boat", strings.Repeat("<p>Buy our paint, it keeps any water out.</p>", 50)), bothStay},
		"a thief who takes the whole post":           {blog(text), at("https://anna.example/boats", "evil.example", "The old boat", text+"<p>Buy our paint.</p>"), secondLeft},
		"a thief who names it as a copy":             {blog(text), at("https://evil.example/1", "evil.example", "The old boat", text).copiedTo("https://anna.example/boats"), secondLeft},
		"a thief who says its site is theirs":        {blog(text), at("https://evil.example/1", "evil.example", "Paint", text+"<p>Buy our paint.</p>").me("https://anna.example/"), secondLeft},
		"a domain that ends like another":            {blog(text), at("https://anna.example/boats", "example", "x", "<p>Something quite different, in more than three words.</p>"), bothStay},
		"a thief, with a headline's title":           {blog(""), at("https://anna.example/boats", "evil.example", "The old boat", ad), bothStay},
		"a thief at another host of its domain":      {blog(""), host("evil.anna.example", ad), bothStay},
		"a thief who passes on what others do":       {at("https://far.example/x", "news.example", "Far", "Comments"), at("https://far.example/x", "evil.example", "Far", ad), bothStay},
		"a thief beside a feed read elsewhere":       {read("https://anna.example/boats", "feeds.example", ""), at("https://anna.example/boats", "evil.example", "The old boat", ad), bothStay},
		"a thief who adds to one read elsewhere":     {read("https://anna.example/boats", "feeds.example", text), at("https://anna.example/boats", "evil.example", "The old boat", text+ad), bothStay},
		"a thief at what a post links to":            {blog(`<p>Read <a href="https://far.example/x">far.example/x</a></p>`), at("https://far.example/x", "evil.example", "Far", "<p>Read far.example/x</p>"+ad), bothStay},
		"a feed of the site at another host":         {blog(text), host("feeds.anna.example", text), secondLeft},
		"a feed at another host with more":           {blog(text[:90] + "</p>"), host("feeds.anna.example", text), bothStay},
		"its recording":                              {blog(text), heard(at("https://anna.example/boats", "anna.example", "The old boat", text)), firstLeft},
		"its recording, without a text":              {blog(text), heard(at("https://anna.example/boats", "anna.example", "The old boat", "")), bothStay},
		"a picture, with a link":                     {blog(text), toot(`<p><img src="https://social.example/1.jpg"/> <a href="https://anna.example/boats">anna.example/boats</a></p>`).me("https://anna.example/"), bothStay},
		"a summary alone":                            {blog(""), summed("https://social.example/@anna/1", "Quite another thing that nobody else has said as well as she did").me("https://anna.example/"), bothStay},
		"nothing but a mail address":                 {blog(`<p><a href="mailto:anna@anna.example">Mail</a></p>`), at("", "evil.example", "Mail", ad), bothStay},
		"a critic who is quoted":                     {at("https://evil.example/1", "evil.example", "A miracle", "<p>They write: Buy nothing here, it has killed my dog.</p>"+ad), toot(`<p>Buy nothing here, it has killed my dog. <a href="https://evil.example/1">evil.example/1</a></p>`), bothStay},
		"a critic who is quoted, at the address":     {at("https://evil.example/1", "evil.example", "A miracle", ad+"<p>They write: Buy nothing here, it has killed my dog.</p>"), at("https://evil.example/1", "links.example", "A miracle", "<p>Buy nothing here, it has killed my dog.</p>"), bothStay},
		"a critic in the title":                      {at("https://evil.example/1", "evil.example", "A miracle", ad+"<p>A fraud that will kill you, they say. Comments.</p>"), at("https://evil.example/1", "links.example", "A fraud that will kill you", "Comments"), bothStay},
		"a thief on a host of many":                  {at("https://shared.example/~anna/1", "shared.example", "The old boat", text), at("https://shared.example/~anna/1", "shared.example", "The old boat", text+ad+ad), bothStay},
		"a thief of a link":                          {read("https://anna.example/boats", "feeds.example", text+`<p><a href="https://anna.example/pay">Pay</a></p>`), at("https://anna.example/boats", "evil.example", "The old boat", text+`<p><a href="https://evil.example/pay">Pay</a></p>`), bothStay},
		"a thief of a number":                        {read("https://anna.example/boats", "feeds.example", text+"<p>Account 56.</p>"), at("https://anna.example/boats", "evil.example", "The old boat", text+"<p>Account 99.</p>"), bothStay},
		"a copy beside one read elsewhere":           {read("https://anna.example/boats", "feeds.example", text), at("https://anna.example/boats", "planet.example", "The old boat", text), secondLeft},
		"no addresses at all":                        {newSource(digest.Post{ID: 1, Content: text}, digest.FeedLabel{}), newSource(digest.Post{ID: 2, Content: text}, digest.FeedLabel{}), bothStay},
	} {
		c.other.ID = 3
		if got := judge(c.post, c.other); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		turned := map[verdict]verdict{bothStay: bothStay, firstLeft: secondLeft, secondLeft: firstLeft}[c.want]
		if got := judge(c.other, c.post); got != turned {
			t.Errorf("%s, the other way round: %d, want %d", name, got, turned)
		}
	}
}

func TestPlace(t *testing.T) {
	for address, want := range map[string]string{
		"https://www.Anna.example/Boats/": "anna.example/Boats", "http://anna.example/Boats#top": "anna.example/Boats",
		"https://anna.example": "anna.example", "https://anna.example/": "anna.example", "https://anna.example/?p=1": "anna.example/?p=1",
		"": "", "mailto:anna@anna.example": "",
	} {
		if got := place(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
