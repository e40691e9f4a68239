package render

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"digest"
)

// TestAddressesAreEven: both versions together have an even number of addresses,
// counted in the finished mail, whatever is in it and however much of it fits.
func TestAddressesAreEven(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	looks := []digest.Look{
		{}, {Layout: digest.Headlines, Threaded: true}, {Layout: digest.FullText},
		{Layout: digest.FullText, Images: digest.LinkedImages}, {Layout: digest.FullText, Images: digest.ProxiedImages},
	}
	for _, posts := range []int{0, 1, 2, 3, 5, 8, 13, 40, 41, 120, 121, 400} {
		for _, look := range looks {
			for again := range 3 {
				p := linkedPage(rng, posts)
				p.Look = look
				if again == 0 {
					p.WebURL = ""
				}
				checkEven(t, p)
			}
		}
	}
}

// checkEven counts the addresses of both versions.
func checkEven(t *testing.T, p Edition) {
	t.Helper()
	m, err := Mail(p)
	if err != nil {
		t.Fatal(err)
	}
	if inPage, inText := pageAddresses(t, m.HTML), len(anyAddress.FindAllString(m.Text, -1)); (inPage+inText)%2 == 1 {
		t.Errorf("%d posts, %+v: %d addresses in the page and %d in the text", m.Shown+m.Omitted, p.Look, inPage, inText)
	}
}

var anyAddress = regexp.MustCompile(`https?://|\bwww\.`)

// pageAddresses counts what links and pictures lead to, and what can be read.
func pageAddresses(t *testing.T, page string) int {
	t.Helper()
	n := 0
	for d := range parse(t, page).Descendants() {
		switch {
		case strings.Contains(attr(d.Parent, "style"), "display:none"): // nobody sees it
		case d.Type == html.TextNode:
			n += len(anyAddress.FindAllString(d.Data, -1))
		case d.Type == html.ElementNode && (attr(d, "href") != "" || attr(d, "src") != ""):
			n++
		}
	}
	return n
}

// linkedPage is an edition of n posts that lead and speak of many places.
func linkedPage(rng *rand.Rand, n int) Edition {
	p := page()
	p.WebURL, p.HomeURL, p.UnsubscribeURL = "https://paper.com/e/1", "https://paper.com/", "https://paper.com/u/1"
	p.PostalAddress = "The Paper, 1 Street"
	for range rng.IntN(3) {
		p.Notices = append(p.Notices, "May have missed posts from https://site.com/feed between 09:10 and 23:50.")
	}
	for i := 0; i < n; {
		s := Section{Title: "A site", Late: rng.IntN(3)}
		if rng.IntN(3) > 0 {
			s.URL = "https://site.com/"
		}
		for k := 1 + rng.IntN(9); k > 0 && i < n; k, i = k-1, i+1 {
			q := digest.Post{URL: fmt.Sprintf("https://site.com/%d", i), Title: fmt.Sprintf("Post %d", i), Language: "en", Summary: "See https://other.com/b <a href=\"https://other.com/c\">."}
			if rng.IntN(5) == 0 {
				q.URL = ""
			}
			for range rng.IntN(12) {
				q.Content += "<p>" + some(rng, 40) + "</p>"
			}
			s.Posts = append(s.Posts, NewPost(q, func(src string) string { return "https://paper.com/image/" + src[len("https://"):] }))
		}
		p.Sections = append(p.Sections, s)
	}
	return p
}

// some is a few words, some of which lead elsewhere.
func some(rng *rand.Rand, most int) (words string) {
	for range rng.IntN(most) {
		switch rng.IntN(12) {
		case 0:
			words += fmt.Sprintf(`<a href="https://other.com/%d">there</a> `, rng.IntN(9))
		case 1:
			words += fmt.Sprintf(`<img src="https://other.com/%d.png" alt="A picture"> `, rng.IntN(9))
		case 2:
			words += "see https://other.com/a or www.other.com "
		default:
			words += "harbour "
		}
	}
	return words
}
