package worker_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"digest"
)

// TestFeedOfThePageInItsPlace has a rebuilt site: a page is in place of the feed, and offers the feed
// elsewhere. The reader misses nothing and gets no notice. The feed has its new address from the second
// night on.
func TestFeedOfThePageInItsPlace(t *testing.T) {
	eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
		var anew atomic.Bool
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			posts := map[string]string{"/feed.xml": "a", "/new.xml": "b a"}[r.URL.Path]
			switch {
			case r.URL.Path == "/feed.xml" && anew.Load():
				fmt.Fprint(w, `<!doctype html><title>Paper</title><link rel="alternate" `+
					`type="application/rss+xml" href="/new.xml"><p>Welcome.</p>`)
			case posts == "":
				http.NotFound(w, r)
			default:
				writeFeed(w, posts)
			}
		}))
		defer server.Close()
		ann := h.reader("ann@example.org", "UTC", &site{Server: server})
		h.midnights(20)
		anew.Store(true)
		h.midnights(21, 22, 23)
		if got := h.subscribedTo(ann); len(got) != 1 || got[0] != server.URL+"/new.xml" {
			t.Errorf("the feed is at %s", got)
		}
		if got := h.titles(ann); got != "a, b" {
			t.Errorf("the reader has had %s", got)
		}
		if got := h.told(ann); got != "" {
			t.Errorf("the reader was told %s", got)
		}
	})
}

// writeFeed writes a feed with the titles of posts.
func writeFeed(w io.Writer, titles string) {
	fmt.Fprint(w, `<rss version="2.0"><channel><title>Paper</title>`)
	for title := range strings.FieldsSeq(titles) {
		fmt.Fprintf(w, `<item><title>%s</title><guid>%[1]s</guid></item>`, title)
	}
	fmt.Fprint(w, `</channel></rss>`)
}

func (h *house) told(d digest.Digest) string {
	h.t.Helper()
	var all []string
	for _, e := range h.oldestFirst(d) {
		told, err := h.st.Editions.Notices(h.t.Context(), []digest.Delivery{{Edition: e}})
		ok(h.t, err)
		for _, n := range told[e.ID] {
			all = append(all, e.LocalDate.String()+" "+string(n.Kind)+" "+string(n.Illness))
		}
	}
	return strings.Join(all, ", ")
}

// TestSickFeedIsToldOfInAWeek holds that the edition after a week of failures has a notice, and later ones
// have none.
func TestSickFeedIsToldOfInAWeek(t *testing.T) {
	eachEmptyHouse(t, "2026-11-01 10:00", func(t *testing.T, h *house) {
		sick, quiet := newSite(t, "a"), newSite(t, "b")
		ann := h.reader("ann@example.org", "UTC", sick, quiet)
		h.midnights(2)
		sick.says(http.StatusUnauthorized)
		for day := 3; day <= 28; day++ {
			h.midnights(day)
		}
		if got := h.told(ann); got != "2026-11-10 sick password" {
			t.Errorf("told %q", got)
		}
	})
}
