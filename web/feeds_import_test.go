package web_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// upload sends a list like the form of the page.
func (v *visitor) upload(list string) answer {
	v.t.Helper()
	a := v.send("/feeds/import", "my list.opml", list, nil)
	if a.StatusCode == http.StatusSeeOther {
		return v.get(a.Header.Get("Location"))
	}
	return a
}

// send posts a form with fields and a list after them.
func (v *visitor) send(path, name, list string, fields map[string]string) answer {
	v.t.Helper()
	return v.sendFile(path, "list", name, list, fields)
}

// sendFile posts a form with fields and a file after them.
func (v *visitor) sendFile(path, field, name, content string, fields map[string]string) answer {
	v.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for name, value := range fields {
		v.must(form.WriteField(name, value))
	}
	file, err := form.CreateFormFile(field, name)
	v.must(err)
	_, err = io.WriteString(file, content)
	v.must(err)
	v.must(form.Close())
	return v.do("POST", path, form.FormDataContentType(), &b)
}

const badList = `<?xml version="1.0" encoding="utf-8"?>
<opml><head><title>Mine & yours</title></head><body>
<outline text="News & co"><outline text="A &nbsp; B" xmlUrl="https://a.example/?x=1&y=2"/>
<outline text="Nowhere" xmlUrl="mailto:a@b.example"/>
<outline type="rss" text="Empty"/>
</outline>
<outline text="B" xmlUrl="https://b.example/`

// TestImportReportNamesTheGone checks that the report counts and names a gone feed, although it has
// no readers any more.
func TestImportReportNamesTheGone(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		v.upload(`<opml><outline text="Old news" xmlUrl="https://a.example/f"/></opml>`).status(http.StatusOK)
		subs, err := r.store.Subscriptions.Subscriptions(t.Context(), d.ID)
		r.must(err)
		f := subs[0].Feed
		f.GoneAt, f.LastStatus, f.Title = r.now, http.StatusGone, "Old news"
		_, err = r.store.Feeds.Record(t.Context(), r.now, []store.Polled{{Feed: f}})
		r.must(err)
		_, err = r.store.Feeds.Retire(t.Context(), r.now, []digest.FeedID{f.ID})
		r.must(err)
		if got := v.takes(); got != "" {
			r.t.Fatalf("takes %q", got)
		}
		a := v.get("/feeds/import/report").status(http.StatusOK).contains("[role=status]", "Checked 0 of 1.",
			"Failed so far: 1.")
		a.contains(".reading .rows", "Old news", "permanently gone")
	})
}

// TestListsThatAreTooLarge checks that a list over the limit gets an error page and imports
// nothing, with and without a Content-Length.
func TestListsThatAreTooLarge(t *testing.T) {
	each(t, func(r *room) {
		v, _ := r.reader("ann@example.org")
		list := "<opml><outline xmlUrl='https://a.example/'/>" + strings.Repeat(" ", 50<<20) + "</opml>"
		v.upload(list).status(http.StatusRequestEntityTooLarge).shows("h1", "Import sites")
		body := "--x\r\nContent-Disposition: form-data; name=\"list\"; filename=\"f\"\r\n\r\n" + list + "\r\n--x--\r\n"
		// chunked
		a := v.do("POST", "/feeds/import", "multipart/form-data; boundary=x",
			struct{ io.Reader }{strings.NewReader(body)})
		if got := a.status(http.StatusRequestEntityTooLarge).texts(".wrong")[0]; !strings.Contains(got,
			"larger than 10 MB") {
			r.t.Error(got)
		}
		if got := v.takes(); got != "" {
			r.t.Errorf("takes %q", got)
		}
		long := "<opml><outline text='" + strings.Repeat("x", 1_000_000) + "' xmlUrl='https://a.example/'/></opml>"
		v.upload(long).status(http.StatusOK).shows(".counts dd", "1", "0")
	})
}

// TestImportIsBounded checks that the report names feeds over the limit, and that concurrent
// imports cannot exceed it.
func TestImportIsBounded(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		var b strings.Builder
		for i := range 2300 {
			fmt.Fprintf(&b, "<outline text='Feed %d' xmlUrl='https://a.example/%d'/>\n", i, i)
		}
		list := "<opml>" + b.String() + "</opml>"
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				w := r.visitor()
				w.cookies = v.cookies
				if got := w.upload(list).StatusCode; got != http.StatusOK && got != http.StatusTooManyRequests {
					r.t.Errorf("status %d", got)
				}
			})
		}
		all.Wait()
		a := v.upload(list).status(http.StatusOK).shows(".counts dd", "0", "2000", "300").shows(".report h2",
			"Over the limit")
		if got := a.texts(".lines li"); len(got) != 200 || got[0] != "Feed 2000 (https://a.example/2000)" {
			r.t.Errorf("%d: %q", len(got), got[0])
		}
		taken, err := r.store.Subscriptions.Subscriptions(r.t.Context(), d.ID)
		r.must(err)
		if len(taken) != 2000 {
			r.t.Errorf("takes %d", len(taken))
		}
		v.find("https://b.example/").status(http.StatusConflict)
	})
}

// TestExportComesBack checks that an import of an export restores the same subscriptions.
func TestExportComesBack(t *testing.T) {
	each(t, func(r *room) {
		ann, d := r.user("ann@example.org")
		bob, e := r.user("bob@example.org")
		v, w := r.visitor().signIn(ann), r.visitor().signIn(bob)
		v.upload(`<opml><outline text="F/G &amp; &quot;H&quot;"><outline text="&lt;A&gt; 日本" ` +
			`xmlUrl="https://a.example/?x=1&amp;y='2'"/><outline text="B" xmlUrl="https://b.example/"/>` +
			`</outline></opml>`).status(http.StatusOK)
		taken, err := r.store.Subscriptions.Subscriptions(r.t.Context(), d.ID)
		r.must(err)
		v.post(fmt.Sprintf("/feeds/%d/pause", taken[1].FeedID), url.Values{"for": {""}}).status(http.StatusSeeOther)
		a := v.get("/feeds/export").status(http.StatusOK)
		if got := a.Header.Get("Content-Disposition"); got != "attachment; filename=feeds.opml" ||
			strings.Contains(a.body, "bob") {
			r.t.Errorf("%s", got)
		}
		w.upload(a.body).status(http.StatusOK).shows(".counts dd", "2", "0")
		describe := func(id digest.DigestID) (out string) {
			taken, err := r.store.Subscriptions.Subscriptions(r.t.Context(), id)
			r.must(err)
			paused, err := r.store.Subscriptions.PausedSubscriptions(r.t.Context(), id)
			r.must(err)
			for _, s := range append(taken, paused...) {
				out += s.Feed.URL + " " + s.Title + " " + s.Folder + ";"
			}
			return out + fmt.Sprint(len(paused))
		}
		if got, want := describe(e.ID), describe(d.ID); got != want || !strings.HasSuffix(got, ";1") {
			r.t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// TestListsOfAllReaders checks the limit for the memory of all uploads. A large upload over it is
// rejected with a message, while small ones are still accepted.
func TestListsOfAllReaders(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newRoom(t, s)
		const head = "--x\r\nContent-Disposition: form-data; name=\"list\"; filename=\"f\"\r\n\r\n<opml><outline " +
			"xmlUrl='https://a.example/'/>"
		large := strings.Repeat(" ", 9<<20)
		var ends []func()
		for _, name := range []string{"ann", "bob"} {
			v, _ := r.reader(name + "@example.org")
			typed, done := v.slowly("/feeds/import", "multipart/form-data; boundary=x")
			_, err := io.WriteString(typed, head+large)
			r.must(err)
			ends = append(ends, func() {
				_, err := io.WriteString(typed, "</opml>\r\n--x--\r\n")
				r.must(err)
				r.must(typed.Close())
				if got := <-done; got != "303 See Other" {
					t.Errorf("%s ends with %s", name, got)
				}
			})
		}
		eve, _ := r.reader("eve@example.org")
		list := "<opml><outline xmlUrl='https://a.example/'/>" + large + "</opml>"
		a := eve.upload(list)
		for range 15 { // the server may not have read the other uploads yet
			if a.StatusCode == http.StatusServiceUnavailable {
				break
			}
			a = eve.upload(list)
		}
		a.status(http.StatusServiceUnavailable).shows("h1", "Back in a moment")
		eve.upload("<opml><outline xmlUrl='https://b.example/'/>" + large[:500_000] + "</opml>").status(http.StatusOK)
		for _, end := range ends {
			end()
		}
		for a = eve.upload(list); a.StatusCode == http.StatusServiceUnavailable && len(ends) > 0; a = eve.upload(list) {
			ends = ends[:len(ends)-1] // the server releases the memory soon after the response
		}
		a.status(http.StatusOK)
	})
}
