package worker_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"digest"
)

// newServer starts a server of the fediverse with one account and one note.
func newServer(t *testing.T, name string) *httptest.Server {
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		actor := s.URL + "/users/" + name
		const about = `"@context":"https://www.w3.org/ns/activitystreams",`
		switch r.URL.Path {
		case "/.well-known/webfinger":
			fmt.Fprintf(w, `{"links":[{"rel":"self","type":"application/activity+json","href":%q}]}`, actor)
		case "/users/" + name:
			fmt.Fprintf(w, `{%s"type":"Person","id":%q,"name":"Ann","outbox":%q}`, about, actor, actor+"/outbox")
		case "/users/" + name + "/outbox":
			fmt.Fprintf(w, `{%s"type":"OrderedCollection","id":%q,"orderedItems":[{"type":"Create","actor":%[3]q,`+
				`"to":["as:Public"],"object":{"type":"Note","id":%[4]q,
				"attributedTo":%[3]q,"to":["as:Public"],"published":"2026-11-19T20:00:00Z","content":"Hello"}}]}`,
				about, actor+"/outbox", actor, s.URL+"/1")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// TestListedAccounts holds that an imported account delivers its posts, and that a second import adds no
// feed.
func TestListedAccounts(t *testing.T) {
	eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
		server := newServer(t, "ann")
		ann, bob := h.reader("ann@example.org", "UTC"), h.reader("bob@example.org", "UTC")
		list := []byte("Account address,Show boosts\nann@" + strings.TrimPrefix(server.URL, "http://") + ",true\n")
		imports := func(d digest.Digest, added, firstPolls int) {
			t.Helper()
			read, result, err := h.subscriber().Import(t.Context(), d.ID, list, 9)
			if err != nil || result.Added != added || len(result.FirstPolls) != firstPolls || len(read.BadLines) != 0 {
				t.Errorf("%+v %v", result, err)
			}
		}
		imports(ann, 1, 1)
		h.midnights(20)
		imports(bob, 1, 0)
		imports(ann, 0, 0)
		subscribed, err := h.st.Subscriptions.Subscriptions(t.Context(), ann.ID)
		if err != nil || len(subscribed) != 1 || subscribed[0].Feed.URL != server.URL+"/users/ann/outbox" ||
			subscribed[0].Feed.Title != "Ann" {
			t.Errorf("%+v %v", subscribed, err)
		}
		if got := h.titles(ann); got != "Hello" {
			t.Errorf("its reader has had %q", got)
		}
	})
}
