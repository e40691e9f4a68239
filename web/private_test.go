package web_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"digest"
)

const canary = "canary-7f3a"

// TestPrivateFeeds checks that a reader can add a feed with a password, a token or a secret address, and that no page
// shows any of them again.
func TestPrivateFeeds(t *testing.T) {
	each(t, func(r *room) {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			user, password, _ := req.BasicAuth()
			switch {
			case user == "ann" && strings.HasPrefix(password, canary), req.Header.Get("Authorization") == "Bearer "+
				canary, req.URL.Path == "/"+canary:
				fmt.Fprint(w, rss("Of "+user, "One"))
			default:
				http.Error(w, "no", http.StatusUnauthorized)
			}
		}))
		t.Cleanup(site.Close)
		v, d := r.reader("ann@example.org")
		var shown strings.Builder
		post := func(path string, form ...string) answer {
			t.Helper()
			values := url.Values{}
			for i := 0; i < len(form); i += 2 {
				values.Set(form[i], form[i+1])
			}
			a := v.post(path, values)
			fmt.Fprintln(&shown, a.Header, a.body)
			return a
		}
		look := func(path string) answer {
			t.Helper()
			a := v.get(path)
			fmt.Fprintln(&shown, a.body)
			return a
		}
		none := post("/feeds/find", "address", site.URL+"/feed").status(http.StatusUnprocessableEntity).has("#address",
			"value", site.URL+"/feed")
		none.words("it needs a password (401)", "<details open>")
		a := post("/feeds/find", "address", site.URL+"/feed", "user", "ann", "password", "wrong")
		a.status(http.StatusUnprocessableEntity).words("the password is not accepted (401)", "<details open>")
		if len(a.texts("#password")) != 1 || strings.Contains(a.body, `value="wrong"`) {
			t.Error(a.body)
		}
		post("/feeds/find", "address", site.URL+"/feed", "user", "ann", "password", canary).status(http.StatusSeeOther)
		post("/feeds/find", "address", site.URL+"/feed", "token", canary).status(http.StatusSeeOther)
		post("/feeds/find", "address", site.URL+"/"+canary, "secret", "1").status(http.StatusSeeOther)
		post("/feeds/find", "address", site.URL+"/"+canary+"/none", "secret",
			"1").status(http.StatusUnprocessableEntity).words(site.URL + "/…")
		withName := strings.Replace(site.URL, "://", "://ann:"+canary+"@", 1)
		post("/feeds/find", "address", withName+"/other").status(http.StatusSeeOther)
		post("/feeds/find", "address", withName+"/feed").status(http.StatusSeeOther) // the same feed again

		subs, err := r.store.Subscriptions.AllSubscriptions(t.Context(), d.ID)
		r.must(err)
		if len(subs) != 4 {
			t.Fatalf("%d subscriptions", len(subs))
		}
		// The feed works, so a wrong password does not replace the stored one.
		post("/feeds/find", "address", site.URL+"/feed", "user", "ann", "password",
			"mistyped").status(http.StatusSeeOther)
		for _, sub := range subs {
			if now, err := r.store.Subscriptions.Subscription(t.Context(), d.ID, sub.Feed.ID); err != nil ||
				now.Feed.Sealed != sub.Feed.Sealed {
				t.Errorf("what opens %s was replaced: %v", sub.Feed.URL, err)
			}
		}
		hidden := 0
		for _, sub := range subs {
			page := look(fmt.Sprintf("/feeds/%d", sub.Feed.ID)).status(http.StatusOK).words(
				digest.PublicAddress(sub.Feed.URL))
			if strings.Contains(page.body, "#private-") || strings.Contains(page.body, "/status?url=") {
				t.Error(page.body)
			}
			if digest.IsHidden(sub.Feed.URL) {
				hidden++
			}
		}
		if hidden != 1 {
			t.Errorf("%d secret addresses", hidden)
		}
		look("/feeds").status(http.StatusOK)
		look("/feeds/export").status(http.StatusOK).words(site.URL+"/…", `digest:secret="true"`)
		look("/settings/data").status(http.StatusOK).words("passwords and secret addresses")
		look("/status?url=" + url.QueryEscape(site.URL+"/feed")).status(http.StatusNotFound)

		// A new password replaces the old one.
		path := fmt.Sprintf("/feeds/%d/credential", subs[0].Feed.ID)
		post(path).status(http.StatusBadRequest).words("Enter a username and password, or a token")
		post(path, "user", "ann", "password", canary+"2").status(http.StatusSeeOther)
		again, err := r.store.Subscriptions.Subscription(t.Context(), d.ID, subs[0].Feed.ID)
		r.must(err)
		if again.Feed.Sealed == subs[0].Feed.Sealed || again.Feed.URL != subs[0].Feed.URL {
			t.Error(again.Feed.URL)
		}
		// Other readers cannot change it.
		other, _ := r.reader("eve@example.org")
		other.post(path, url.Values{"user": {"eve"}, "password": {"x"}}).status(http.StatusNotFound)
		post(fmt.Sprintf("/feeds/%d/leave", subs[0].Feed.ID)).status(http.StatusOK).words("Its password was deleted.")
		gone, err := r.store.Feeds.Feed(t.Context(), subs[0].Feed.ID)
		r.must(err)
		if gone.Sealed != "" {
			t.Error("it is not forgotten")
		}
		if strings.Contains(shown.String()+r.log.String(), canary) {
			t.Error(shown.String(), r.log)
		}
		v.post("/feeds/export", url.Values{"credentials": {"1"}}).status(http.StatusOK).words("/"+canary, "ann:"+canary+
			"@")
	})
}

// TestSecretAddress checks that a feed becomes private when its reader marks the address as secret, and that the
// reader keeps their posts.
func TestSecretAddress(t *testing.T) {
	each(t, func(r *room) {
		b := r.blog(map[string]string{"/" + canary: rss("Secret", "One")})
		v, d := r.reader("ann@example.org")
		v.find(b.URL + "/" + canary).status(http.StatusSeeOther)
		subs, err := r.store.Subscriptions.AllSubscriptions(t.Context(), d.ID)
		r.must(err)
		id := subs[0].Feed.ID
		path := fmt.Sprintf("/feeds/%d", id)
		eve, e := r.reader("eve@example.org")
		eve.find(b.URL + "/" + canary).status(http.StatusSeeOther)
		v.post(path+"/credential", url.Values{"secret": {"1"}}).status(http.StatusBadRequest).words(
			"Other readers here follow this feed too")
		r.must(r.store.Subscriptions.Unsubscribe(t.Context(), e.ID, id))
		v.post(path+"/credential", url.Values{"secret": {"1"}}).status(http.StatusSeeOther)
		page := v.get(path).status(http.StatusOK).words(b.URL+"/…", "Its secret address is hidden.")
		if strings.Contains(page.body, canary) {
			t.Error(page.body)
		}
		is, err := r.store.Feeds.Feed(t.Context(), id)
		r.must(err)
		if !digest.IsHidden(is.URL) || is.Sealed == "" {
			t.Errorf("%+v", is.Feed)
		}
	})
}

// words checks that a page contains texts.
func (a answer) words(texts ...string) answer {
	a.t.Helper()
	for _, text := range texts {
		if !strings.Contains(html.UnescapeString(a.body), text) {
			a.t.Errorf("no %q in %s", text, a.body)
		}
	}
	return a
}
