package web

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"digest/internal/catalogue"
)

// TestRefilled checks that the stored values are in the form again, and that the rest of the page is unchanged.
func TestRefilled(t *testing.T) {
	page := func(form string) string {
		return `<!doctype html><main id="main"><form method="post" action="/b"><input name="a" value="theirs"></form>` +
			form + `<p>a &amp; b</p></main>`
	}
	fields := url.Values{"a": {`"<x>&`}, "b": {"2", "3"}, "empty": {""}}
	for name, c := range map[string]struct{ form, want string }{
		"text": {`<form method="post" action="/a"><input name="a" value="was"></form>`,
			`<form method="post" action="/a"><input name="a" value="&#34;&lt;x&gt;&amp;"></form>`},
		"no value": {`<form method="post" action="/a"><input type="search" name="a"></form>`,
			`<form method="post" action="/a"><input type="search" name="a" value="&#34;&lt;x&gt;&amp;"></form>`},
		"cleared": {`<form method="post" action="/a"><input name="empty" value="was"></form>`,
			`<form method="post" action="/a"><input name="empty" value=""></form>`},
		"its own path": {`<form method="post"><input name="a" value="was"></form>`,
			`<form method="post"><input name="a" value="was"></form>`},
		"hidden": {`<form method="post" action="/a"><input type="hidden" name="a" value="was"><input type="password" name="b"></form>`,
			`<form method="post" action="/a"><input type="hidden" name="a" value="was"><input type="password" name="b"></form>`},
		"by GET": {`<form action="/a"><input name="a" value="was"></form>`,
			`<form action="/a"><input name="a" value="was"></form>`},
		"textarea": {`<form method="post" action="/a"><textarea name="a" rows="3">was &lt;this&gt;</textarea></form>`,
			"<form method=\"post\" action=\"/a\"><textarea name=\"a\" rows=\"3\">\n&#34;&lt;x&gt;&amp;</textarea></form>"},
		"boxes": {`<form method="post" action="/a"><input type="checkbox" name="b" value="1" checked><input type="checkbox" name="b" value="2"></form>`,
			`<form method="post" action="/a"><input type="checkbox" name="b" value="1"><input type="checkbox" name="b" value="2" checked=""></form>`},
		"radios": {`<form method="post" action="/a"><input type="radio" name="b" value="1" checked><input type="radio" name="b" value="3"><input type="radio" name="c" value="1" checked></form>`,
			`<form method="post" action="/a"><input type="radio" name="b" value="1"><input type="radio" name="b" value="3" checked=""><input type="radio" name="c" value="1" checked></form>`},
		"select": {`<form method="post" action="/a"><select name="b"><option value="1" selected>One</option><option value="2">Two</option></select></form>`,
			`<form method="post" action="/a"><select name="b"><option value="1">One</option><option value="2" selected="">Two</option></select></form>`},
		"a button": {`<form method="post" action="/x"><input name="a" value=""><button formaction="/a">Go</button></form>`,
			`<form method="post" action="/x"><input name="a" value="&#34;&lt;x&gt;&amp;"><button formaction="/a">Go</button></form>`},
		"in details": {`<details><summary>x</summary><p></p></details><details class="y"><form method="post" action="/a"><input name="a"></form></details>`,
			`<details><summary>x</summary><p></p></details><details class="y" open=""><form method="post" action="/a"><input name="a" value="&#34;&lt;x&gt;&amp;"></form></details>`},
	} {
		got := string(refilled([]byte(page(c.form)), "/page", unsentForm{Action: "/a", Fields: fields},
			catalogue.English()))
		from, to := strings.Index(got, `<div class="notice`), strings.Index(got, "</div>")
		if from < 0 || got[:from]+got[to+len("</div>"):] != page(c.want) {
			t.Errorf("%s:\n%s, want\n%s", name, got, page(c.want))
		}
	}
	typed := url.Values{"title": {`"<x>&`}, "feed": {"8"}}
	gone := string(refilled([]byte(page("")), "/page", unsentForm{Action: `/a"`, Fields: typed}, catalogue.English()))
	if !strings.Contains(gone,
		`<p class="wrote" dir="auto">&#34;&lt;x&gt;&amp;</p><form method="post" action="/a&#34;"><input type="hidden" name="feed" value="8">`) ||
		!strings.Contains(gone, "no longer on this page") {
		t.Errorf("where the form is gone: %s", gone)
	}
	own := string(refilled([]byte(page(`<form method="post"><input name="a"></form>`)), "/a",
		unsentForm{Action: "/a", Fields: fields}, catalogue.English()))
	if !strings.Contains(own, `<input name="a" value="&#34;`) {
		t.Errorf("a form that posts to the page's own address: %s", own)
	}
}

// TestRefilledInALanguage checks that the notice is in the language of the page.
func TestRefilledInALanguage(t *testing.T) {
	const page = `<main><form method="post" action="/a"><input name="a"></form></main>`
	own := regexp.MustCompile(`>[^<]*[A-Za-z][^<]*<`)
	for action, fields := range map[string][]url.Values{"/a": {nil, {}, {"a": {"1"}}},
		"/gone": {{}, {"a": {"1"}}, {"title": {"1"}}}} {
		for _, f := range fields {
			got := string(refilled([]byte(page), "/", unsentForm{Action: action, Fields: f}, catalogue.Of("ar")))
			if !strings.Contains(got, "سُجّل خروجك") || own.MatchString(got) {
				t.Errorf("%s, %v: %s", action, f, got)
			}
		}
	}
}

// FuzzRefilled checks that stored values cannot add markup to the page.
func FuzzRefilled(f *testing.F) {
	f.Add(`"><script>alert(1)</script>`)
	f.Add("</textarea><script>")
	f.Fuzz(func(t *testing.T, written string) {
		const page = `<main><form method="post" action="/a"><input name="a"><textarea name="a"></textarea></form></main>`
		for _, action := range []string{"/a", "/gone"} {
			got := string(refilled([]byte(page), "/", unsentForm{Action: action, Fields: url.Values{"a": {written}}},
				catalogue.English()))
			if strings.Contains(got, "<script") || strings.Count(got, "</textarea>") != 1 {
				t.Fatalf("%q: %s", written, got)
			}
		}
	})
}
