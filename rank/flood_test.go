package rank

import (
	"testing"

	"digest"
)

// TestFloods: only a site whose usual number of posts is known floods, with more than three times as many.
func TestFloods(t *testing.T) {
	known := digest.FeedHistory{Recent: 20, Most: 6, Since: midnight.AddDate(0, 0, -29)}
	short, rare, calm := known, known, known
	short.Since, rare.Recent, calm.Most = midnight.AddDate(0, 0, -13), 4, 1
	for name, c := range map[string]struct {
		history digest.FeedHistory
		n, days int
		want    bool
	}{
		"three times as many":         {known, 18, 1, false},
		"more":                        {known, 19, 1, true},
		"more in a week":              {known, 19, 7, false},
		"far more in a week":          {known, 127, 7, true},
		"a small number":              {calm, 9, 1, false},
		"a calm site":                 {calm, 10, 1, true},
		"a new site":                  {short, 41, 1, false},
		"a site with few posts":       {rare, 41, 1, false},
		"a site without earlier ones": {digest.FeedHistory{}, 41, 1, false},
	} {
		if got := Floods(c.history, c.n, c.days, midnight); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestFolded: a folded site neither leads nor comes second, even if the reader chose it to lead.
func TestFolded(t *testing.T) {
	flood := with(site(1, 900, 800), func(s *Site) { s.Folded, s.Chosen = true, true })
	places := Of([]Site{flood, site(2, 300)}, nil, 100)
	if places[100].Rank != Brief || places[100].Reason != Flooded || places[200].Rank != Lead {
		t.Errorf("%+v", places)
	}
}
