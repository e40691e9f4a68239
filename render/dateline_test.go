package render

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// weekly returns an edition of a week.
func weekly() Edition {
	e := page(harbour(), tokyo())
	e.First, e.Last = e.Date.Plus(-7), e.Date.Plus(-1)
	e.Days = map[digest.PostID]catalogue.Moment{}
	for i := range e.Sections {
		for j, p := range e.Sections[i].Posts {
			p.ID = digest.PostID(10*i + j + 1)
			e.Days[p.ID] = catalogue.Day("Monday", e.Date.Plus(-j-1))
		}
	}
	return e
}

// TestSeveralDays: an email of several days names them in its subject and above its posts, and each post has its day.
func TestSeveralDays(t *testing.T) {
	for _, l := range layouts {
		e := weekly()
		e.Layout = l
		m := mailOf(t, e)
		if want := "13–19 November: 4 posts from 2 sites"; m.Subject != want {
			t.Errorf("%q, want %q", m.Subject, want)
		}
		for where, text := range map[string]string{"page": strings.Join(strings.Fields(shownText(t, m.HTML)), " "),
			"text": strings.Join(strings.Fields(m.Text), " ")} {
			order(t, where, text, "13–19 November 2026", "The fog signal", "Thursday", "Maud Pell", "tide tables",
				"Wednesday", "銭湯", "Thursday", "喫茶店", "Wednesday")
		}
	}
	e := weekly()
	e.First = digest.Date{Year: 2026, Month: time.October, Day: 30}
	if m, want := mailOf(t, e), "30 October – 19 November: "; !strings.HasPrefix(m.Subject, want) {
		t.Errorf("%q, want %q", m.Subject, want)
	}
}
