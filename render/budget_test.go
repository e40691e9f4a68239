package render

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"digest"
	"digest/rank"
)

// manySites returns an edition of sites with names in three scripts, each with one to three posts.
func manySites(sites int, date digest.Date) Edition {
	rng := rand.New(rand.NewPCG(7, 8))
	var all []sampleSite
	for i := range sites {
		name := []string{"The Harbour Log of %d", "Записки о городе %d",
			"دفاتر المدينة %d"}[3*i/sites]
		url := fmt.Sprintf("https://site-%d.example/", i)
		s := sampleSite{fmt.Sprintf(name, i), url, "", nil}
		for j := range 1 + rng.IntN(5)/3*2 {
			s.posts = append(s.posts, post(fmt.Sprintf("%s2026/11/%d-a-post-of-the-day", url, j),
				fmt.Sprintf("What the keeper saw on day %d, and what he wrote", j), "Maud Pell",
				strings.Repeat("On Tuesday night the keeper pressed the button for the last time. ", 4), 300))
		}
		all = append(all, s)
	}
	p := withOwnLinks(page(all...))
	p.Date = date
	p.BeyondURL = func(id digest.FeedID) string { return fmt.Sprintf("%s?site=%d", p.WebURL, id) }
	p.Sections[0].Places = []rank.Place{{Rank: rank.Lead}}
	return p
}

// TestRoomOfManySites: an edition of many sites uses its room. Every script has its share of the email on every day, and
// each site has its turn within five days. The email names the sites whose posts are only on the web.
func TestRoomOfManySites(t *testing.T) {
	shown := map[digest.FeedID]bool{}
	for _, sites := range []int{10, 60, 100, 150, 250, 400} {
		for day := range 5 {
			m, err := plain.newMail(manySites(sites, digest.Date{Year: 2026, Month: 11, Day: 20 + day}))
			if err != nil {
				t.Fatal(err)
			}
			p := m.fit()
			used := m.frame.size().plus(p.size())
			scripts, depths := map[string]int{}, map[depth]int{}
			for i := range m.Sections {
				for j := range m.Sections[i].count() {
					depths[m.depth(p, i, j)]++
				}
				if s := &m.Sections[i]; m.depth(p, i, 0) != omitted {
					scripts[scriptOf(s.Title)]++
					if sites == 400 {
						shown[s.Feed] = true
					}
				}
			}
			t.Logf("%d sites, %d posts: %d bytes (%d coded), depths %v, %d on the web, scripts %v", sites, m.posts,
				used.plain, used.sent(), depths, m.omitted(p), scripts)
			if sites >= 100 && used.plain < maxPlain*9/10 && used.sent() < maxCoded*9/10 {
				t.Errorf("%d sites: the email uses %v bytes", sites, used)
			}
			if sites <= 100 && m.omitted(p) > 0 {
				t.Errorf("%d sites: %d posts are only on the web", sites, m.omitted(p))
			}
			html, _ := m.join(p)
			if words := html.join().decoded(); sites == 400 && (!strings.Contains(words, "more sites") ||
				strings.Count(words, "?site=") != maxWebOnly) {
				t.Errorf("%d sites: the email does not name the sites without posts", sites)
			}
			total := scripts["Latin"] + scripts["Cyrillic"] + scripts["Arabic"]
			for _, n := range scripts {
				if n*5 < total-5 {
					t.Errorf("%d sites: the shown sites by script are %v", sites, scripts)
				}
			}
		}
	}
	if len(shown) != 400 {
		t.Errorf("%d of 400 sites have posts in the emails of five days", len(shown))
	}
}

func scriptOf(s string) string {
	for name, table := range map[string]*unicode.RangeTable{"Cyrillic": unicode.Cyrillic, "Arabic": unicode.Arabic} {
		if strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(table, r) }) {
			return name
		}
	}
	return "Latin"
}

// TestChargedIsWritten: the size that an email is charged for is the size that is written.
func TestChargedIsWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for try := range 24 {
		e := randomPage(rng, 1+rng.IntN(60*(1+try%10)))
		for i := range e.Sections {
			s := &e.Sections[i]
			s.Feed, s.Folder = digest.FeedID(i+1), []string{"", "", "A", "B"}[rng.IntN(4)]
			if n := len(s.Posts); n > 2 && rng.IntN(2) == 0 {
				s.Late, s.Posts, s.Rest = 0, s.Posts[:2:2], s.Posts[2:]
			}
		}
		m, err := plain.newMail(e)
		if err != nil {
			t.Fatal(err)
		}
		p := &plan{bare: true}
		m.setEach(p, omitted)
		room := size{rng.IntN(maxPlain), maxCoded}
		used, n := m.deepen(p, func(int, int) depth { return headline }, m.around(&both{}).html.size(), room)
		if n == m.posts {
			used, _ = m.deepen(p, m.wanted, used, room)
		}
		p.shown = m.posts
		if written := m.write(p).html.size(); written != used {
			t.Errorf("%d posts of %d shown: charged %v, written %v", n, m.posts, used, written)
		}
	}
}
