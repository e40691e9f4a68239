package render

import (
	"testing"

	"digest"
	"digest/rank"
)

func TestShortName(t *testing.T) {
	for title, want := range map[string]string{
		"Al Jazeera – Breaking News, World News and Video from Al Jazeera": "Al Jazeera",
		"Le Monde.fr - Actualités et Infos en France et dans le monde":     "Le Monde.fr",
		"Ann: a blog about life, bread and boats":                          "Ann",
		"Ann: a blog about life":                                           "Ann: a blog about life",
		"kottke.org":                                                       "kottke.org",
		"BBC News - World":                                                 "BBC News - World",
		"Hacker News: Newest":                                              "Hacker News: Newest",
		"Blog - The Long Now Foundation of California": "Blog - The Long Now Foundation of " +
			"California",
		"A - the first letter of them":              "A - the first letter of them",
		"Google Alert - quantum computing research": "Google Alert - quantum computing research",
		"U.S. - The New York Times":                 "U.S. - The New York Times",
		"The Harbour Log | The Harbour Log":         "The Harbour Log",
	} {
		if got := ShortName(title); got != want {
			t.Errorf("%q becomes %q, want %q", title, got, want)
		}
	}
}

// TestSubjectOfRanks: the subject is the headline of the lead, or else of the first second, with the other sites by
// name. A site whose post leads is not named again.
func TestSubjectOfRanks(t *testing.T) {
	e := typical()
	e.DateSubject = false
	for i := range e.Sections {
		e.Sections[i].Feed = digest.FeedID(i + 1)
	}
	second, lead := e.Sections[2].Posts[0], e.Sections[6].Posts[1]
	e.Sections[2].Places = []rank.Place{{Rank: rank.Second}}
	for name, c := range map[string]struct {
		lead digest.PostID
		want string
	}{
		"no lead": {0, second.Title + " · The Harbour Log, Cuisine de quartier and 4 more"},
		"a lead":  {77, lead.Title + " · Small Compilers, The Harbour Log and 4 more"},
	} {
		lead.ID, e.Lead = 77, c.lead
		if got := mailOf(t, e).Subject; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	first := e.Sections[6]
	first.Posts, e.Sections[6].Posts = first.Posts[1:2], append(first.Posts[:1:1], first.Posts[2:]...)
	first.Places, e.Lead = nil, 77
	e.Sections = append([]Section{first}, e.Sections...)
	m := mailOf(t, e)
	if want := lead.Title + " · Small Compilers, The Harbour Log and 4 more"; m.Subject != want {
		t.Errorf("a lead of its own: %q", m.Subject)
	}
}
