package worker_test

import (
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strings"
	"sync"
	"testing"

	"digest"
)

// A gallery is a site whose feed shows a picture that loads and one that does not.
type gallery struct {
	*site
	mu     sync.Mutex
	looked map[string]int // requests by path
}

func newGallery(t *testing.T) *gallery {
	g := &gallery{site: newSite(t), looked: map[string]int{}}
	g.Config.Handler = g
	for _, name := range []string{"good", "gone"} {
		g.item(name, name, fmt.Sprintf(`<description>&lt;img src="%s/%s.png"&gt; Some words about it.</description>`+
			`<pubDate>Wed, 18 Nov 2026 12:00:00 GMT</pubDate>`, g.URL, name))
	}
	return g
}

func (g *gallery) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, ".png") {
		g.site.ServeHTTP(w, r)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.looked[r.URL.Path]++; r.URL.Path == "/good.png" {
		_ = png.Encode(w, image.NewGray(image.Rect(0, 0, 1200, 800)))
		return
	}
	http.NotFound(w, r)
}

// TestPicturesAreLookedAt: the job requests the pictures of new posts once, before their edition, and a missing one
// again after a day and after a week.
func TestPicturesAreLookedAt(t *testing.T) {
	eachEmptyHouse(t, "2026-11-18 10:00", func(t *testing.T, h *house) {
		g := newGallery(t)
		h.reader("ann@example.org", "UTC", g.site)
		for _, c := range []struct {
			clock      string
			good, gone int
		}{{"2026-11-19 00:00", 1, 1}, {"2026-11-19 12:00", 1, 1}, {"2026-11-20 00:00", 1, 2},
			{"2026-11-26 00:00", 1, 2},
			{"2026-11-27 00:00", 1, 3}} {
			h.set(c.clock)
			_, err := h.job().Tick(t.Context())
			ok(t, err)
			if g.looked["/good.png"] != c.good || g.looked["/gone.png"] != c.gone {
				t.Errorf("by %s: %v", c.clock, g.looked)
			}
		}
		sizes, err := h.st.Editions.PictureSizes(t.Context(), []string{g.URL + "/good.png", g.URL + "/gone.png"})
		ok(t, err)
		if sizes[g.URL+"/good.png"] != (digest.PictureSize{Width: 1200, Height: 800}) ||
			!sizes[g.URL+"/gone.png"].Dead {
			t.Errorf("%+v", sizes)
		}
	})
}
