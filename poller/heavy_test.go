package poller

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"digest"
)

// TestLargeDocumentsTakeTurns: only so many large documents are held at once,
// however many sites send one; small ones do not wait for them.
func TestLargeDocumentsTakeTurns(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		large := strings.Replace(atom(1), "<entry>", "<!--"+strings.Repeat("x", heavyBody)+"--><entry>", 1)
		r := n.reader(t, "http://small.example/", func(*Options) {})
		n.site("small.example:80", says(200, atom(1)))
		n.site("page.example:80", says(200, "<html>"+strings.Repeat("x", heavyBody)))
		done := make(chan Result, 100)
		poll := func(host string) {
			go func() { done <- r.p.Poll(t.Context(), digest.Feed{URL: "http://" + host + "/", Host: host}, 1) }()
		}
		const feeds = 2*mostHeavy + 1
		for i := range feeds {
			host := fmt.Sprintf("h%d.example", i)
			n.site(host+":80", says(200, large))
			poll(host)
		}
		for left := feeds; left > 0; left -= min(left, mostHeavy) {
			synctest.Wait()
			if len(done) != min(left, mostHeavy) {
				t.Fatalf("%d large documents at once, %d to come", len(done), left)
			}
			if left == feeds {
				poll("small.example")
				synctest.Wait()
				if len(done) != mostHeavy+1 {
					t.Error("a small one waits for them")
				}
			}
			for range len(done) {
				result := <-done
				if result.Outcome != Changed {
					t.Error(result.Message)
				}
				result.Release()
			}
		}
		for range 2 * mostHeavy { // nothing comes of them, and whoever asked lets go all the same
			poll("page.example")
			(<-done).Release()
		}
	})
}
