package worker_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// TestI9_AnyHistory has two publishers that act at random for three weeks. One of them, the forger,
// redirects to the other, copies its identities, disappears and returns. Readers of the other alone see
// nothing of it, and get each post once.
func TestI9_AnyHistory(t *testing.T) {
	for seed := range uint64(16) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, st *store.Store) {
				newRivals(newHouse(t, st, "2026-11-01 10:00"), rand.New(rand.NewPCG(seed, 9)), fmt.Sprint(seed)).live()
			})
		})
	}
}

// rivals are a forger, a genuine publisher, and their readers.
type rivals struct {
	*house
	r               *rand.Rand
	name            string
	forger, genuine *site
	moving          bool
	posts           []string              // of the genuine publisher
	ann, cyd        digest.Digest         // ann reads the forger, cyd both, if there is a cyd
	readers         map[int]digest.Digest // of the genuine publisher alone, by the first post that they must get
	forged          map[string]bool       // posts whose identity the forger has copied
	log             []string
}

func newRivals(h *house, r *rand.Rand, name string) *rivals {
	v := &rivals{house: h, r: r, name: name, readers: map[int]digest.Digest{}, forged: map[string]bool{}}
	v.forger, v.genuine = newSite(h.t, "forged first "+name), newSite(h.t, "genuine first "+name)
	v.ann = h.reader("ann"+name+"@example.org", "UTC", v.forger)
	if r.IntN(2) == 0 {
		v.readers[0] = h.reader("bob"+name+"@example.org", "UTC", v.genuine)
		v.cyd = h.reader("cyd"+name+"@example.org", "UTC", v.forger, v.genuine)
	}
	return v
}

func (v *rivals) live() {
	v.t.Helper()
	for day := 2; day <= 22; day++ {
		v.forgerDoes()
		if day < 20 {
			v.genuineDoes()
		} else {
			v.genuine.says(0)
		}
		v.midnights(day)
		v.set(fmt.Sprintf("2026-11-%02d 12:00", day))
		if len(v.readers) < 2 && day > 8 && v.genuineIsWell() && v.r.IntN(6) == 0 {
			v.readers[len(v.posts)] = v.reader(fmt.Sprintf("dan%s-%d@example.org", v.name, day), "UTC", v.genuine)
			v.log = append(v.log, "reader")
		}
		if v.r.IntN(8) == 0 {
			v.undo()
		}
	}
	v.judge()
}

func (v *rivals) genuineIsWell() bool {
	v.genuine.mu.Lock()
	defer v.genuine.mu.Unlock()
	return v.genuine.status == 0
}

func (v *rivals) forgerDoes() {
	next := fmt.Sprintf("genuine %d %s", len(v.posts)+v.r.IntN(2), v.name)
	n := v.r.IntN(10)
	if n < 3 && v.forged[next] { // a document names a post once
		return
	}
	v.forged[next] = v.forged[next] || n < 3
	switch {
	case n < 2:
		v.forger.forge(fmt.Sprintf("forged %d %s", len(v.log), v.name), strings.ReplaceAll(next, " ", "-"))
		v.log = append(v.log, "forge")
	case n < 3:
		v.forger.forge(next, strings.ReplaceAll(next, " ", "-")) // forged text under a genuine title
		v.log = append(v.log, "imitate")
	case n < 6 && !v.moving:
		v.moving = true
		v.forger.says([]int{http.StatusMovedPermanently, http.StatusMovedPermanently, http.StatusFound}[v.r.IntN(3)],
			"Location", v.genuine.URL+"/feed.xml")
		v.log = append(v.log, "redirect")
	case n < 7 && v.r.IntN(2) == 0:
		v.moving = false
		v.forger.says(0)
		v.log = append(v.log, "well")
	case n == 7 && v.r.IntN(2) == 0:
		v.moving = false
		v.forger.says(http.StatusNotFound)
		v.log = append(v.log, "forger 404")
	}
}

func (v *rivals) genuineDoes() {
	switch n := v.r.IntN(6); {
	case n < 3:
		v.posts = append(v.posts, fmt.Sprintf("genuine %d %s", len(v.posts), v.name))
		v.genuine.publish(v.posts[len(v.posts)-1])
		v.log = append(v.log, "publish")
	case n < 4:
		v.genuine.says(http.StatusNotFound)
		v.log = append(v.log, "404")
	case n < 5:
		v.genuine.says(0)
		v.log = append(v.log, "found")
	}
}

func (v *rivals) undo() {
	v.t.Helper()
	moves, err := v.st.Subscriptions.Moves(v.t.Context(), v.ann.ID)
	ok(v.t, err)
	for _, m := range moves {
		err := v.st.Subscriptions.UndoMove(v.t.Context(), v.ann.ID, m.FeedID, v.clock.Add(time.Minute))
		if err != nil && digest.KindOf(err) != digest.NotFound {
			v.t.Fatal(err)
		}
		v.log = append(v.log, "undo")
	}
}

func (v *rivals) judge() {
	v.t.Helper()
	for first, d := range v.readers {
		got := v.titles(d)
		if strings.Contains(got, "forged") {
			v.t.Errorf("after %v\na reader of the genuine feed has had %s", v.log, got)
		}
		for _, post := range v.posts[first:] {
			if n := strings.Count(got+",", post+","); n != 1 {
				v.t.Errorf("after %v\na reader of the genuine feed has had %s %d times: %s", v.log, post, n, got)
			}
		}
	}
	if v.cyd.ID != 0 {
		got := v.titles(v.cyd)
		for _, post := range v.posts {
			if !strings.Contains(got+",", post+",") {
				v.t.Errorf("after %v\nthe reader of both has not had %s: %s", v.log, post, got)
			}
		}
	}
	seen := make(map[string]bool)
	for _, title := range strings.Split(v.titles(v.ann), ", ") {
		if seen[title] && !strings.HasPrefix(title, "genuine") { // the forger also publishes under these titles
			v.t.Errorf("after %v\nthe forger's reader has had %s twice", v.log, title)
		}
		seen[title] = true
	}
}
