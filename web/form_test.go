package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"digest"
)

// TestUnreadableForms checks that an unreadable or empty form clears nothing.
func TestUnreadableForms(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.arrives(d, post("Delivered"))
		link := v.get("/feeds").attrs(".rows .name", "href")[0]
		feed := strings.TrimPrefix(link, "/feeds/")
		v.post(link, url.Values{"title": {"Mine"}, "folder": {"News"}, "display": {"headlines"},
			"most": {"3"}}).status(http.StatusSeeOther)
		v.post("/settings/appearance", url.Values{"name": {"The Courier"}}).status(http.StatusSeeOther)
		v.post("/settings/language", url.Values{"language": {"en"}}).status(http.StatusSeeOther)
		stands := func(after string) {
			r.t.Helper()
			all, err := r.store.Subscriptions.AllSubscriptions(r.t.Context(), d.ID)
			r.must(err)
			if s := all[0]; s.Title != "Mine" || s.Folder != "News" || s.Display != digest.Headlines || s.Most != 3 ||
				s.Paused {
				r.t.Fatalf("after %s it is %+v", after, s.Subscription)
			}
			v.get("/settings/appearance").has("#name", "value", "The Courier")
			if u, err := r.store.Readers.User(r.t.Context(), d.UserID); err != nil || u.Language != "en" {
				r.t.Fatalf("after %s the language is %q, %v", after, u.Language, err)
			}
		}
		for _, path := range []string{link, link + "/pause", "/settings/appearance", "/settings/language",
			"/settings/schedule"} {
			v.post(path, nil).status(http.StatusBadRequest).shows("h1", "We couldn’t read that form")
			bogus := url.Values{"for": {"bogus"}, "feed": {feed}}
			if path == "/settings/appearance" { // its field "feed" selects the lead
				bogus.Del("feed")
			}
			v.post(path, bogus).status(http.StatusBadRequest)
			v.do("POST", path, "multipart/form-data; boundary=b",
				strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nx\r\n--b--\r\n")).
				status(http.StatusBadRequest).shows("h1", "We couldn’t read that form")
			v.do("POST", path, "text/plain", strings.NewReader("title=x")).status(http.StatusBadRequest)
			v.do("POST", path, "", strings.NewReader("title=x")).status(http.StatusBadRequest)
			stands(path)
		}
		for _, act := range []string{"folder", "display", "pause"} {
			v.post("/feeds/several/"+act, url.Values{"feed": {feed}}).status(http.StatusBadRequest).shows("h1",
				"We couldn’t read that form")
			stands(act)
		}

		// fields that the form omits stay
		v.post(link, url.Values{"title": {"Ours"}}).status(http.StatusSeeOther)
		v.post(link, url.Values{"title": {"Mine"}}).status(http.StatusSeeOther)
		stands("a new name")
		v.do("POST", link, "application/x-www-form-urlencoded; charset=UTF-8",
			strings.NewReader("most=3")).status(http.StatusSeeOther)
		stands("a number")
	})
}

// TestFailedFormsOpenedAgain checks that a GET of a failed form's address redirects to its page
// without the input.
func TestFailedFormsOpenedAgain(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.arrives(d, post("Delivered"))
		link := v.get("/feeds").attrs(".rows .name", "href")[0]
		v.post(link+"/pause", url.Values{"until": {"abc"}}).status(http.StatusBadRequest).contains(".wrong",
			"Enter a date like")
		v.get(link + "/pause").status(http.StatusSeeOther).leads(link)
		v.do("HEAD", link+"/pause", "", nil).status(http.StatusSeeOther)
		v.get("/settings/travel/remove?x=1").status(http.StatusSeeOther).leads("/settings/travel")
		r.visitor().post("/sign-in/email", url.Values{"email": {"x"}}).status(http.StatusUnprocessableEntity)
		to := r.visitor().get("/sign-in/email").status(http.StatusSeeOther).leads("/sign-in")
		if allow := to.Header.Get("Allow"); allow != "" {
			r.t.Errorf("it allows %q", allow)
		}
		doubled := httptest.NewRecorder() // a base address joined with one slash too many
		r.handler.ServeHTTP(doubled, httptest.NewRequest("GET", r.base+strings.Replace(link, "/", "//", 2)+
			"/pause", nil))
		if to := doubled.Header().Get("Location"); to != link+"/pause" {
			r.t.Errorf("%d leads to %q", doubled.Code, to)
		}
		if allow := v.do("DELETE", link+"/pause", "", nil).status(http.StatusMethodNotAllowed).Header.Get(
			"Allow"); allow != "POST" {
			r.t.Errorf("it allows %q", allow)
		}
	})
}
