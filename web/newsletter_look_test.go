package web_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"digest"
)

// wideLogo returns a transparent PNG with a bar.
func wideLogo(w, h int) string {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for x := range w {
		m.Set(x, h/2, color.NRGBA{20, 60, 120, 255})
	}
	var b bytes.Buffer
	_ = png.Encode(&b, m) // cannot fail in memory
	return b.String()
}

// TestNewsletterSheet checks that all public pages of a newsletter have its colours, and that the
// address of the style sheet changes with them.
func TestNewsletterSheet(t *testing.T) {
	each(t, func(r *room) {
		anna, _ := r.user("anna@example.org")
		n, v := r.newsletter(anna), r.visitor()
		if page := v.get("/n/anna-writes"); strings.Contains(page.body, "/look/") {
			r.t.Error("without colours there is a style sheet")
		}
		r.brings(digest.Subscription{DigestID: n.ArchiveID}, "Anna's site", post("The boat"))
		r.midnight()
		sheet := func(accent string) string {
			n.Accent = accent
			r.must(r.store.Newsletters.SetNewsletter(r.t.Context(), n, r.now))
			var address string
			for _, path := range []string{"", "/letters", "/2026-11-21"} {
				page := v.get("/n/anna-writes" + path).status(http.StatusOK)
				found := page.attrs("link[rel=stylesheet]", "href")
				if len(found) != 2 || address != "" && found[1] != address {
					r.t.Fatalf("%s: the style sheets are %q", path, found)
				}
				address = found[1]
			}
			return address
		}
		green, red := sheet("#0b5d4a"), sheet("#990f3d")
		if green == red {
			r.t.Errorf("both colours are at %s", green)
		}
		css := v.get(red).status(http.StatusOK)
		if !strings.Contains(css.body, "--accent:#990f3d;") ||
			css.Header.Get("Content-Type") != "text/css; charset=utf-8" ||
			!strings.Contains(css.Header.Get("Cache-Control"), "immutable") {
			r.t.Errorf("%s: %q\n%s", red, css.Header, css.body)
		}
		v.get(green).status(http.StatusNotFound)
		v.get("/n/anna-writes/look/colours-.css").status(http.StatusNotFound)
		r.must(r.store.Newsletters.SetNewsletterState(r.t.Context(), n.ID, digest.NewsletterPending, "", r.now))
		v.get(red).status(http.StatusNotFound)
	})
}

// TestNewsletterLogo checks that an uploaded logo appears on the public pages, in their previews,
// in the feed and in issues. Invalid logos are rejected, and a removed logo is gone.
func TestNewsletterLogo(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		const path = "/newsletters/anna-writes/logo"
		v.get(path).status(http.StatusOK).contains(".sheet", "No logo yet")
		for name, c := range map[string]struct {
			picture, says string
			status        int
		}{
			"SVG": {`<svg onload="alert(1)"/>`, "save it as PNG", 422}, "nothing": {"", "No file was chosen", 422},
			"a line":       {wideLogo(500, 20), "ten times as wide", 422},
			"much":         {strings.Repeat("x", 1<<20+1), "larger than 1 MB", 422},
			"far too much": {strings.Repeat("x", 3<<20), "larger than 1 MB", 422},
		} {
			if got := v.sendFile(path, "picture", name, c.picture, nil); got.StatusCode != c.status ||
				!strings.Contains(strings.Join(got.texts(".wrong"), " "), c.says) {
				r.t.Errorf("%s is answered with %d: %q", name, got.StatusCode, got.texts(".wrong"))
			}
		}
		v.post(path, url.Values{"picture": {"x"}}).status(http.StatusBadRequest)

		v.sendFile(path, "picture", "x.png", wideLogo(720, 180), nil).status(http.StatusSeeOther)
		own := v.get(path+"?saved=logo").contains(".notice", "Saved.").attrs(".logo img", "src")
		v.get(own[0]).status(http.StatusOK)
		n, err := r.store.Newsletters.Newsletter(r.t.Context(), n.ID)
		r.must(err)
		r.midnight()
		guest := r.visitor()
		file := "/n/anna-writes/look/" + n.LogoFile
		for _, page := range []string{"", "/letters", "/2026-11-21"} {
			shown := guest.get("/n/anna-writes" + page).status(http.StatusOK)
			shown.has(".nameplate img", "src", file)
			shown.has(".nameplate img", "alt", "Letters of anna-writes")
			shown.has(".nameplate img", "width", "360")
			shown.has(".nameplate img", "class", "clear")
			shown.has("meta[property=og:image]", "content", r.base+file)
		}
		if feed := guest.get("/n/anna-writes/feed.xml"); !strings.Contains(feed.body, "<logo>"+r.base+file+"</logo>") {
			r.t.Errorf("the feed has no logo: %s", feed.body)
		}
		picture := guest.get(file).status(http.StatusOK)
		h := picture.Header
		if h.Get("Content-Type") != "image/png" || !strings.Contains(h.Get("Cache-Control"), "immutable") ||
			h.Get("Cross-Origin-Resource-Policy") != "cross-origin" ||
			!strings.Contains(h.Get("Content-Security-Policy"), "sandbox") ||
			!strings.HasPrefix(picture.body, "\x89PNG") {
			r.t.Errorf("the logo is answered with %v", h)
		}
		if shown := v.get("/newsletters/anna-writes/letters/2026-11-21/preview"); !strings.Contains(shown.body, `src="`+
			r.base+file+`"`) {
			r.t.Errorf("the letter has no logo: %s", shown.body)
		}
		for _, name := range []string{"logo-0.png", "logo-%00.png", "logo-%ff%fe.png", "logo-" +
			strings.Repeat("0", 5000)} {
			guest.get("/n/anna-writes/look/" + name).status(http.StatusNotFound)
		}
		n.HeaderText, n.Accent = "Hello.", "#0b5d4a"
		r.must(r.store.Newsletters.SetNewsletter(r.t.Context(), n, r.now))
		r.must(r.store.Newsletters.SetNewsletterLetter(r.t.Context(), digest.NewsletterLetter{NewsletterID: n.ID,
			LocalDate: digest.Date{Year: 2026, Month: 11, Day: 21}, Note: "Back again."}))
		mailed := guest.get("/e/" +
			r.signer.Sign(digest.ForEdition, int64(r.edition(digest.Digest{ID: n.ArchiveID}).ID))).status(http.StatusOK)
		mailed.has(".nameplate img", "src", file)
		mailed.contains("main p", "Hello.").contains(".notice", "Back again.")
		if found := mailed.attrs("link[rel=stylesheet]", "href"); len(found) != 2 ||
			!strings.Contains(mailed.Header.Get("X-Robots-Tag"), "noindex") {
			r.t.Errorf("behind the link of the mail: %q, %v", found, mailed.Header)
		}

		v.post(path+"/remove", nil).status(http.StatusSeeOther)
		v.get(path+"?saved=removed").contains(".notice", "Logo removed")
		guest.get(file).status(http.StatusNotFound)
		if page := guest.get("/n/anna-writes"); strings.Contains(page.body, "<img") {
			r.t.Error("a logo that was taken away is shown")
		}

		v.sendFile(path, "picture", "x.png", wideLogo(100, 100), nil).status(http.StatusSeeOther)
		square := guest.get("/n/anna-writes").shows(".nameplate", "Letters of anna-writes")
		square.has(".top .logo img", "alt", "")
		r.must(r.store.Newsletters.SetNewsletterState(r.t.Context(), n.ID, digest.NewsletterPending, "", r.now))
		src := v.get(path).attrs(".logo img", "src")[0]
		v.get(src).status(http.StatusOK)
		guest.get(strings.Replace(src, path, "/n/anna-writes/look", 1)).status(http.StatusNotFound)
	})
}

// TestLogoByProgram checks the upload of a logo with the API.
func TestLogoByProgram(t *testing.T) {
	each(t, func(r *room) {
		v, _ := r.publishing("anna@example.org", "anna-writes", "The boat")
		p := r.program(v, "anna-writes", url.Values{"name": {"My site"}})
		if got := p.want(200, "PATCH", "", `{"paper":"#FFF1E5","accent":"#990f3d"}`); got["paper"] != "#fff1e5" ||
			got["accent"] != "#990f3d" || got["ink"] != "" || got["logo"] != nil {
			r.t.Errorf("changed to %v", got)
		}
		if got := p.want(422, "PATCH", "", `{"accent":"#ffcc00"}`); !strings.Contains(got["detail"].(string),
			"contrast of 1.3 to 1") {
			r.t.Errorf("refused with %v", got)
		}
		put := func(kind, body string) *httptest.ResponseRecorder {
			req := httptest.NewRequest("PUT", of(apiPath+"/logo"), strings.NewReader(body))
			req.Header.Set("Authorization", "Bearer "+p.token)
			req.Header.Set("Content-Type", kind)
			w := httptest.NewRecorder()
			p.handler.ServeHTTP(w, req)
			p.described("PUT "+apiPath+"/logo", w)
			return w
		}
		if w := put("image/png", wideLogo(1000, 250)); w.Code != 200 ||
			!strings.Contains(w.Body.String(), `"width":720,"height":180}`) {
			r.t.Errorf("set: %d %s", w.Code, w.Body)
		}
		for _, c := range []struct {
			kind, body string
			status     int
		}{{"application/json", "{}", 415}, {"image/svg+xml", "<svg/>", 422},
			{"image/png", strings.Repeat("x", 3<<20), 422}} {
			if w := put(c.kind, c.body); w.Code != c.status {
				r.t.Errorf("%q is answered with %d %s, want %d", c.kind, w.Code, w.Body, c.status)
			}
		}
		if got := p.want(200, "DELETE", "/logo", ""); got["logo"] != nil {
			r.t.Errorf("taken away: %v", got)
		}
	})
}
