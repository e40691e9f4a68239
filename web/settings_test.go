package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"digest"
)

// saves posts a settings form and returns the page after the redirect.
func (v *visitor) saves(path string, form url.Values) answer {
	v.t.Helper()
	to := v.post(path, form).status(http.StatusSeeOther).Header.Get("Location")
	if !strings.HasPrefix(to, "/settings") {
		v.t.Fatalf("%s leads to %q", path, to)
	}
	return v.get(to).status(http.StatusOK)
}

func (r *room) digest(d digest.Digest) digest.Digest {
	r.t.Helper()
	d, err := r.store.Readers.Digest(r.t.Context(), d.ID)
	r.must(err)
	return d
}

// contains checks that the text of the matching nodes contains words.
func (a answer) contains(selector string, words ...string) answer {
	a.t.Helper()
	got := strings.Join(a.texts(selector), "|")
	for _, w := range words {
		if !strings.Contains(got, w) {
			a.t.Errorf("%s: %s says %q, want %q in it", a.Request.URL, selector, got, w)
		}
	}
	return a
}

// settingsForms returns all settings forms with valid values.
func settingsForms() map[string]url.Values {
	return map[string]url.Values{
		"/settings/start":         nil,
		"/settings/zone":          {"zone": {"Asia/Tokyo"}},
		"/settings/schedule":      {"days": {"mon"}, "at": {"07:00"}},
		"/settings/pause":         {"until": {"2026-12-01"}},
		"/settings/pause/end":     nil,
		"/settings/appearance":    appearance(),
		"/settings/pages/edition": {"layout": {"full"}, "images": {"off"}, "grouping": {"sites"}},
		"/settings/travel":        {"zone": {"Asia/Tokyo"}, "from": {"2026-11-20"}, "to": {"2026-12-01"}},
		"/settings/delete":        {"address": {"ann@example.org"}},
		"/settings/language":      {"language": {"de"}},
	}
}

// TestSettingsAreTheirReaders checks that no form works without a session, from another site, by GET or by HEAD.
func TestSettingsAreTheirReaders(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		v := r.visitor().signIn(u)
		was := r.digest(d)
		for path, form := range settingsForms() {
			r.visitor().post(path, form).status(http.StatusForbidden).has("main a", "href", "/sign-in")
			stale := r.visitor()
			stale.cookies = map[string]string{"digest": "a session that was"}
			stale.post(path, form).status(http.StatusForbidden)
			w := r.visitor()
			w.cookies = v.cookies
			w.from("https://evil.example", "cross-site")
			w.post(path, form).status(http.StatusForbidden)
			v.do("GET", path+"?"+form.Encode(), "", nil)
			v.do("HEAD", path+"?"+form.Encode(), "", nil)
		}
		if got := r.digest(d); got != was {
			t.Errorf("changed from %+v to %+v", was, got)
		}
		got, err := r.store.Readers.UserByEmail(t.Context(), u.Email)
		r.must(err)
		if got != u {
			t.Errorf("changed from %+v to %+v", u, got)
		}
	})
}

// appearance returns the whole form, with every value different from its default.
func appearance() url.Values {
	return url.Values{
		"layout": {"full"}, "images": {"proxy"}, "grouping": {"sites"}, "subject": {"lead"}, "threaded": {"on"},
		"web-layout": {"headlines"}, "web-images": {"off"}, "web-grouping": {"folders"},
		"theme": {"dark"}, "size": {"largest"}, "direction": {"rtl"}, "player": {"on"},
		"name": {"The Courier"}, "feed": {"0"},
	}
}
