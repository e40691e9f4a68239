package poller

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"digest"
)

func holds(t *testing.T, n int, bytes int64) (all []*hold) {
	m := &memory{}
	for range n {
		h := &hold{memory: m}
		if err := h.grow(t.Context(), bytes); err != nil {
			t.Fatal(err)
		}
		all = append(all, h)
	}
	return all
}

// TestMemory holds that wishes that do not fit wait, and that the smallest is granted first.
func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := holds(t, 3, MostBodies/4)
		m := all[0].memory
		var order []string
		wish := func(name string, to int64) {
			h := &hold{memory: m}
			go func() {
				if err := h.grow(t.Context(), to); err != nil {
					t.Error(err)
				}
				order = append(order, name)
				h.release()
			}()
			synctest.Wait()
		}
		wish("largest", 9<<20)
		wish("large", 4<<20)
		wish("small", largeBody/2)
		wish("free", freeBody)
		if got := strings.Join(order, " "); got != "small free" {
			t.Errorf("%q did not wait", got)
		}
		all[0].release()
		synctest.Wait()
		if got := strings.Join(order, " "); got != "small free large largest" && got != "small free large" {
			t.Errorf("%q", got)
		}
		all[1].release()
		all[1].release() // has no effect
		all[2].release()
		synctest.Wait()
		if len(order) != 4 || m.used != 0 || m.busy != 0 || len(m.waiting) > 0 {
			t.Errorf("%v, %+v is left", order, m)
		}
	})
}

// TestMemoryOfAllThatWait holds that bodies that all wait for more memory do not exceed it. Some are
// refused, so that the others continue.
func TestMemoryOfAllThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 100
		m := &memory{}
		most, done, refused := int64(0), 0, 0
		var wg sync.WaitGroup
		for i := range n {
			h := &hold{memory: m}
			wg.Go(func() {
				defer h.release()
				for to := int64(128<<10) + int64(i); to < maxBody; to *= 2 {
					err := h.grow(t.Context(), to)
					m.mu.Lock()
					most = max(most, m.used)
					if err != nil {
						refused++
					}
					m.mu.Unlock()
					if err != nil {
						return
					}
					time.Sleep(time.Second)
				}
				m.mu.Lock()
				done++
				m.mu.Unlock()
			})
		}
		wg.Wait()
		if done < 3 || done+refused != n || most > MostBodies || m.used != 0 || m.busy != 0 {
			t.Errorf("%d came, %d did not; %d bytes at once; %+v is left", done, refused, most, m)
		}
	})
}

// TestMemoryForSmallOnes holds that a body that is not large does not wait for waiting large ones.
func TestMemoryForSmallOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := holds(t, 30, 800<<10)
		m := all[0].memory
		var wg sync.WaitGroup
		for _, h := range all {
			wg.Go(func() {
				_ = h.grow(t.Context(), 5<<20)
				time.Sleep(time.Hour)
				h.release()
			})
		}
		synctest.Wait()
		for range 25 {
			h := &hold{memory: m}
			begun := time.Now()
			if err := h.grow(t.Context(), 1<<20); err != nil || time.Since(begun) > 0 {
				t.Error(err, time.Since(begun))
			}
			defer h.release()
		}
		wg.Wait()
	})
}

// TestMemoryGivenUp holds that a body that waits too long is refused.
func TestMemoryGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := holds(t, 3, MostBodies/4)
		h := &hold{memory: all[0].memory}
		if err := h.grow(t.Context(), 9<<20); !errors.Is(err, errNoRoom) {
			t.Error(err)
		}
		for _, h := range append(all, h) {
			h.release()
		}
		if m := h.memory; m.used != 0 || m.busy != 0 || len(m.waiting) > 0 {
			t.Errorf("%+v is left", m)
		}
	})
}

// TestLargeDocumentsTakeTurns holds that documents in memory have a limited size, whatever number of sites
// send one. Small documents do not wait for large ones, and the wait is no failure of the site.
func TestLargeDocumentsTakeTurns(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		const size, fit = 4 << 20, 5
		large := strings.Replace(atom(1), "<entry>", "<!--"+strings.Repeat("x", size)+"--><entry>", 1)
		r := n.reader(t, "http://small.example/", func(*Options) {})
		n.site("small.example:80", says(200, atom(1)))
		n.site("page.example:80", says(200, "<html>"+strings.Repeat("x", size)))
		done := make(chan Result, 100)
		poll := func(host string) {
			go func() { done <- r.p.Poll(t.Context(), digest.Feed{URL: "http://" + host + "/", Host: host}, 1) }()
		}
		const feeds = 2*fit + 1
		for i := range feeds {
			host := fmt.Sprintf("h%d.example", i)
			n.site(host+":80", says(200, large))
			poll(host)
		}
		for left := feeds; left > 0; {
			synctest.Wait()
			if len(done) == 0 || len(done) > fit {
				t.Fatalf("%d large documents at once, %d to come", len(done), left)
			}
			if left == feeds {
				before := len(done)
				poll("small.example")
				synctest.Wait()
				if len(done) != before+1 {
					t.Error("a small one waits for them")
				}
				left++
			}
			time.Sleep(40 * time.Second) // longer than a request may take
			for range len(done) {
				result := <-done
				if result.Outcome != Changed || result.Took > time.Second {
					t.Error(result.Message, result.Took)
				}
				free := result.Keep(1) // does not block the next ones
				defer free()
				left--
			}
		}
		if m := r.p.bodies; m.used != feeds+1 || m.unstored != feeds+1 {
			t.Errorf("%+v is kept, of %d polls a byte", m, feeds+1)
		}
		for range 2 * fit { // they return no feed, and their memory is freed anyway
			poll("page.example")
			(<-done).Release()
		}
		if m := r.p.bodies; m.used != m.unstored || m.busy != feeds+1 {
			t.Errorf("%+v is left", m)
		}
	})
}

// TestFindsTakeTurns holds that searches use the same memory until their results are released. Pages, other
// documents and known feeds keep none.
func TestFindsTakeTurns(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		const size, fit, finds = 4 << 20, 5, 8
		filler := "<!--" + strings.Repeat("x", size) + "-->"
		large := strings.Replace(atom(1), "<entry>", filler+"<entry>", 1)
		r := n.reader(t, "http://small.example/", func(*Options) {})
		n.site("small.example:80", says(200, atom(1)))
		n.site("behind.example:80",
			paths(map[string]string{"/": "<html>" + filler + `<link rel=alternate type=application/rss+xml href=/feed>`,
				"/feed": large}))
		n.site("nothing.example:80", says(200, "<html>"+filler))
		n.site("known.example:80",
			paths(map[string]string{"/": "<html>" +
				filler + `<link rel=alternate type=application/rss+xml href=/feed>`}))
		known := func(_ context.Context, address string) (digest.Feed, bool) {
			return digest.Feed{ID: 7, URL: address}, address == "http://known.example/feed"
		}
		find := func(host string) Result {
			c, _ := r.p.Find(t.Context(), "http://"+host+"/", known) // the assertions below check the outcome
			return c.Read
		}
		done := make(chan Result, finds)
		for i := range finds {
			host := fmt.Sprintf("h%d.example", i)
			n.site(host+":80", says(200, large))
			go func() { done <- find(host) }()
		}
		synctest.Wait()
		if len(done) == 0 || len(done) > fit {
			t.Errorf("%d large documents at once of %d", len(done), finds)
		}
		if small := find("small.example"); small.Outcome != Changed {
			t.Errorf("a small one waits for them: %+v", small)
		}
		for range finds {
			result := <-done
			if result.Outcome != Changed {
				t.Error(result.Message)
			}
			result.Release()
		}
		for host, want := range map[string]Outcome{"behind.example": Changed, "known.example": Unchanged,
			"nothing.example": ""} {
			result := find(host)
			if result.Outcome != want {
				t.Errorf("%s: %+v", host, result)
			}
			result.Release()
			if m := r.p.bodies; m.used != 0 || m.busy != 0 {
				t.Errorf("%s: %+v is left", host, m)
			}
		}
	})
}

// TestMemoryOfWhatIsKept holds that results that wait to be stored count to the byte, and that others wait
// for them. No wish is refused because of them.
func TestMemoryOfWhatIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := holds(t, 4, MostBodies/8)
		m := all[0].memory
		all[0].keep(1)
		if m.unstored != 1 || m.used != MostBodies/8*3+1 || m.full() {
			t.Errorf("%+v", m)
		}
		for _, h := range all {
			h.keep(MostBodies / 4)
		}
		if m.unstored != MostBodies || m.used != MostBodies || !m.full() {
			t.Errorf("%+v", m)
		}
		var came []string
		wish := func(name string, to int64) {
			h := &hold{memory: m}
			_ = h.grow(t.Context(), freeBody)
			go func() {
				defer h.release()
				if err := h.grow(t.Context(), to); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				came = append(came, name)
			}()
			synctest.Wait()
		}
		wish("large", 5<<20)
		wish("small", 1<<20)
		if len(came) > 0 {
			t.Errorf("%v did not wait", came)
		}
		for _, h := range all {
			h.release()
			synctest.Wait()
		}
		if strings.Join(came, " ") != "small large" || m.unstored != 0 || m.used != 0 || m.busy != 0 || m.full() {
			t.Errorf("%v came; %+v is left", came, m)
		}
	})
}

// TestMemoryBound holds that the limit is configurable, and that the largest document fits into the
// smallest.
func TestMemoryBound(t *testing.T) {
	m := &memory{most: LeastBodies}
	h := &hold{memory: m}
	if w := m.ask(h, maxBody+1); w == nil || len(w.granted) == 0 || <-w.granted != nil {
		t.Error("the largest document has no room")
	}
	if w := m.ask(&hold{memory: m}, LeastBodies-maxBody); w == nil || len(w.granted) > 0 {
		t.Error("the bound is exceeded")
	}
}
