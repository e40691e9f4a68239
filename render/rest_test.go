package render

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"digest"
	"digest/rank"
	"digest/test/tier"
)

var layouts = []digest.Layout{digest.Headlines, digest.Excerpts, digest.FullText}

// away returns a bound edition: the first three posts of each site, and the others as a list.
func away(l digest.Layout) Edition {
	p := typical()
	p.Layout, p.Bound = l, true
	p.Note = "Your editions were paused from 6 to 20 November. " +
		"This edition has up to three posts from each site, and headlines for the rest."
	for i := range p.Sections {
		s := &p.Sections[i]
		for k := 0; len(s.Posts) < 3; k++ {
			s.Posts = append(s.Posts,
				plain.Post(post(fmt.Sprintf("%sweek/%d", s.URL, k), fmt.Sprintf("Notes of the week, part %d", k+1),
					"", "What happened this week, in a sentence or two.", 40)))
		}
		for k := range []int{11, 0, 4, 2, 1, 0, 3}[i] {
			b := s.Posts[k%2]
			s.Rest = append(s.Rest, plain.Post(digest.Post{URL: fmt.Sprintf("%searlier/%d", s.URL, k), Title: b.Title +
				" " + strings.Repeat("again ", k%3), Language: b.Language}))
		}
	}
	return p
}

// displayed returns an edition whose sites have different layouts.
func displayed(l digest.Layout) Edition {
	p := rich(digest.NoImages)
	p.Sections = append(p.Sections, typical().Sections...)
	p.Layout = l
	for i := range p.Sections {
		p.Sections[i].Display = append([]digest.Layout{""}, layouts...)[i%4]
	}
	return p
}

// TestDisplay: each site has its own layout, independent of the edition's.
func TestDisplay(t *testing.T) {
	for _, l := range append([]digest.Layout{""}, layouts...) {
		for _, d := range append([]digest.Layout{""}, layouts...) {
			p := page(harbour(), workshop())
			p.Layout, p.Sections[1].Display = l, d
			m := mailOf(t, p)
			site := p.Sections[1]
			lay := p.LayoutOf(site)
			for name, version := range map[string]string{"page": shownText(t, m.HTML), "text": m.Text} {
				for _, c := range []struct {
					words string
					want  bool
				}{
					{"The bell is back.", lay != digest.Headlines},
					{"Leave it to me, she said.", lay == digest.FullText},
					{"Mending the tower clock", true},
					{"I rowed out to hear", p.LayoutOf(p.Sections[0]) == digest.Excerpts},
				} {
					if got := strings.Contains(strings.Join(strings.Fields(version), " "), c.words); got != c.want {
						t.Errorf("%s of a %q page with a %q site: %q is there: %v", name, l, d, c.words, got)
					}
				}
			}
			checkWhole(t, p)
		}
	}
}

// checkWhole checks that an edition with full texts is within the limits and well formed.
func checkWhole(t *testing.T, p Edition) {
	t.Helper()
	parse(t, checkedMail(t, p).HTML)
}

// TestBound: each site has its posts first and then the list of the rest, each post once, in both versions, below a
// note.
func TestBound(t *testing.T) {
	p := away(digest.Excerpts)
	m := mailOf(t, p)
	if m.Shown != 42 || m.Omitted != 0 {
		t.Errorf("%d shown, %d omitted", m.Shown, m.Omitted)
	}
	for name, version := range map[string]string{"page": shownText(t, m.HTML), "text": m.Text} {
		order(t, name, strings.Join(strings.Fields(version), " "), "42 posts from 7 sites", p.Note,
			p.Sections[0].Posts[0].Title, p.Sections[0].Posts[2].Title, "And 11 more", p.Sections[0].Rest[1].Title,
			p.Sections[0].Rest[10].Title, p.Sections[1].Posts[0].Title)
		if n := strings.Count(version, "And "); n != 5 {
			t.Errorf("%s: %d lists", name, n)
		}
	}
	for _, s := range p.Sections {
		for _, b := range s.Rest {
			if n := strings.Count(m.HTML, `href="`+b.URL+`"`); n != 1 {
				t.Errorf("%s is linked %d times", b.URL, n)
			}
		}
	}
}

// TestSaveOfRanks: an email links to save the lead and the seconds, and its text part has no such links.
func TestSaveOfRanks(t *testing.T) {
	p := withOwnLinks(away(digest.Excerpts))
	p.Sections[0].Places = []rank.Place{{Rank: rank.Lead}, {Rank: rank.Standard}}
	p.Sections[1].Places = []rank.Place{{Rank: rank.Second}, {Rank: rank.Brief}}
	m := checkedMail(t, p)
	saves := strings.Count(m.HTML, ">Save</a>") + strings.Count(m.HTML, ">\u2068Save\u2069</a>")
	if saves != 2 || strings.Contains(m.Text, "/save/") {
		t.Errorf("%d posts can be saved:\n%s", saves, m.Text)
	}
	if n := strings.Count(m.HTML, "font-size:28px"); n != 1 {
		t.Errorf("%d headlines have the size of the lead", n)
	}
}

// TestChangeInLargeEdition: an edition of many sites has links to change those with the most posts, because these make
// the next one smaller.
func TestChangeInLargeEdition(t *testing.T) {
	for _, c := range []struct{ posts, change int }{{200, 5}, {905, 5}} {
		p := large(c.posts)
		last := &p.Sections[len(p.Sections)-1]
		for len(last.Rest) < 12 {
			last.Rest = append(last.Rest, last.Posts[0])
		}
		m := checkedMail(t, withOwnLinks(p))
		if got, saves := strings.Count(m.HTML, "· Site settings</a>"),
			strings.Count(m.HTML, ">Save</a>"); got != c.change || saves != 0 {
			t.Errorf("of %d posts %d sites can be changed, want %d; %d posts can be saved", c.posts, got, c.change,
				saves)
		}
		if most := fmt.Sprintf("/site/%045d", last.Feed); !strings.Contains(m.HTML, most) {
			t.Errorf("of %d posts the site with the most cannot be changed", c.posts)
		}
	}
}

// TestAnyDisplay checks the same properties as TestAnyEdition for sites with different layouts and a rest.
func TestAnyDisplay(t *testing.T) {
	tier.Alone(t)
	rng := rand.New(rand.NewPCG(3, 4))
	for i, n := range []int{1, 2, 5, 20, 60, 120, 250, 251, 400, 401, 900, 2000} {
		p := randomPage(rng, n)
		p.Layout = append([]digest.Layout{""}, layouts...)[rng.IntN(4)]
		p.Note = randomText(rng, rng.IntN(120))
		for k := range p.Sections {
			s := &p.Sections[k]
			s.Display = append([]digest.Layout{""}, layouts...)[rng.IntN(4)]
			if shown := rng.IntN(len(s.Posts) + 1); rng.IntN(2) == 0 {
				s.Late = min(s.Late, shown)
				s.Posts, s.Rest = slices.Clip(s.Posts[:shown]), s.Posts[shown:]
			}
		}
		t.Run(fmt.Sprintf("%d-%d", i, n), func(t *testing.T) { checkEdition(t, p) })
	}
	for _, l := range layouts {
		checkWhole(t, displayed(l))
		checkEdition(t, away(l))
	}
}

// TestFullDisplays: the limits apply to all layouts and lengths of texts.
func TestFullDisplays(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 40 {
		p := linkedPage(rng, 1+rng.IntN(20*(1+i%10)))
		p.Layout = layouts[rng.IntN(3)]
		for k := range p.Sections {
			s := &p.Sections[k]
			s.Display = append([]digest.Layout{""}, layouts...)[rng.IntN(4)]
			if n := len(s.Posts); n > 3 {
				s.Late = 0
				s.Posts, s.Rest = slices.Clip(s.Posts[:3]), s.Posts[3:]
			}
		}
		checkWhole(t, p)
	}
}

// linkedPage returns an edition of n posts with many links and addresses.
func linkedPage(rng *rand.Rand, n int) Edition {
	r := New(func(src string) string { return "https://paper.com/image/" + src[len("https://"):] })
	p := page()
	p.WebURL, p.HomeURL, p.UnsubscribeURL = "https://paper.com/e/1", "https://paper.com/", "https://paper.com/u/1"
	p.PostalAddress = "The Paper, 1 Street"
	for range rng.IntN(3) {
		p.Notices = append(p.Notices,
			said("You may have missed posts from https://site.com/feed on Thursday 19 November, 09:10–23:50. "+
				"Look for them on its website.")...)
	}
	for i := 0; i < n; {
		s := Section{Title: "A site", Late: rng.IntN(3)}
		if rng.IntN(3) > 0 {
			s.URL = "https://site.com/"
		}
		for k := 1 + rng.IntN(9); k > 0 && i < n; k, i = k-1, i+1 {
			q := digest.Post{URL: fmt.Sprintf("https://site.com/%d", i), Title: fmt.Sprintf("Post %d", i),
				Language: "en", Summary: "See https://other.com/b <a href=\"https://other.com/c\">."}
			if rng.IntN(5) == 0 {
				q.URL = ""
			}
			for range rng.IntN(12) {
				q.Content += "<p>" + some(rng, 40) + "</p>"
			}
			s.Posts = append(s.Posts, r.Post(q))
		}
		p.Sections = append(p.Sections, s)
	}
	return p
}

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
