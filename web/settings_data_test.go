package web_test

import (
	"archive/zip"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
)

// unzipped returns the files of a ZIP response by name.
func (a answer) unzipped() map[string]string {
	a.t.Helper()
	z, err := zip.NewReader(strings.NewReader(a.body), int64(len(a.body)))
	if err != nil {
		a.t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			a.t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			a.t.Fatal(err)
		}
		files[f.Name] = string(b)
	}
	return files
}

func TestAllMyData(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		bob, bobs := r.user("bob@example.org")
		r.arrives(d, post("Mine"))
		r.arrives(bobs, post("Bob's"))
		r.midnight()
		r.arrives(d, post("Tomorrow's"))
		r.now = r.now.Add(time.Hour)

		v := r.visitor().signIn(u)
		v.get("/settings/data").status(http.StatusOK).contains("main form button", "Download ZIP file")
		a := v.get("/settings/data.zip").status(http.StatusOK)
		if a.Header.Get("Content-Type") != "application/zip" ||
			a.Header.Get("Content-Disposition") != "attachment; filename=digest-2026-11-21.zip" ||
			!strings.Contains(a.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("headers are %v", a.Header)
		}
		files := a.unzipped()
		if !strings.Contains(files["editions/2026-11-21.html"], "Mine") {
			t.Error("the reader's edition is not in it")
		}
		for name, content := range files {
			for _, never := range []string{"Tomorrow", "Bob", "bob@"} {
				if strings.Contains(content, never) {
					t.Errorf("%s tells of %s", name, never)
				}
			}
			if secret := v.cookies["digest"]; strings.Contains(content, secret) {
				t.Errorf("%s has the session in it", name)
			}
		}
		r.visitor().get("/settings/data.zip").status(http.StatusSeeOther)
		r.visitor().signIn(bob).get("/settings/data.zip").status(http.StatusOK)
	})
}

// TestDataIsMadeWhenAskedFor checks that HEAD requests and prefetches start no export, and that exports are rate
// limited.
func TestDataIsMadeWhenAskedFor(t *testing.T) {
	each(t, func(r *room) {
		v, _ := r.reader("ann@example.org")
		for range 9 {
			if a := v.do("HEAD", "/settings/data.zip", "", nil).status(http.StatusOK); a.body != "" {
				t.Error("HEAD has a body")
			}
			v.header["Sec-Purpose"] = "prefetch;prerender"
			v.get("/settings/data.zip").status(http.StatusServiceUnavailable)
			delete(v.header, "Sec-Purpose")
		}
		for range 5 {
			v.get("/settings/data.zip").status(http.StatusOK)
		}
		v.get("/settings/data.zip").status(http.StatusTooManyRequests).shows("h1", "Too many requests")
		r.now = r.now.Add(6 * time.Minute)
		v.get("/settings/data.zip").status(http.StatusOK)
	})
}

func TestDelete(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("Ann@example.org")
		bob, bobs := r.user("bob@example.org")
		r.arrives(d, post("For Ann"))
		r.arrives(bobs, post("For Bob"))
		v, phone := r.visitor().signIn(u), r.visitor().signIn(u)
		r.beforeMidnight(0)
		_, err := r.store.Feeds.Plan(t.Context(), r.now, func(digest.Feed, time.Time) (time.Time, bool) {
			return time.Time{},
				false
		})
		r.must(err)
		_, err = r.store.Editions.Release(t.Context(), r.now, time.Minute)
		r.must(err)
		mails, err := r.store.Editions.ClaimEditions(t.Context(), r.now,
			digest.Claim{Most: 100, Lease: time.Minute, Token: "t"})
		r.must(err)

		a := v.post("/settings/delete", url.Values{"address": {" ann@EXAMPLE.org "}}).status(http.StatusSeeOther)
		if to := a.Header.Get("Location"); to != "/goodbye" || v.cookies["digest"] != "" {
			t.Errorf("leads to %s, the cookie is %q", to, v.cookies["digest"])
		}
		v.get("/goodbye").status(http.StatusOK).shows("h1", "Goodbye").shows("nav[aria-label=Pages]")
		for _, path := range []string{"/settings", "/settings/data.zip", "/editions"} {
			phone.get(path).status(http.StatusSeeOther)
		}
		phone.post("/settings/delete", url.Values{"address": {"ann@example.org"}}).status(http.StatusForbidden)
		if _, err := r.store.Readers.UserByEmail(t.Context(), u.Email); digest.KindOf(err) != digest.NotFound {
			t.Errorf("the reader is there: %v", err)
		}

		granted := 0
		for _, m := range mails {
			ok, err := r.store.Editions.MarkEditions(t.Context(), r.now, "t", nil,
				[]digest.Dot{{ID: m.ID, MessageID: "m", Date: r.now, Recipient: m.Email}})
			r.must(err)
			if granted += len(ok); m.DigestID == d.ID && len(ok) != 0 {
				t.Error("a mail to who has gone got its dot")
			}
		}
		if len(mails) != 2 || granted != 1 {
			t.Errorf("%d mails on their way, %d got their dot", len(mails), granted)
		}
		other := r.visitor().signIn(bob)
		other.get("/").status(http.StatusOK).shows("h3", "For Bob")
		other.get("/goodbye").status(http.StatusSeeOther)

		again, _ := r.user("ann@example.org") // a new account gets nothing of the old one
		r.visitor().signIn(again).get("/editions").status(http.StatusOK).shows(".dates a")
	})
}

// TestDataWithoutADatabase checks that an error before the first byte is shown as a page.
func TestDataWithoutADatabase(t *testing.T) {
	each(t, func(r *room) {
		v, _ := r.reader("ann@example.org")
		r.breakDatabase()
		a := v.get("/settings/data.zip")
		if a.StatusCode < 500 || strings.Contains(a.Header.Get("Content-Type"), "zip") {
			t.Errorf("%d %s", a.StatusCode, a.Header.Get("Content-Type"))
		}
	})
}
