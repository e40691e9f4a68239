package rank

import (
	"maps"
	"slices"
	"testing"

	"digest"
)

// TestBeyond: posts fill the reading time by their ranks. What does not fit is beyond it.
func TestBeyond(t *testing.T) {
	chosenSite := with(site(4, 30), chosen)
	for name, c := range map[string]struct {
		sites   []Site
		minutes int
		want    []digest.PostID
	}{
		"nothing":                {nil, 10, nil},
		"all fit":                {[]Site{site(1, 900), site(2, 500), site(3, 900)}, 10, nil},
		"the lowest":             {[]Site{site(1, 1300), site(2, 500), site(3, 700)}, 10, []digest.PostID{200}},
		"a shorter one fits":     {[]Site{site(1, 1300), site(2, 1200), site(3, 300)}, 10, []digest.PostID{200}},
		"the first always fits":  {[]Site{site(1, 9000), site(2, 500)}, 10, []digest.PostID{200}},
		"a chosen site is first": {[]Site{site(1, 2400), chosenSite}, 10, []digest.PostID{100}},
		"the fourth of a site":   {[]Site{site(1, 550, 550, 550, 550), site(2, 550)}, 10, []digest.PostID{103}},
		"no headlines of a site": {[]Site{site(1, 2400), with(site(2, 600), lines)}, 10, nil},
		"no folded posts":        {[]Site{site(1, 2300), with(site(2, 600), folded)}, 10, nil},
		"15 seconds at least":    {[]Site{site(1, 2240), site(2, 0), site(3, 0)}, 10, []digest.PostID{300}},
	} {
		beyond := Beyond(c.sites, Of(c.sites, nil, 0), c.minutes)
		if got := slices.Sorted(maps.Keys(beyond)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func lines(s *Site)  { s.Lines = true }
func folded(s *Site) { s.Folded = true }
