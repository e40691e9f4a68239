package poller

import (
	"strings"
	"testing"

	"digest"
	"digest/feed"
)

func listedAccount(t *testing.T) digest.Feed {
	t.Helper()
	url, err := feed.AskedURL("@ann@social.example")
	if err != nil {
		t.Fatal(err)
	}
	return digest.Feed{ID: 7, URL: url, Host: feed.Host(url), State: digest.FeedActive}
}

// TestListedAccount holds that the first poll of a listed account finds its outbox, and that the next poll
// requests only the outbox.
func TestListedAccount(t *testing.T) {
	s, r := newSocial(t, "draft", newsBase, socialPages("Hello"))
	r.feed = listedAccount(t)
	asked := r.feed.URL
	result := r.want(Changed)
	if f := r.feed; f.URL != outboxPage || f.Title != "Ann" || f.ID != 7 || f.MovedFrom != asked ||
		f.MovedAt.IsZero() || f.Kind != "activitystreams" || len(result.Document.Posts) != 1 {
		t.Errorf("%+v", f)
	}
	s.asked("/.well-known/webfinger", "/users/ann draft", "/users/ann/outbox draft",
		"/users/ann/outbox?page=true draft")
	r.want(Unchanged)
	s.asked("/users/ann/outbox?page=true draft")
}

// TestListedAccountIsMissing holds that a missing account fails as a feed does, and keeps its address.
func TestListedAccountIsMissing(t *testing.T) {
	pages := socialPages("Hello")
	delete(pages, "/.well-known/webfinger")
	_, r := newSocial(t, "draft", newsBase, pages)
	r.feed = listedAccount(t)
	asked := r.feed.URL
	result := r.want(Failed)
	if f := r.feed; f.URL != asked || f.Kind != "" || f.Errors != 1 || f.LastStatus != 404 ||
		!strings.Contains(result.Message, "its host knows no account of that name (404)") || f.NotBefore.IsZero() {
		t.Errorf("%+v, %s", f, result.Message)
	}
}
