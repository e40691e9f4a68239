package web_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"digest"
)

// TestPagesDifferFromTheMail checks that an edition's page has the layout, pictures and folders chosen for the web.
func TestPagesDifferFromTheMail(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		p := post("Fog")
		p.Content = "<p>" + strings.Repeat("Nothing was seen of the sea. ",
			40) + `</p><p><img src="https://a.example/fog.png" alt="A wall of fog" width="900" height="600"></p>`
		r.brings(digest.Subscription{DigestID: d.ID, Folder: "Zoo"}, "A", p)
		r.midnight()
		v := r.visitor().signIn(u)
		front := v.get("/").shows(".folder h2", "Zoo")
		if len(front.find(".excerpt"))+len(front.find(".shot img")) != 2 {
			r.t.Error("an edition as in the mail has no excerpt and picture")
		}
		arrangement := d.Arrangement
		arrangement.WebLayout, arrangement.WebImages, arrangement.WebGrouping = digest.FullText, digest.NoImages,
			digest.BySites
		r.must(r.store.SetArrangement(r.t.Context(), d.ID, arrangement))
		for _, path := range []string{"/", front.postPaths()[0]} {
			a := v.get(path).status(http.StatusOK).shows(".folder h2").contains(".text", "[Picture: A wall of fog]")
			if len(a.find("img")) != 0 {
				r.t.Errorf("%s shows a picture", path)
			}
		}
		arrangement.WebLayout = digest.Headlines
		r.must(r.store.SetArrangement(r.t.Context(), d.ID, arrangement))
		if got := v.get("/"); len(got.find(".excerpt"))+len(got.find(".text")) != 0 ||
			len(got.find("article.brief")) != 1 {
			r.t.Error("headlines are more than headlines")
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

// chosen returns the values that the form on a page would send.
func (a answer) chosen() url.Values {
	form := url.Values{}
	for _, n := range a.find("form.ask select") {
		name, _ := attr(n, "name")
		form[name] = append(form[name], a.attrs("#"+name+" option[selected]", "value")...)
	}
	for _, n := range a.find("form.ask input") {
		name, _ := attr(n, "name")
		kind, _ := attr(n, "type")
		if value, ok := attr(n, "value"); kind == "checkbox" {
			if _, on := attr(n, "checked"); on {
				form.Set(name, "on")
			}
		} else if ok && kind != "hidden" {
			form.Set(name, value)
		}
	}
	return form
}

// TestEveryButtonSavesAll checks that every button saves the whole page, without JavaScript, and that a rejected form
// keeps all values.
func TestEveryButtonSavesAll(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		_, bobs := r.user("bob@example.org")
		for _, folder := range []string{"A", "B", "C&D"} {
			p := post(folder)
			p.URL += url.PathEscape(folder)
			r.brings(digest.Subscription{DigestID: d.ID, Folder: folder}, "Site of "+folder, p)
		}
		v.get("/settings/appearance").shows("legend", "Posts", "Pictures", "Folders").shows("form.ask h2",
			"Layout and pictures", "Theme and text size", "Name and order")
		form := appearance()
		form.Set("feed", v.get("/settings/appearance").attrs("#feed option", "value")[2])
		keeps := func(a answer) {
			t.Helper()
			got := a.chosen()
			if want := form; !maps.EqualFunc(got, want,
				func(a, b []string) bool { return strings.Join(a, "|") == strings.Join(b, "|") }) {
				t.Errorf("the page has %v, want %v", got, want)
			}
		}
		before := r.digest(d)
		refused := maps.Clone(form)
		refused.Set("name", strings.Repeat("n", 81))
		refused.Set("move", "up")
		a := v.post("/settings/appearance?folder=B", refused).status(http.StatusBadRequest).contains("[role=alert]",
			"can have at most 80 characters")
		form.Set("name", strings.Repeat("n", 80))
		keeps(a)
		if got := r.digest(d); got != before {
			t.Errorf("after a form that was refused it is %+v", got)
		}

		form.Set("name", "The Courier")
		keeps(v.saves("/settings/appearance", form).contains("[role=status]", "Saved."))
		for i, change := range []url.Values{{"theme": {"light"}}, {"layout": {"headlines"}, "player": nil},
			{"web-layout": {""}, "name": {"Mine"}, "threaded": nil}} {
			for name, values := range change {
				form[name] = values
				if values == nil {
					form.Del(name)
				}
			}
			rows := v.get("/settings/appearance").texts(".rows bdi")
			sent := maps.Clone(form)
			sent.Set("move", "down")
			to := v.get("/settings/appearance").attrs(".rows button[value=down]", "formaction")[i%2]
			a := v.saves(to, sent)
			keeps(a)
			rows[i%2], rows[i%2+1] = rows[i%2+1], rows[i%2]
			a.shows(".rows bdi", rows...)
			if focused := a.find("button[autofocus]"); len(focused) != 1 {
				t.Errorf("%d buttons have the focus", len(focused))
			}
		}
		if got := r.digest(bobs); got.Layout != digest.Excerpts || got.Images != digest.NoImages ||
			got.Name != before.Name {
			t.Errorf("another's look is %+v", got)
		}
	})
}

// TestSetAppearance checks that unknown values are rejected, and that such a form saves nothing.
func TestSetAppearance(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		v.saves("/settings/appearance", appearance()).has("html[data-theme=dark]", "data-size",
			"largest").shows("html[dir=rtl] h1", "Appearance")
		want := digest.Arrangement{Grouping: digest.BySites, WebLayout: digest.Headlines, WebGrouping: digest.ByFolders,
			WebImages: digest.NoImages}
		look := digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages, Threaded: true, LeadSubject: true}
		if got := r.digest(d); got.Arrangement != want || got.Look != look || got.Name != "The Courier" {
			t.Errorf("it is %+v", got)
		}
		was := r.digest(d)
		for name, bad := range map[string]string{
			"layout": "wide", "images": "all", "grouping": "wide", "subject": "all", "web-layout": "wide",
			"web-images": "linked", "web-grouping": "wide",
			"direction": `"><script>`, "theme": "sepia", "size": "500%", "feed": "x", "move": "sideways",
		} {
			form := appearance()
			form.Set("name", "Other")
			form.Set(name, bad)
			v.post("/settings/appearance", form).status(http.StatusBadRequest).shows("h1",
				"We couldn’t read that form")
		}
		form := appearance()
		form.Set("feed", "999")
		v.post("/settings/appearance", form).status(http.StatusNotFound)
		if got := r.digest(d); got != was {
			t.Errorf("changed from %+v to %+v", was, got)
		}
		v.get("/settings/appearance?saved=%3Cscript%3E").shows("[role=status]")
		form = appearance()
		form.Set("theme", "device")
		form.Set("size", "browser")
		if got := v.saves("/settings/appearance", form); len(got.find("html[data-theme]"))+
			len(got.find("html[data-size]")) != 0 {
			t.Error("the page names the theme of the device")
		}
	})
}

// TestFormerWebForm checks that the form of the former page /settings/pages/edition still saves the look of the web,
// although its fields have the names of email fields. TestMovedRoutes covers the other former addresses.
func TestFormerWebForm(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		v.saves("/settings/pages/edition",
			url.Values{"layout": {"headlines"}, "images": {"off"}, "grouping": {"folders"}})
		want := digest.Arrangement{Grouping: digest.ByFolders, WebLayout: digest.Headlines,
			WebGrouping: digest.ByFolders, WebImages: digest.NoImages}
		if got := r.digest(d); got.Arrangement != want || got.Layout != digest.Excerpts {
			t.Errorf("it is %+v", got)
		}
		for _, path := range []string{"/settings/appearance", "/settings/pages/edition", "/settings/schedule"} {
			v.post(path, url.Values{"x": {"y"}}).status(http.StatusBadRequest)
		}
	})
}
