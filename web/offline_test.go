package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"digest"
	"digest/poller"
)

// jsonOf decodes a JSON response.
func jsonOf[T any](a answer) (v T) {
	a.t.Helper()
	if err := json.Unmarshal([]byte(a.status(http.StatusOK).body), &v); err != nil {
		a.t.Fatalf("%s: %v\n%s", a.Request.URL, err, a.body)
	}
	return v
}

type offlineList struct {
	Editions []struct{ Date, Name string }
	Files    []string
}

type offlineNeeds struct{ Pages, Pictures []string }

func TestManifest(t *testing.T) {
	each(t, func(r *room) {
		v, _ := r.reader("ann@example.org")
		page := v.get("/settings").status(http.StatusOK)
		page.has("link[rel=manifest]", "href", "/manifest.webmanifest")
		page.has("meta[name=theme-color]", "content", "#fbf9f4", "#181715")
		a := r.visitor().get("/manifest.webmanifest") // browsers send no cookies
		if got := a.Header.Get("Content-Type"); got != "application/manifest+json" ||
			a.Header.Get("Cache-Control") != "public, max-age=86400" {
			r.t.Errorf("the manifest comes with %v", a.Header)
		}
		m := jsonOf[struct {
			Name    string
			Start   string `json:"start_url"`
			Display string
			Icons   []struct{ Src, Sizes, Type, Purpose string }
			Share   struct {
				Action, Method, Enctype string
				Params                  map[string]string
			} `json:"share_target"`
		}](a)
		if m.Name == "" || m.Start != "/" || m.Display != "standalone" || m.Share.Action != "/feeds/share" ||
			m.Share.Method != "GET" || m.Share.Enctype != "application/x-www-form-urlencoded" ||
			m.Share.Params["url"] != "url" {
			r.t.Errorf("the manifest says %+v", m)
		}
		var sizes []string
		for _, icon := range m.Icons {
			sizes = append(sizes, icon.Sizes+icon.Purpose)
			picture := r.visitor().get(icon.Src).status(http.StatusOK)
			if picture.Header.Get("Content-Type") != icon.Type || len(picture.body) > 8<<10 {
				r.t.Errorf("%s: %s, %d bytes", icon.Src, picture.Header.Get("Content-Type"), len(picture.body))
			}
		}
		if !slices.Equal(sizes, []string{"any", "192x192", "512x512", "512x512maskable"}) {
			r.t.Errorf("icons of %q", sizes)
		}
	})
}

func TestWorkerScript(t *testing.T) {
	each(t, func(r *room) {
		a := r.visitor().get("/worker.js").status(http.StatusOK)
		if a.Header.Get("Content-Type") != "text/javascript; charset=utf-8" ||
			a.Header.Get("Cache-Control") != "no-cache" {
			r.t.Errorf("the worker comes with %v", a.Header)
		}
		policy := a.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "worker-src 'self'", "manifest-src 'self'",
			"script-src 'self'", "connect-src 'self'"} {
			if !slices.Contains(strings.Split(policy, "; "), part) {
				r.t.Errorf("no %s in %q", part, policy)
			}
		}
		if !strings.Contains(a.body, "addEventListener('fetch'") {
			r.t.Error("the worker answers nothing")
		}
	})
}

// TestOfflineWithdrawn checks that without offline reading the worker deletes stored pages and
// unregisters itself.
func TestOfflineWithdrawn(t *testing.T) {
	each(t, func(r *room) {
		r.onlineOnly = true
		r.open("")
		v, _ := r.reader("ann@example.org")
		if a := v.get("/worker.js").status(http.StatusOK); !strings.Contains(a.body, "registration.unregister()") ||
			strings.Contains(a.body, "'fetch'") {
			r.t.Errorf("the worker is %s", a.body)
		}
		for _, path := range []string{"/settings/offline", "/offline", "/offline.json",
			"/editions/2026-11-21/offline.json"} {
			v.get(path).status(http.StatusNotFound)
		}
		a := v.get("/settings").status(http.StatusOK)
		if a.Header.Get("Digest-Account") != "" ||
			len(a.find("#offline"))+len(a.find("a[href=/settings/offline]")) > 0 {
			r.t.Error("the pages still speak of it")
		}
	})
}

// TestOfflineNeeds checks the lists of pages and pictures of the last seven editions. Nothing is
// listed before its midnight.
func TestOfflineNeeds(t *testing.T) {
	each(t, func(r *room) {
		r.pictures = drawings{}
		r.open("")
		v, d := r.reader("ann@example.org")
		other, _ := r.reader("bob@example.org")
		if list := jsonOf[offlineList](v.get("/offline.json")); len(list.Editions) != 0 || len(list.Files) != 4 {
			r.t.Errorf("before the first edition: %+v", list)
		}
		for i := range 8 {
			p := post(fmt.Sprint("No. ", i))
			p.Content = `<p>Text <img src="https://site.example/a.png"> and more of it, and more.</p><p><img ` +
				`src="https://site.example/b.png"></p>`
			r.arrives(d, p)
			r.midnight()
		}
		hidden := post("Tomorrow")
		r.arrives(d, hidden)
		list := jsonOf[offlineList](v.get("/offline.json"))
		if len(list.Editions) != 7 || list.Editions[0].Date != "2026-11-28" ||
			list.Editions[0].Name != "Saturday 28 November 2026" || list.Editions[6].Date != "2026-11-22" {
			r.t.Errorf("editions %+v", list.Editions)
		}
		for _, file := range list.Files {
			v.get(file).status(http.StatusOK)
		}
		path := "/editions/" + list.Editions[0].Date
		needs := jsonOf[offlineNeeds](v.get(path + "/offline.json"))
		if len(needs.Pages) != 3 || needs.Pages[0] != path || needs.Pages[1] != path+"?view=headlines" ||
			len(needs.Pictures) != 2 {
			r.t.Fatalf("it needs %+v", needs)
		}
		v.get(needs.Pages[2]).status(http.StatusOK).shows("h1", "No. 7")
		for _, picture := range needs.Pictures {
			if !strings.HasPrefix(picture, "/image/") {
				r.t.Errorf("a picture at %q", picture)
			}
			v.get(picture).status(http.StatusOK)
		}
		v.get("/editions/2026-11-29/offline.json").status(http.StatusNotFound)
		v.get("/editions/x/offline.json").status(http.StatusNotFound)
		other.get(path + "/offline.json").status(http.StatusNotFound)
		guest := r.visitor()
		if a := guest.get(path + "/offline.json"); a.StatusCode != http.StatusSeeOther || len(guest.cookies) > 0 {
			r.t.Errorf("a stranger is answered %d, and led back by %v", a.StatusCode, guest.cookies)
		}
	})
}

// TestAccountHeader checks that each page identifies its reader, differently for each.
func TestAccountHeader(t *testing.T) {
	each(t, func(r *room) {
		const header = "Digest-Account"
		ann, _ := r.reader("ann@example.org")
		bob, _ := r.reader("bob@example.org")
		a, b := ann.get("/saved").Header.Get(header), bob.get("/saved").Header.Get(header)
		if a == "" || b == "" || a == b || a == "none" {
			r.t.Errorf("ann is %q, bob is %q", a, b)
		}
		for path, want := range map[string]string{"/": a, "/help": a, "/nowhere": a, "/offline.json": a,
			"/static/x": a} {
			if got := ann.get(path).Header.Get(header); got != want {
				r.t.Errorf("%s says %q", path, got)
			}
			if got := r.visitor().get(path).Header.Get(header); (got == "none") != (path == "/" || path == "/nowhere" ||
				path == "/static/x") {
				r.t.Errorf("%s says to a stranger %q", path, got)
			}
		}
		ann.get("/saved").has("#offline", "data-account", a)
		const mark = `id="offline" hidden` // without it, the worker shows no stored page
		if worker := ann.get("/worker.js").body; !strings.Contains(worker, mark) ||
			strings.Count(ann.get("/saved").body, mark) != 1 {
			r.t.Error("the worker does not find the notice of a page")
		}
		r.breakDatabase()
		if got := ann.get("/saved").status(http.StatusInternalServerError).Header.Get(header); got != "" {
			r.t.Errorf("without a database it says %q: nobody knows who is signed in", got)
		}
	})
}

// TestSignOutClearsTheDevice checks the Clear-Site-Data header, which works without scripts.
func TestSignOutClearsTheDevice(t *testing.T) {
	each(t, func(r *room) {
		const want = `"cache", "storage"`
		v, _ := r.reader("ann@example.org")
		if got := v.get("/settings").Header.Get("Clear-Site-Data"); got != "" {
			r.t.Errorf("a page clears %s", got)
		}
		if got := v.post("/settings/delete", url.Values{"address": {"x"}}).Header.Get("Clear-Site-Data"); got != "" {
			r.t.Errorf("a wrong address clears %s", got)
		}
		if got := v.post("/sign-out", nil).status(http.StatusSeeOther).Header.Get("Clear-Site-Data"); got != want {
			r.t.Errorf("signing out clears %q", got)
		}
		v, _ = r.reader("bob@example.org")
		if got := v.post("/sign-out/everywhere", nil).status(http.StatusSeeOther).Header.Get(
			"Clear-Site-Data"); got != want {
			r.t.Errorf("signing out everywhere clears %q", got)
		}
		v, _ = r.reader("cleo@example.org")
		if got := v.post("/settings/delete", url.Values{"address": {"cleo@example.org"}}).status(
			http.StatusSeeOther).Header.Get("Clear-Site-Data"); got != want {
			r.t.Errorf("the end of an account clears %q", got)
		}
	})
}

// TestLeaving checks that a reader who signed out offline is signed out with the next request,
// permanently.
func TestLeaving(t *testing.T) {
	each(t, func(r *room) {
		v, _ := r.reader("ann@example.org")
		session := v.cookies["digest"]
		v.cookies["digest-leaving"] = "1"
		v.get("/settings").status(http.StatusSeeOther)
		if _, still := v.cookies["digest-leaving"]; still || v.cookies["digest"] != "" {
			r.t.Errorf("the browser still has %v", v.cookies)
		}
		v.cookies["digest"] = session
		v.get("/settings").status(http.StatusSeeOther)
	})
}

// TestSaveOfAnother checks that a save that waited on a device counts only for its own reader.
func TestSaveOfAnother(t *testing.T) {
	each(t, func(r *room) {
		ann, d := r.reader("ann@example.org")
		bob, e := r.reader("bob@example.org")
		r.arrives(d, post("One"))
		r.brings(digest.Subscription{DigestID: e.ID}, site, post("Two"))
		r.midnight()
		anns := ann.get("/saved").Header.Get("Digest-Account")
		bobs := bob.get("/saved").Header.Get("Digest-Account")
		path := jsonOf[offlineNeeds](ann.get("/editions/2026-11-21/offline.json")).Pages[2] + "/save"
		back := url.Values{"back": {"/offline.json"}}
		ann.header["Digest-Account"] = bobs
		ann.post(path, back).status(http.StatusConflict).shows("h1", "You’re signed in to another account")
		ann.get("/saved").shows("article h2")
		ann.header["Digest-Account"] = "x"
		ann.post(path, back).status(http.StatusConflict)
		ann.header["Digest-Account"] = anns
		session := maps.Clone(ann.cookies)
		delete(ann.cookies, "digest")
		if ann.post(path, back).status(http.StatusForbidden); len(ann.cookies) != len(session)-1 {
			r.t.Errorf("a save that waits on a device sets a cookie: %v", ann.cookies)
		}
		ann.cookies = session
		to := ann.post(path, back).status(http.StatusSeeOther).Header.Get("Location")
		if to != "/offline.json" {
			r.t.Errorf("a save leads to %q", to)
		}
		ann.get("/saved").shows("article h2", "One")
	})
}

// drawings returns the same picture for every address.
type drawings struct{ bytes int }

func (d drawings) Picture(context.Context, string) (poller.Picture, error) {
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="480" height="240"><rect width="480" height="240" ` +
		`fill="#8f2d1f"/></svg>`
	return poller.Picture{Bytes: append([]byte(svg), bytes.Repeat([]byte(" "), d.bytes)...), Type: "image/svg+xml"}, nil
}
