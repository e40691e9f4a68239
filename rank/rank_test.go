package rank

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"digest"
)

func TestIsHeadline(t *testing.T) {
	for title, want := range map[string]bool{
		"The lighthouse, painted at last": true,
		"Google Ads verbatim":             true,
		"Café fermé":                      true,
		"灯台がついに塗られた":                      true,
		"المنارة أخيرا":                   true,
		"C++ and Go":                      true,
		"iOS 27 is out":                   true,
		"":                                false,
		"StudyBuddy":                      false,
		"Lp 66":                           false,
		"#45":                             false,
		"https://what.example/s-good":     false,
		"www.example.org is":              false,
		"BREAKING NEWS NOW":               false,
		"13 November 2026":                false,
		"Freitag, 13. November":           false,
		"November 13th, 2026":             false,
		"Did some lettering #type #art":   false,
		"Issue #12: The lamp":             true,
		"VPS from $1.99/month, SSD":       false,
		"Sun cream for £6.50 is best":     false,
		"Sun lamps for $5/mo!":            false,
		"Gold breaks $5,000":              true,
		"A start-up raises $2.5M in May":  true,
		"Profit of $12.4 a share":         true,
		"vendredi 1er mai 2026":           false,
		"2026-11-13 12:30":                false,
		"11月13日":                          false,
		"The Bear":                        true,
		"The 2026 Election":               true,
		"May the fourth":                  true,
	} {
		if got := IsHeadline(title); got != want {
			t.Errorf("%q: %v, want %v", title, got, want)
		}
	}
}

// TestIsNote: the title of a note is its text; a headline has a text or none.
func TestIsNote(t *testing.T) {
	long := "went to the pier this morning and saw the boats come in before the rain"
	for _, c := range []struct {
		title string
		words int
		want  bool
	}{{long, 15, true}, {long, 90, false}, {long, 0, false}, {"The pier", 2, false}} {
		if got := IsNote(c.title, c.words); got != c.want {
			t.Errorf("%q with %d words: %v", c.title, c.words, got)
		}
	}
}

// TestOpening: posts of a series share an opening, other posts do not.
func TestOpening(t *testing.T) {
	for title, want := range map[string]string{
		"Episode 12: The Lamp":                   "episode:",
		"episode 13":                             "episode:",
		"#39: The Rowan County Clerk":            ":",
		"115: Puppies, People":                   ":",
		"CRE196 Feminismus":                      "cre:",
		"Eight-Day Clock - QA8-10":               "eightdayclock:",
		"Spotlight: Friday Favorites!":           "spotlight:",
		"[Übersetzung] Das Licht":                "übersetzung:",
		"【安全公告】Intel":                            "安全公告:",
		"第12回 灯台":                                "第:",
		"My Week in Review":                      "myweekinreview",
		"All that we learned on the way: part 2": "allthatwelearnedonthewaypart",
		"2,000 boats":                            "boats",
		"2026":                                   "",
		"":                                       "",
	} {
		if got := Opening(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
	titles := "Episode 2\nThe lamp\nEpisode 1: Oil\nLinks: 3\nEpisode 0\nMy week\nMy week\n1\n2\n"
	want := []string{"episode:", "links:", "myweek", "thelamp"}
	if got := Openings(titles); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

var midnight = time.Date(2026, 11, 13, 0, 0, 0, 0, time.UTC)

// site returns a site with posts of some words each, a day before midnight.
func site(feed digest.FeedID, words ...int) Site {
	s := Site{FeedHistory: digest.FeedHistory{FeedID: feed, Recent: 10, Last: midnight.AddDate(0, 0, -3)}}
	for i, n := range words {
		s.Count++
		s.Posts = append(s.Posts, Post{ID: digest.PostID(int(feed)*100 + i), Headline: true, Words: n,
			At: midnight.Add(-time.Hour)})
	}
	return s
}

func with(s Site, change func(*Site)) Site {
	change(&s)
	return s
}

// TestLead: the choice of the lead, with its reason.
func TestLead(t *testing.T) {
	two := func(change func(*Site)) []Site { return []Site{with(site(1, 300), change), site(2, 280)} }
	for name, c := range map[string]struct {
		sites     []Site
		ledLately []digest.FeedID
		lead      digest.PostID
		reason    Reason
	}{
		"the longer text":          {[]Site{site(1, 280), site(2, 300)}, nil, 200, Long},
		"the first folder":         {[]Site{with(site(1, 300), folder), site(2, 260)}, nil, 200, Long},
		"a site after 3 weeks":     {[]Site{site(1, 900), with(site(2, 200), away(61))}, nil, 200, Silence},
		"not of an unknown site":   {[]Site{site(1, 900), with(site(2, 200), unknown)}, nil, 100, Long},
		"a large picture":          {[]Site{site(1, 300), with(site(2, 280), pictured(640))}, nil, 200, Long},
		"a picture without text":   {[]Site{with(site(1, 0), pictured(640))}, nil, 100, Pictured},
		"not a thumbnail":          {[]Site{site(1, 300), with(site(2, 280), pictured(150))}, nil, 100, Long},
		"not a note":               {two(func(s *Site) { s.Posts[0].Headline = false }), nil, 200, Long},
		"not a late post":          {two(func(s *Site) { s.Posts[0].Late = true }), nil, 200, Long},
		"not a headline site":      {two(func(s *Site) { s.Lines = true }), nil, 200, Long},
		"not a firehose":           {two(func(s *Site) { s.Recent = firehose }), nil, 200, Long},
		"a calm site":              {two(func(s *Site) { s.Recent = busy }), nil, 200, Long},
		"not the site of before":   {two(func(*Site) {}), []digest.FeedID{1}, 200, Long},
		"nobody":                   {two(func(*Site) {}), []digest.FeedID{1, 2}, 0, 0},
		"a single sentence":        {[]Site{site(1, 10)}, nil, 0, 0},
		"not alone beyond a limit": {[]Site{with(site(1, 300), limited), site(2, 280)}, nil, 200, Long},
		"not one of a series":      {two(func(s *Site) { s.Posts[0].Series = true }), nil, 200, Long},
		"a long one of a series": {[]Site{with(site(1, 900), func(s *Site) { s.Posts[0].Series = true })}, nil,
			100, Long},
		"no short one of a series": {[]Site{with(site(1, 100), func(s *Site) { s.Posts[0].Series = true })}, nil, 0, 0},
		"the chosen site":          {two(chosen), []digest.FeedID{1}, 100, Chosen},
	} {
		lead, reason := digest.PostID(0), Reason(0)
		for id, p := range Of(c.sites, c.ledLately, 0) {
			if p.Rank == Lead {
				lead, reason = id, p.Reason
			}
		}
		if lead != c.lead || reason != c.reason {
			t.Errorf("%s: %d leads (%v), want %d (%v)", name, lead, reason, c.lead, c.reason)
		}
	}
}

// TestKeptLead: the lead that was shown leads again, also as the fourth post of its site, unless the reader has chosen
// a site since.
func TestKeptLead(t *testing.T) {
	sites := []Site{site(1, 900, 10, 10, 10, 10), site(2, 300)}
	if p := Of(sites, nil, 103)[103]; p.Rank != Lead {
		t.Errorf("the kept lead has rank %d", p.Rank)
	}
	sites[1].Chosen = true
	if places := Of(sites, nil, 103); places[200].Rank != Lead || places[103].Rank == Lead {
		t.Errorf("the chosen site does not lead: %v", places)
	}
}

// TestSilence: only the first post after a silence ends it.
func TestSilence(t *testing.T) {
	s := with(site(1, 30, 30), away(61))
	s.Posts[0].At = s.Posts[0].At.Add(time.Minute)
	places := Of([]Site{s}, nil, 0)
	if places[100].Reason == Silence || places[101].Reason != Silence || places[101].Silence < 60*day {
		t.Errorf("%+v", places)
	}
}

func folder(s *Site)  { s.Folder = 1 }
func limited(s *Site) { s.Count = 40 }
func unknown(s *Site) { s.Last = time.Time{} }

// chosen makes a site the reader's choice that could not lead otherwise.
func chosen(s *Site) {
	s.Chosen, s.Recent = true, firehose
	s.Posts[0].Headline = false
}

func pictured(width int) func(*Site) { return func(s *Site) { s.Posts[0].Picture = width } }

func away(days int) func(*Site) {
	return func(s *Site) { s.Last = midnight.Add(-time.Hour).AddDate(0, 0, -days) }
}

// TestRanks: two to five seconds of different sites, and the fourth post of a site is a line unless the reader wants
// its posts whole.
func TestRanks(t *testing.T) {
	count := func(sites []Site) (n [4]int) {
		for _, p := range Of(sites, nil, 0) {
			n[p.Rank]++
		}
		return n
	}
	many := func(n int) (all []Site) {
		for i := range n {
			all = append(all, site(digest.FeedID(i+1), 300))
		}
		return all
	}
	five := func() Site { return site(1, 300, 300, 300, 300, 300) }
	for name, c := range map[string]struct {
		sites []Site
		want  [4]int // standard, brief, second, lead
	}{
		"none":        {nil, [4]int{}},
		"few":         {many(4), [4]int{3, 0, 0, 1}},
		"some":        {many(5), [4]int{2, 0, 2, 1}},
		"many":        {many(40), [4]int{34, 0, 5, 1}},
		"one site":    {[]Site{site(1, 300, 300, 300, 300, 300, 300)}, [4]int{5, 0, 0, 1}},
		"a busy site": {[]Site{five(), site(2, 10)}, [4]int{3, 2, 0, 1}},
		"whole":       {[]Site{with(five(), func(s *Site) { s.Whole = true }), site(2, 10)}, [4]int{5, 0, 0, 1}},
		"lines":       {[]Site{with(five(), func(s *Site) { s.Lines = true }), site(2, 10)}, [4]int{6, 0, 0, 0}},
		"nothing to say": {[]Site{site(1, 10), site(2, 10), site(3, 10), site(4, 10), site(5, 30)},
			[4]int{4, 0, 0, 1}},
		"one second a site": {[]Site{site(1, 300), site(2, 300, 300, 300)}, [4]int{3, 0, 0, 1}},
	} {
		if got := count(c.sites); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestSameRanks: any order of the same sites gives the same ranks, and over a month no site leads more than one
// edition in five if the last four leads rest.
func TestSameRanks(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		led := map[digest.FeedID]int{}
		var rest []digest.FeedID
		for range 30 {
			var sites []Site
			for feed := range digest.FeedID(3 + r.IntN(20)) {
				words := make([]int, 1+r.IntN(5))
				for i := range words {
					words[i] = r.IntN(1500)
				}
				s := site(feed+1, words...)
				s.Recent, s.Folder, s.Last = r.IntN(400), r.IntN(3), midnight.AddDate(0, 0, -r.IntN(300))
				s.Posts[0].Series = r.IntN(3) == 0
				sites = append(sites, s)
			}
			places := Of(sites, rest, 0)
			r.Shuffle(len(sites), func(i, j int) { sites[i], sites[j] = sites[j], sites[i] })
			if again := Of(sites, rest, 0); !reflect.DeepEqual(places, again) {
				t.Fatalf("seed %d: %v, then %v", seed, places, again)
			}
			lead := digest.FeedID(0)
			for id, p := range places {
				if p.Rank == Lead {
					lead = digest.FeedID(id / 100)
				}
			}
			led[lead]++
			rest = append(rest, lead)[max(0, len(rest)+1-Rest):]
		}
		for feed, n := range led {
			if feed != 0 && n > 30/(Rest+1) {
				t.Errorf("seed %d: site %d leads %d of 30", seed, feed, n)
			}
		}
	}
}

// BenchmarkOf ranks an edition of 2,000 posts; the limit is 20 ms.
func BenchmarkOf(b *testing.B) {
	var sites []Site
	for feed := range digest.FeedID(200) {
		sites = append(sites, site(feed+1, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000))
	}
	for b.Loop() {
		if n := len(Of(sites, nil, 0)); n != 2000 {
			b.Fatal(fmt.Sprint(n))
		}
	}
}

// TestBest: of a site of an edition of several days, the best posts are more than a line, and late posts come last.
func TestBest(t *testing.T) {
	s := with(site(1, 10, 20, 900, 300, 70, 1500), func(s *Site) {
		s.Best = true
		s.Posts[5].Late, s.Posts[3].Headline = true, false
	})
	brief := func(kept digest.PostID) (ids []digest.PostID) {
		for id, p := range Of([]Site{s}, nil, kept) {
			if p.Rank == Brief {
				ids = append(ids, id)
			}
		}
		slices.Sort(ids)
		return ids
	}
	for kept, want := range map[digest.PostID][]digest.PostID{0: {101, 103, 105}, 105: {100, 101, 103}} {
		if got := brief(kept); !slices.Equal(got, want) {
			t.Errorf("with %d as the lead: %d are lines, want %d", kept, got, want)
		}
	}
}
