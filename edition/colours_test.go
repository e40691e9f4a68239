package edition_test

import (
	"strings"
	"testing"

	"digest"
	"digest/test/tier"
)

// TestColoursOfEach: several newsletters and a reader's own edition contain the same posts. If one call renders them,
// each has its own colours, also from the cache.
func TestColoursOfEach(t *testing.T) {
	s := stocked()
	b := builder(s)
	accents := []string{"", "#0b5d4a", "#990f3d", "#0b5d4a"}
	var ds []digest.Delivery
	for _, accent := range accents {
		d := deliveries()[0]
		if d.Look.Layout = digest.FullText; accent != "" {
			d.Newsletter = &digest.Newsletter{Slug: "n", Colours: digest.Colours{Accent: accent}}
		}
		ds = append(ds, d)
	}
	for round := range 2 {
		s.postsRead = 0
		letters, err := b.Render(t.Context(), ds)
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range letters {
			html := strings.ReplaceAll(inARow(l), "=\r\n", "")
			for _, accent := range []string{"#8f2d1f", "#0b5d4a", "#990f3d"} {
				own := accents[i] == accent || accents[i] == "" && accent == "#8f2d1f"
				if has := strings.Contains(html, "color:"+accent); has != own {
					t.Errorf("round %d, letter %d: %s is there: %v", round, i, accent, has)
				}
			}
		}
		if round == 1 && s.postsRead > 0 {
			t.Errorf("%d posts were read again", s.postsRead)
		}
	}
}

// TestManyNewsletters: with more colours than cached renderers, each post is still rendered once for each colour.
func TestManyNewsletters(t *testing.T) {
	tier.Alone(t)
	s := stocked()
	b := builder(s)
	var ds []digest.Delivery
	for i := range 500 {
		d := deliveries()[0]
		d.Newsletter = &digest.Newsletter{Slug: "n",
			Colours: digest.Colours{Accent: digest.Colour{R: uint8(i % 100), B: uint8(i / 100)}.String()}}
		ds = append(ds, d)
	}
	for round := range 2 {
		s.postsRead = 0
		if _, err := b.Render(t.Context(), ds); err != nil {
			t.Fatal(err)
		}
		if read := s.postsRead > 0; read != (round == 0) {
			t.Errorf("round %d: %d posts were read", round, s.postsRead)
		}
	}
}
