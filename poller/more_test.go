package poller

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"digest"
)

// onPages splits an outbox into pages of notes, given by number from new to old.
func onPages(pages map[string]string, notes ...[]int) map[string]string {
	pages = maps.Clone(pages)
	for i, of := range notes {
		var items []string
		for _, n := range of {
			items = append(items, fmt.Sprintf(`{"type":"Create","actor":"https://social.example/users/ann",`+
				`"to":["as:Public"],"object":{"type":"Note","id":"https://social.example/%d",
				"attributedTo":"https://social.example/users/ann","to":["as:Public"],"published":%q,
				"content":"note %[1]d"}}`,
				n, time.Date(2026, 11, 19, 0, n, 0, 0, time.UTC).Format(time.RFC3339)))
		}
		address, next := outboxPage, ""
		if i > 0 {
			address = fmt.Sprintf("%s&n=%d", outboxPage, i)
		}
		if i < len(notes)-1 {
			next = fmt.Sprintf(`,"next":"%s&n=%d"`, outboxPage, i+1)
		}
		pages[strings.TrimPrefix(address, "https://social.example")] = fmt.Sprintf(
			`{"@context":"https://www.w3.org/ns/activitystreams","type":"OrderedCollectionPage","id":%q,`+
				`"orderedItems":[%s]%s}`, address, strings.Join(items, ","), next)
	}
	return pages
}

// storing makes a poller know the posts that earlier polls returned.
func storing(r *reader) (store func(Result), have func() int) {
	known := map[string]string{}
	r.p.known = func(_ context.Context, _ digest.FeedID, identities []string) (map[string]string, error) {
		found := map[string]string{}
		for _, id := range identities {
			if _, is := known[id]; is {
				found[id] = known[id]
			}
		}
		return found, nil
	}
	return func(res Result) {
		if res.Document != nil {
			for i := range res.Document.Posts {
				known[res.Document.Posts[i].Identity] = res.Document.Posts[i].Hash
			}
		}
	}, func() int { return len(known) }
}

// TestReadsOnToWhatIsKnown holds that a poll reads further pages until one has a stored post, at most four.
func TestReadsOnToWhatIsKnown(t *testing.T) {
	s, r := newSocial(t, "", newsBase, nil)
	r.feed.Kind = "activitystreams"
	store, have := storing(r)
	const one = "/users/ann/outbox?page=true"
	for _, day := range []struct {
		notes [][]int
		want  int
		log   string
	}{
		{[][]int{{2, 1}, {0}}, 2, one}, // the first poll
		{[][]int{{3, 2}, {1, 0}}, 3, one},
		{[][]int{{7, 6}, {5, 4}, {3, 2}, {1}}, 7, one + " " + one + "&n=1 " + one + "&n=2"},
		{[][]int{{20, 19}, {18, 17}, {16, 15}, {14, 13}, {12, 11}}, 15,
			one + " " + one + "&n=1 " + one + "&n=2 " + one + "&n=3"},
	} {
		s.pages, s.log = onPages(socialPages(), day.notes...), nil
		store(r.want(Changed))
		got := strings.ReplaceAll(strings.Join(s.log, " "), " draft", "")
		got = strings.ReplaceAll(got, "/users/ann ", "") // the weekly request for the actor
		if have() != day.want || got != day.log {
			t.Errorf("%v: %d posts, asked %s, want %d and %s", day.notes, have(), got, day.want, day.log)
		}
		s.log = nil
		if r.want(Unchanged); len(s.log) != 1 {
			t.Errorf("nothing new: asked %v", s.log)
		}
	}
}

// TestPageIsRefused holds that a poll fails if a host refuses a page, and that the next poll requests all
// pages again, once. If the host refuses again, the poll keeps the pages that it has.
func TestPageIsRefused(t *testing.T) {
	for status, fails := range map[int]bool{http.StatusTooManyRequests: true, http.StatusServiceUnavailable: true,
		http.StatusNotFound: false, http.StatusUnauthorized: false} {
		s, r := newSocial(t, "", newsBase, onPages(socialPages(), []int{1}))
		r.feed.Kind = "activitystreams"
		store, have := storing(r)
		store(r.want(Changed))
		s.pages = onPages(socialPages(), []int{5, 4}, []int{3, 2}, []int{1})
		s.says = map[string]int{"/users/ann/outbox?page=true&n=1": status}
		if fails {
			if r.want(Failed); r.feed.NotBefore.Sub(r.p.now()) != 900*time.Second || have() != 1 {
				t.Errorf("%d: not before %s", status, r.feed.NotBefore)
			}
		}
		store(r.want(Changed))
		if have() != 3 {
			t.Errorf("%d: %d posts", status, have())
		}
		if wait := r.feed.NotBefore.Sub(r.p.now()); fails && wait != 900*time.Second {
			t.Errorf("%d: may be asked again after %s", status, wait)
		}
	}
}

// namedPages returns an outbox that has only the addresses of its notes, and the notes at these addresses.
func namedPages(pages map[string]string, notes ...int) map[string]string {
	pages = maps.Clone(pages)
	var items []string
	for _, n := range notes {
		address := fmt.Sprintf("https://social.example/users/ann/statuses/%d", n)
		items = append(items, fmt.Sprintf(`{"type":"Create","actor":"https://social.example/users/ann",`+
			`"published":"2026-11-19T00:00:00Z","to":"as:Public","object":%q}`, address))
		pages[fmt.Sprintf("/users/ann/statuses/%d", n)] = fmt.Sprintf(
			`{"@context":"https://www.w3.org/ns/activitystreams","type":"Note","id":%q,`+
				`"attributedTo":"https://social.example/users/ann","to":"as:Public","content":"note %d"}`, address, n)
	}
	pages["/users/ann/outbox?page=true"] = `{"@context":"https://www.w3.org/ns/activitystreams",` +
		`"type":"OrderedCollectionPage","id":"` + outboxPage + `","orderedItems":[` + strings.Join(items, ",") + `]}`
	return pages
}

func countdown(from, to int) (all []int) {
	for ; from >= to; from-- {
		all = append(all, from)
	}
	return all
}

// TestNamedNotesAreRead has an outbox with only the addresses of notes. A poll reads some of them with
// signed requests, each once, the oldest first.
func TestNamedNotesAreRead(t *testing.T) {
	s, r := newSocial(t, "draft", newsBase, namedPages(socialPages(), countdown(15, 1)...))
	r.feed.Kind = "activitystreams"
	store, have := storing(r)
	found, err := find(r.p, "@ann@social.example")
	if err != nil || found.Feed.URL != outboxPage || len(found.Document.Posts) != fewUnread || found.Behind {
		t.Fatalf("%+v, %v", found, err)
	}
	store(found)
	r.feed = found.Feed
	r.feed.ID = 1
	s.pages, s.log = namedPages(socialPages(), countdown(40, 1)...), nil // 25 more
	res := r.want(Changed)
	if store(res); !res.Behind || have() != fewUnread+mostUnread || len(s.log) != 1+mostUnread ||
		s.log[1] != "/users/ann/statuses/16 draft" {
		t.Errorf("%d posts, behind %v: %v", have(), res.Behind, s.log)
	}
	s.log = nil
	res = r.want(Changed)
	if store(res); res.Behind || have() != fewUnread+25 || len(s.log) != 1+5 {
		t.Errorf("the rest: %d posts, behind %v: %v", have(), res.Behind, s.log)
	}
	s.log = nil
	if r.want(Unchanged); len(s.log) != 1 {
		t.Errorf("nothing new: %v", s.log)
	}
	s.pages, s.says = namedPages(socialPages(), countdown(43, 20)...), map[string]int{"/users/ann/statuses/42": 503}
	if res = r.want(Changed); res.Behind != true || len(res.Document.Posts) != 1 {
		t.Errorf("a host that fails: behind %v, %d posts", res.Behind, len(res.Document.Posts))
	}
}

// TestGroupsPostsAreRead holds that the poller reads a post of a group's member on the server of the
// member, and trusts only that server (I9). If it cannot read the post, the post is a link, or a later poll
// reads it.
func TestGroupsPostsAreRead(t *testing.T) {
	announced := func(host string, n int) string {
		return fmt.Sprintf(`{"type":"Announce","id":"https://social.example/a/%[2]d",`+
			`"actor":"https://social.example/users/ann","to":"as:Public","object":{"type":"Create",`+
			`"id":"https://%[1]s/c/%[2]d","actor":"https://%[1]s/u/zoe","to":"as:Public",
			"object":{"type":"Page","id":"https://%[1]s/users/post/%[2]d","attributedTo":"https://%[1]s/u/zoe",
			"name":"CLAIMED","published":%[3]q,"to":"as:Public"}}}`, host, n, time.Now().UTC().Format(time.RFC3339))
	}
	page := func(host string, n int) string {
		return fmt.Sprintf(`{"@context":"https://www.w3.org/ns/activitystreams","type":"Page",`+
			`"id":"https://%[1]s/users/post/%[2]d","attributedTo":"https://%[1]s/u/zoe","name":"Own title %[2]d",`+
			`"published":"2026-11-19T00:00:00Z","to":"as:Public"}`, host, n)
	}
	s, r := newSocial(t, "draft", newsBase, onPages(socialPages(), []int{1}))
	r.feed.Kind = "activitystreams"
	store, _ := storing(r)
	store(r.want(Changed))
	pages := onPages(socialPages(), []int{1})
	pages["/users/post/1"], pages["/users/post/2"], pages["/users/post/3"] = page("away.example", 1),
		page("other.example", 2), page("away.example", 9)
	first := "/users/ann/outbox?page=true"
	pages[first] = strings.Replace(pages[first], `"orderedItems":[`,
		`"orderedItems":[`+strings.Join([]string{announced("away.example", 1), announced("other.example", 2),
			announced("away.example", 3), announced("gone.example", 4), announced("down.example", 5),
			announced("upload.example", 6)}, ",")+",", 1)
	pages["/users/post/5"] = page("down.example", 5)
	pages["/users/post/6"] = page("upload.example", 6)
	pages["/users/post/1"] = strings.Replace(pages["/users/post/1"], "https://away.example/u/zoe",
		"https://away.example/users/uid/7", 1)
	pages["/users/uid/7"] = `{"@context":"https://www.w3.org/ns/activitystreams","type":"Person",` +
		`"id":"https://away.example/users/uid/7","name":"Zoe Z","inbox":"https://away.example/in",` +
		`"outbox":"https://away.example/out"}`
	s.pages, s.says, s.log = pages, map[string]int{"/users/post/5": 503}, nil
	s.types = map[string]string{"/users/post/6": "application/json"}
	res := r.want(Changed)
	var got []string
	for i := range res.Document.Posts {
		p := &res.Document.Posts[i]
		got = append(got, p.Title+" "+p.Author)
		if strings.Contains(p.Sanitise(time.Now()).Content, "CLAIMED") {
			t.Error("what a group says of another host's post is shown")
		}
	}
	if want := "Own title 1 Zoe Z; Own title 2 @zoe@other.example;  ;  ;  ;  "; strings.Join(got, "; ") != want {
		t.Errorf("%q, want %q\n%v", strings.Join(got, "; "), want, s.log)
	}
	for _, line := range s.log {
		if !strings.HasSuffix(line, " draft") {
			t.Errorf("not signed: %s", line)
		}
	}
}

// TestReadsOnNotHome holds that no request goes to an allowed private network because an answer names an
// address there (I7).
func TestReadsOnNotHome(t *testing.T) {
	s := New(Options{NoWait: true, AllowNetworks: loopback()}).newSession(digest.Feed{}, 1)
	on := &readingOn{session: s, first: &answer{}}
	if _, err := on.readAt(context.Background(), "http://127.0.0.1:1/users/ann/1"); err == nil ||
		!strings.Contains(err.Error(), "is private") {
		t.Errorf("a request to a private network: %v", err)
	}
}

// TestNewAccountInTime holds that a person who waits for a new account gets the posts that the search read
// in time.
func TestNewAccountInTime(t *testing.T) {
	s, r := newSocial(t, "draft", newsBase, namedPages(socialPages(), countdown(5, 1)...))
	ctx, cancel := context.WithTimeout(context.Background(), lastMore)
	defer cancel()
	c, err := r.p.Find(ctx, outboxPage, nobody)
	if err != nil || len(c.Read.Document.Posts) != 0 || c.Read.Feed.URL != outboxPage {
		t.Errorf("%+v, %v, %v", c.Read.Feed.URL, err, s.log)
	}
}

// TestEmptyFirstPage holds that each poll reads the next page if the first page has no posts.
func TestEmptyFirstPage(t *testing.T) {
	s, r := newSocial(t, "", newsBase, onPages(socialPages(), nil, []int{2, 1}))
	r.feed.Kind = "activitystreams"
	store, have := storing(r)
	store(r.want(Changed))
	r.want(Unchanged)
	s.pages = onPages(socialPages(), nil, []int{3, 2, 1})
	store(r.want(Changed))
	if have() != 3 || r.feed.ETag != "" {
		t.Errorf("%d posts", have())
	}
}
