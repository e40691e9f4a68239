package poller

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/feed"
)

const (
	newOutbox = "https://new.example/users/bea/outbox"
	newPage   = newOutbox + "?page=true"
)

// movedPages returns the pages of ann, whose account has moved to an account with some old names.
func movedPages(also string) map[string]string {
	pages := socialPages("Hello")
	pages["/users/ann"] = strings.Replace(pages["/users/ann"], `"name"`,
		`"movedTo":"https://new.example/users/bea","name"`, 1)
	for path, page := range socialPages("Hello from here", "And again") {
		path, page = strings.ReplaceAll(path, "ann", "bea"), strings.NewReplacer("social.example", "new.example",
			"/ann", "/bea", "@ann", "@bea", "Ann", "Bea").Replace(page)
		if strings.HasPrefix(path, "/users/") {
			pages[path] = page
		}
	}
	pages["/users/bea"] = strings.Replace(pages["/users/bea"], `"name"`, `"alsoKnownAs":`+also+`,"name"`, 1)
	return pages
}

// newMoved returns a server with ann's moved account, and a reader who polled the outbox before.
func newMoved(t *testing.T, also string) (*social, *reader) {
	s, r := newSocial(t, "draft", newsBase, socialPages("Hello"))
	r.feed.Kind, r.feed.Title, r.feed.SiteURL = "activitystreams", "Ann", "https://social.example/@ann"
	r.want(Changed)
	s.pages, s.log = movedPages(also), nil
	return s, r
}

// week polls until a poll requests the actor, at most a week.
func (s *social) week(r *reader) Result {
	s.t.Helper()
	r.feed.NewestAt = r.p.now().Add(-quietAccount)
	for range actorDays {
		s.log = nil
		if result := r.poll(); strings.HasPrefix(s.log[0], "/users/ann draft") {
			return result
		}
	}
	s.t.Fatal("the actor was not asked for")
	return Result{}
}

// TestAccountMoves holds that the move of an account is followed like a redirect: the new outbox is read
// immediately, and the move is confirmed a day later.
func TestAccountMoves(t *testing.T) {
	s, r := newMoved(t, `"https://social.example/users/ann"`)
	result := s.week(r)
	if result.Outcome != Changed || len(result.Document.Posts) != 2 || r.feed.URL != outboxPage ||
		r.feed.MovedTo != newPage || r.feed.Title != "Ann" {
		t.Fatalf("%s: %+v", result.Message, r.feed)
	}
	s.asked("/users/ann draft", "/users/bea draft", "/users/bea/outbox draft", "/users/bea/outbox?page=true draft")
	r.want(Unchanged)
	if r.feed.URL != newPage || r.feed.Host != "new.example" || r.feed.MovedFrom != outboxPage ||
		r.feed.Title != "Bea" || r.feed.SiteURL != "https://new.example/@bea" {
		t.Errorf("%+v", r.feed)
	}
	s.log = nil
	r.want(Unchanged)
	s.asked("/users/bea/outbox?page=true draft")
}

// TestAccountStays holds that a move is not followed in three cases: the other account does not confirm it,
// a reader reverted it, or the account still posts.
func TestAccountStays(t *testing.T) {
	for _, also := range []string{`[]`, `["https://social.example/users/bob"]`} {
		s, r := newMoved(t, also)
		if s.week(r); r.feed.MovedTo != "" || r.feed.URL != outboxPage {
			t.Errorf("also known as %s: %+v", also, r.feed)
		}
		s.asked("/users/ann draft", "/users/bea draft", "/users/ann/outbox?page=true draft")
	}
	for why, change := range map[string]func(*digest.Feed, time.Time){
		"taken back": func(f *digest.Feed, _ time.Time) { f.MoveUndone = true },
		"it posts":   func(f *digest.Feed, now time.Time) { f.NewestAt = now },
	} {
		s, r := newMoved(t, `["https://social.example/users/ann"]`)
		r.feed.NewestAt = time.Time{}
		for range actorDays {
			s.log = nil
			change(&r.feed, r.p.now())
			if r.poll(); len(s.log) != 1 {
				t.Errorf("%s: asked %s", why, s.log)
			}
		}
	}
}

// TestAccountMovesHostile holds that an actor counts only if it speaks for itself, and that the poller
// obeys a host that asks to wait.
func TestAccountMovesHostile(t *testing.T) {
	for why, actor := range map[string]string{
		"an actor elsewhere": `{"type":"Person","id":"https://other.example/users/vic",` +
			`"inbox":"https://social.example/in","outbox":"` +
			outboxAt + `","movedTo":"https://new.example/users/bea"}`,
		"no actor": `<html>`,
		"to its own network": `{"type":"Person","id":"https://social.example/users/ann",` +
			`"inbox":"https://social.example/in","outbox":"` +
			outboxAt + `","movedTo":"javascript:alert(1)"}`,
	} {
		s, r := newMoved(t, `["https://social.example/users/ann","https://other.example/users/vic"]`)
		s.pages["/users/ann"] = actor
		if s.week(r); r.feed.MovedTo != "" || r.feed.URL != outboxPage || r.feed.LastStatus != 200 {
			t.Errorf("%s: %+v", why, r.feed)
		}
	}
}

// TestNameMovedAccount holds that a move to another site without an actor removes the old title and page.
func TestNameMovedAccount(t *testing.T) {
	for to, want := range map[string]string{newPage: "", "https://www.social.example/users/ann/outbox": "Ann"} {
		p := &poll{feed: digest.Feed{Kind: "activitystreams", URL: to, Title: "Ann",
			SiteURL: "https://social.example/@ann"}}
		if p.nameMovedAccount(outboxPage); p.feed.Title != want || (p.feed.SiteURL == "") != (want == "") {
			t.Errorf("at %s it is called %q", to, p.feed.Title)
		}
	}
}

func TestActorAddress(t *testing.T) {
	for outbox, want := range map[string]string{
		outboxPage: "https://social.example/users/ann",
		"https://a.example/wp-json/activitypub/1.0/actors/1/outbox": "https://a.example/wp-json/activitypub/1.0/actors/1",
		"https://a.example/outbox/ann":                              "https://a.example/profile/ann",
		"https://b.example/outbox/ann":                              "",
	} {
		if got := actorAddress(digest.Feed{URL: outbox, Host: feed.Host(outbox),
			SiteURL: "https://a.example/profile/ann"}); got != want {
			t.Errorf("%s is of %q, want %q", outbox, got, want)
		}
	}
}

// TestPoorOutbox holds that the RSS feed replaces an outbox without posts only if it has posts, since the
// account may be new. An outbox that counts its posts but lists none hides them.
func TestPoorOutbox(t *testing.T) {
	noItems := `<rss version="2.0"><channel><title>Ann</title><link>https://social.example/@ann</link></channel></rss>`
	addresses := strings.Replace(socialPages()["/users/ann/outbox?page=true"], `[]`, `["https://social.example/1"]`, 1)
	counted := strings.Replace(socialPages()["/users/ann/outbox"], `"first"`, `"totalItems":7,"first"`, 1)
	passedOn := strings.Replace(socialPages()["/users/ann/outbox?page=true"], `[]`,
		`[{"type":"Announce","to":"as:Public","actor":"https://social.example/users/ann",`+
			`"object":"https://social.example/v/1"}]`, 1)
	const rss = "https://social.example/@ann.rss"
	for _, test := range []struct{ why, path, page, rss, want string }{
		{"new", "", "", noItems, outboxPage},
		{"new, without RSS", "", "", "", outboxPage},
		{"with posts by RSS", "", "", socialPages()["/@ann.rss"], rss},
		{"counted", "/users/ann/outbox", counted, noItems, rss},
		{"counted, without RSS", "/users/ann/outbox", counted, "", ""},
		{"addresses", "/users/ann/outbox?page=true", addresses, noItems, rss},
		{"addresses, without RSS", "/users/ann/outbox?page=true", addresses, "", ""},
		{"films passed on", "/users/ann/outbox?page=true", passedOn, socialPages()["/@ann.rss"], rss},
		{"boosts alone", "/users/ann/outbox?page=true", strings.ReplaceAll(passedOn, "https://social.example/v/1",
			"https://other.example/1"), socialPages()["/@ann.rss"], outboxPage},
		{"passed on, without RSS", "/users/ann/outbox?page=true", passedOn, "", outboxPage},
	} {
		for _, typed := range []string{"@ann@social.example", "https://social.example/@ann"} {
			pages := socialPages()
			if test.path != "" {
				pages[test.path] = test.page
			}
			if pages["/@ann.rss"] = test.rss; test.rss == "" {
				delete(pages, "/@ann.rss")
			}
			_, r := newSocial(t, "draft", newsBase, pages)
			found, err := find(r.p, typed)
			if found.Feed.URL != test.want && (test.want != "" || err == nil) {
				t.Errorf("%s, %s: %s, want %s (%v)", test.why, typed, found.Feed.URL, test.want, err)
			}
			if test.want == outboxPage && (found.Feed.Title != "Ann" || found.Feed.Kind != "activitystreams") {
				t.Errorf("%s: %+v", test.why, found.Feed)
			}
		}
	}
}
