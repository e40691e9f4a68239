package web_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest"
	"digest/edition"
	"digest/store"
	"digest/web"
)

// TestLongFormsOneByOne checks that each reader can send only one long form at a time, because it
// is in memory while it is read.
func TestLongFormsOneByOne(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		other, others := r.user("bob@example.org")
		path, theirs := r.takes(d), r.takes(others)
		long := func(title string) io.Reader { // without a Content-Length
			return io.MultiReader(strings.NewReader("title="), strings.NewReader(title))
		}
		const form = "application/x-www-form-urlencoded"
		v := r.visitor().signIn(u)
		typed, done := v.slowly(path, form)
		_, err := io.WriteString(typed, "title=First") // the transport sends it when the server reads
		r.must(err)
		v.do("POST", path, form, long("Second")).status(http.StatusTooManyRequests)
		v.get(path).status(http.StatusOK)
		v.post(path, url.Values{"title": {"Short"}}).status(http.StatusSeeOther)
		r.visitor().signIn(other).do("POST", theirs, form, long("Theirs")).status(http.StatusSeeOther)
		r.must(typed.Close())
		if got := <-done; got != "303 See Other" {
			r.t.Errorf("the first ends with %s", got)
		}
		v.do("POST", path, form, long("Third")).status(http.StatusSeeOther)
	})
}

// slowly posts what the test writes to typed, after the server has sent 100 Continue.
func (v *visitor) slowly(path, contentType string) (typed *io.PipeWriter, done chan string) {
	body, typed := io.Pipe()
	req, err := http.NewRequestWithContext(v.t.Context(), "POST", v.base+path, body)
	v.must(err)
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Expect", "100-continue")
	for name, value := range v.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	patient := &http.Transport{ExpectContinueTimeout: time.Minute}
	v.t.Cleanup(patient.CloseIdleConnections)
	done = make(chan string, 1)
	go func() {
		resp, err := patient.RoundTrip(req)
		if err != nil {
			_ = body.CloseWithError(err)
			done <- err.Error()
			return
		}
		_ = body.Close() // discards input after the response
		_ = resp.Body.Close()
		done <- resp.Status
	}()
	return typed, done
}

// takes subscribes a digest to a feed and returns the path of the feed's page.
func (r *room) takes(d digest.Digest) string {
	f, _, err := r.store.Feeds.EnsureFeed(r.t.Context(),
		digest.Feed{URL: "https://site.example/feed", Host: "site.example"})
	r.must(err)
	_, err = r.store.Subscriptions.Subscribe(r.t.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID}, r.now)
	r.must(err)
	return fmt.Sprintf("/feeds/%d", f.ID)
}

// with copies the cookies of another visitor.
func (v *visitor) with(other *visitor) *visitor {
	for name, value := range other.cookies {
		v.cookies[name] = value
	}
	return v
}

// A slowSearch searches slowly and counts concurrent searches.
type slowSearch struct {
	*store.Store
	under, most atomic.Int32
	endless     atomic.Bool
}

func (s *slowSearch) Search(ctx context.Context, user digest.UserID, q store.SearchQuery) (store.SearchResult, error) {
	n := s.under.Add(1)
	defer s.under.Add(-1)
	for m := s.most.Load(); n > m && !s.most.CompareAndSwap(m, n); m = s.most.Load() {
	}
	if _, limited := ctx.Deadline(); s.endless.Load() && limited {
		return store.SearchResult{}, fmt.Errorf("searching: %w", context.DeadlineExceeded)
	}
	for range 2000 {
		runtime.Gosched()
	}
	return s.Store.Posts.Search(ctx, user, q)
}

// TestSearchesAreBounded checks the limits for searches, because some queries take minutes.
func TestSearchesAreBounded(t *testing.T) {
	each(t, func(r *room) {
		v, _ := r.reader("ann@example.org")
		slow := &slowSearch{Store: r.store}
		r.handler = web.New(web.Options{
			Store: r.store, Search: slow,
			Editions: edition.New(edition.Options{Store: r.store.Editions, Signer: r.signer, BaseURL: r.base}),
			Signer:   r.signer, BaseURL: r.base, Now: r.handlerNow,
		})
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if got := r.visitor().with(v).get("/search?q=word").StatusCode; got != http.StatusOK {
					r.t.Errorf("a search ends with %d", got)
				}
			})
		}
		all.Wait()
		if n := slow.most.Load(); n != 1 {
			r.t.Errorf("%d searches of one reader at once", n)
		}
		slow.endless.Store(true)
		v.get("/search?q=word").status(http.StatusServiceUnavailable).contains(".wrong", "takes too long")
	})
}

func (r *room) handlerNow() time.Time { return r.now }

// TestNamesTurnNothingAround checks that the name of a feed cannot change the text direction of its
// line.
func TestNamesTurnNothingAround(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		f, _, err := r.store.Feeds.EnsureFeed(r.t.Context(),
			digest.Feed{URL: "https://site.example/feed", Host: "site.example", Title: "Site \u202egpj.exe\u2066"})
		r.must(err)
		_, err = r.store.Subscriptions.Subscribe(r.t.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID},
			r.now)
		r.must(err)
		turned := post("Post Site \u202egpj.exe")
		turned.Summary, turned.Content = "Words \u202eof it.", "<p>Words \u202eof it.</p>"
		r.brings(digest.Subscription{DigestID: d.ID}, "Site \u202egpj.exe", turned)
		r.midnight()
		theirs := fmt.Sprintf("/feeds/%d", f.ID+1)
		for _, path := range []string{theirs, theirs + "/posts", "/search?q=words", "/", "/feeds",
			fmt.Sprintf("/feeds/%d", f.ID), "/filters", "/status?url=https://site.example/feed"} {
			if a := v.get(path).status(http.StatusOK); strings.ContainsAny(a.body, "\u202e\u2066") ||
				!strings.Contains(a.body, "Site gpj.exe") {
				r.t.Errorf("%s: what a feed is called turns the line around", path)
			}
		}
	})
}

// TestBotPageOfAReader checks that browsers cache the page for strangers only, and shared caches
// not at all, because it depends on the reader's language.
func TestBotPageOfAReader(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		for v, want := range map[*visitor]string{r.visitor(): "private, max-age=3600",
			r.visitor().signIn(u): "private, no-store"} {
			if got := v.get("/bot").status(http.StatusOK).Header.Get("Cache-Control"); got != want {
				r.t.Errorf("Cache-Control: %s", got)
			}
		}
	})
}
