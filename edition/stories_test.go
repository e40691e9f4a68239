package edition

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/render"
)

// told returns a post of a site.
func told(id int, site, title, text, language string) digest.Post {
	return digest.Post{ID: digest.PostID(id), FeedID: digest.FeedID(id), Title: title, Untitled: title == "",
		Summary: text, Content: "<p>" + text + "</p>", Language: language, SiteURL: "https://" + site + "/",
		URL: fmt.Sprintf("https://%s/%d", site, id), SeenAt: time.Unix(1_800_000_000, 0)}
}

func tellersOf(posts []digest.Post) (all []teller) {
	r := render.New(func(string) string { return "" })
	for _, p := range posts {
		shown := r.Brief(p)
		all = append(all, teller{&post{Post: shown, published: seconds(p.PublishedAt), seen: seconds(p.SeenAt),
			story: storyOf(p, shown.Words)}, p.FeedID})
	}
	return all
}

const (
	agency = "The old lighthouse of Westhaven burned down on Saturday night. Nobody was hurt, said the fire service. " +
		"The keeper had left the tower an hour earlier."
	branded = "Fire service spokesman Arne Petersen said that the lamp room had been repainted in October."
)

// TestRetold: sites that print one report, and short posts that point to one page, are one story. Look-alikes stay.
func TestRetold(t *testing.T) {
	const fire = "Lighthouse of Westhaven burns down"
	link := func(id int, site, text, to, language string) digest.Post {
		p := told(id, site, "", text, language)
		p.Content = fmt.Sprintf(`<p>%s <a href="%s">link</a></p>`, text, to)
		return p
	}
	about := func(p digest.Post, page string) digest.Post { p.LeadsTo = page; return p }
	at := func(p digest.Post, hours int) digest.Post {
		p.SeenAt = p.SeenAt.Add(time.Duration(hours) * time.Hour)
		return p
	}
	const page = "https://anna.example/2026/old-boat-sails-again"
	long := strings.Repeat("And so the boat went on and on along the whole coast. ", 12)
	sound := link(2, "b.example", "The old boat sails", page, "en")
	sound.Enclosures = []digest.Enclosure{{URL: "https://b.example/2.mp3", Type: "audio/mpeg"}}
	for name, c := range map[string]struct {
		posts []digest.Post
		want  string // pairs: the post that is left out and the other
	}{
		"one report": {[]digest.Post{told(1, "a.example", fire, agency, "en"),
			told(2, "b.example", fire, agency+" "+branded, "en-GB")}, "1>2"},
		"three papers": {[]digest.Post{told(1, "a.example", fire, agency, "en"),
			told(2, "b.example", fire, agency, "en"), told(3, "c.example", fire, agency, "en")}, "2>1 3>1"},
		"two days apart": {[]digest.Post{told(1, "a.example", fire, agency, "en"),
			at(told(2, "b.example", fire, agency, "en"), 49)}, ""},
		"one feed": {[]digest.Post{told(1, "a.example", fire, agency, "en"),
			func() digest.Post { p := told(2, "a.example", fire, agency, "en"); p.FeedID = 1; return p }()}, ""},
		"another language": {[]digest.Post{told(1, "a.example", fire, agency, "en"),
			told(2, "b.example", fire, agency, "de")}, ""},
		"an unknown language": {[]digest.Post{told(1, "a.example", fire, agency, ""),
			told(2, "b.example", fire, agency, "")}, ""},
		"other numbers": {[]digest.Post{told(1, "a.example", fire, agency+" 3 people were there.", "en"),
			told(2, "b.example", fire, agency+" 5 people were there.", "en")}, ""},
		"two towns": {[]digest.Post{told(1, "a.example", "Man dies in crash in Leeds", agency, "en"),
			told(2, "b.example", "Man dies in crash in Hull", agency, "en")}, ""},
		"a denial": {[]digest.Post{told(1, "a.example", fire, agency, "en"),
			told(2, "b.example", "Lighthouse of Westhaven burns not down", agency, "en")}, ""},
		"two reviews": {[]digest.Post{told(1, "a.example", "Review: The Lighthouse of Westhaven",
			"A film for people who like rain, fog and long silences between two keepers.", "en"),
			told(2, "b.example", "Review: The Lighthouse of Westhaven",
				"Nothing happens for two hours, and yet the audience was on the edge of its seats.", "en")}, ""},
		"two columns": {[]digest.Post{told(1, "a.example", "Links for Tuesday", "What we read: "+agency, "en"),
			told(2, "b.example", "Links for Tuesday", "What we read: "+agency, "en")}, ""},
		"two matches": {[]digest.Post{told(1, "a.example", "Westhaven beat Easthaven 2-1 at home", agency, "en"),
			told(2, "b.example", "Westhaven beat Easthaven 3-1 at home", agency, "en")}, ""},
		"two versions": {[]digest.Post{told(1, "a.example", "Release 2.0.1",
			"What’s changed: bump the action for checkout, fix typos in the documentation, full changelog below.",
			"en"), told(2, "b.example", "Release 2.0.1",
			"What’s changed: bump the action for checkout, fix typos in the documentation, full changelog below.",
			"en")}, ""},
		"two short posts": {[]digest.Post{link(1, "a.example", "The old boat sails again, what a day", page, "en"),
			link(2, "b.example", "Look: the old boat sails", page+"?utm_source=x", "en")}, "2>1"},
		"the page itself": {[]digest.Post{link(1, "a.example", "The old boat sails again", page, "en"),
			func() digest.Post {
				p := told(2, "anna.example", "The old boat sails again", long, "en")
				p.URL = page
				return p
			}()}, "1>2"},
		"a long comment": {[]digest.Post{link(1, "a.example", "The old boat sails "+long, page, "en"),
			link(2, "b.example", "The old boat sails "+long, page, "en")}, ""},
		"a podcast": {[]digest.Post{link(1, "a.example", "The old boat sails again", page, "en"),
			sound}, ""},
		"a page of all posts": {[]digest.Post{link(1, "a.example", "The old boat sails again",
			"https://host.example/privacy", "en"),
			link(2, "b.example", "The old boat sails", "https://host.example/privacy", "en")}, ""},
		"other words": {[]digest.Post{link(1, "a.example", "The old boat sails again", page, "en"),
			link(2, "b.example", "Support us here", page, "en")}, ""},
		"two links": {[]digest.Post{link(1, "a.example", "The old boat sails again", page, "en"),
			link(2, "b.example", `The old boat <a href="https://c.example/9">and</a>`, page, "en")}, ""},
		"two link blogs": {[]digest.Post{about(told(1, "a.example", "Boats, again", "Worth reading.", "en"),
			page), about(told(2, "b.example", "Anna’s boat", long, "en"), page)}, "1>2"},
		"link blogs, by pages": {[]digest.Post{about(told(1, "a.example", "Boats, again", "Worth reading.", "en"),
			page), about(told(2, "b.example", "Anna’s boat", long, "en"), page+"/2")}, ""},
	} {
		var got []string
		left := retold(tellersOf(c.posts))
		for _, p := range c.posts {
			if to, is := left[p.ID]; is {
				got = append(got, fmt.Sprint(p.ID, ">", to))
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", name, s, c.want)
		}
	}
}

// BenchmarkRetold finds the stories of an edition of 2,000 posts, half of which tell the story of another one. It
// compares that with the time to read their words once. The limit for ranking and stories together is 20 ms.
func BenchmarkRetold(b *testing.B) {
	var posts []digest.Post
	for i := range 2000 {
		text := fmt.Sprintf("Report %d of the harbour: ", i/2)
		for j := range 60 {
			text += fmt.Sprintf("word%d ", (i/2*7+j*j)%3000)
		}
		p := told(i+1, fmt.Sprintf("s%d.example", i%300),
			fmt.Sprintf("The harbour reports again on w%d of it", i/2), text,
			"en")
		posts = append(posts, p)
	}
	all := tellersOf(posts)
	start, read, sum := time.Now(), 0, uint32(0)
	for ; time.Since(start) < 100*time.Millisecond; read++ {
		for _, t := range all {
			for _, w := range t.story.words {
				sum += w
			}
		}
	}
	limit := float64(read) / time.Since(start).Seconds()
	b.ReportAllocs()
	for b.Loop() {
		if n := len(retold(all)); n != len(posts)/2 {
			b.Fatalf("%d stories (%d)", n, sum)
		}
	}
	rate := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate, "editions/s")
	b.ReportMetric(limit, "limit/s")
	b.ReportMetric(rate/limit, "ratio")
}
