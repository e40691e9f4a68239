package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/internal/dmarc"
	"digest/store"
	"digest/test/browser"
	"digest/web"
)

// Extreme texts of strangers and readers.
var (
	endless  = strings.Repeat("Donaudampfschifffahrt", 12)
	leftward = strings.Repeat("אבגדהוזחטיךכלםמןנסעףפץצקרשת", 6)
	mixed    = "مرحبا " + endless + " بالعالم " + leftward
)

// uglyText returns the HTML of a post that would stick out of a narrow page.
func uglyText() string {
	return "<h2>" + endless + "</h2><p>" + leftward + " <a href='https://a.example/" + endless +
		"'>https://a.example/" + endless + "</a> <code>" + endless + "</code></p>" +
		"<pre>" + endless + "\n\t\t\t\t\t\t\t\t\t\t" + endless + "</pre><ul><li><ol><li><blockquote><blockquote>" +
		endless + "</blockquote></blockquote></li></ol></li></ul>" +
		"<table><tr>" + strings.Repeat("<th>"+endless[:30]+"</th><td>"+endless[:60]+"</td>", 12) + "</tr></table>" +
		"<img src='https://a.example/i.png' alt='" + endless +
		"' width='4000' height='30'><figure><img src='https://a.example/j.png' alt='" + endless + "'><figcaption>" +
		endless + "</figcaption></figure>"
}

func uglyPosts(words string) (all []digest.Post) {
	for _, title := range []string{endless, leftward, mixed, words} {
		all = append(all, digest.Post{
			Identity: title, Title: title, URL: "https://" + strings.Repeat("long.", 40) + "example/" +
				endless, Author: endless,
			Summary: "cheese " + mixed + " " + words, Content: uglyText(), Language: "de", ContentHash: "h",
		})
	}
	return all
}

// A pageShow is a list of pages to open in a browser: responses with the names of their templates.
type pageShow struct {
	*room
	names   []string
	answers []answer
}

func (p *pageShow) add(template string, a answer) answer {
	p.t.Helper()
	if a.StatusCode >= 300 && a.StatusCode < 400 || a.StatusCode >= 500 {
		p.t.Fatalf("%s: %s %s answers %d", template, a.Request.Method, a.Request.URL, a.StatusCode)
	}
	p.names, p.answers = append(p.names, template), append(p.answers, a)
	return a
}

// ServeHTTP serves a page by its number, and the files that pages need.
func (p *pageShow) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var n int
	if _, err := fmt.Sscanf(req.URL.Path, "/shown/%d", &n); err != nil || n >= len(p.answers) {
		p.handler.ServeHTTP(w, req)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, p.answers[n].body)
}

// TestNothingSticksOut opens every page with unbreakable words at widths of 320, 360 and 390
// pixels, with doubled letters, and in each text size. Nothing may scroll sideways, be cut off or
// overlap, and every control must be large enough for a finger.
func TestNothingSticksOut(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	for _, direction := range []digest.Direction{digest.LeftToRight, digest.RightToLeft} {
		p := allPages(t, direction)
		p.crowdedPages(direction)
		p.measured(direction, "16", "18px", 6)
		p.measured(direction, "32", "36px", 4)
	}
}

// measured checks all pages with a default letter size. root is the font size that the root element
// must then have, and times is how often each page must be measured.
func (p *pageShow) measured(direction digest.Direction, letters, root string, times int) {
	p.t.Helper()
	const atOnce = 50
	mux := http.NewServeMux()
	mux.Handle("/", p)
	mux.HandleFunc("/frames/{from}", func(w http.ResponseWriter, req *http.Request) {
		from, _ := strconv.Atoi(req.PathValue("from"))
		fmt.Fprint(w, "<!doctype html>")
		for i, name := range p.names[from:min(from+atOnce, len(p.names))] {
			fmt.Fprintf(w, `<iframe title="%d %s" src="/shown/%d" width="320" height="400" style="border:0"></iframe>`,
				from+i, name, from+i)
		}
		fmt.Fprint(w, measure)
	})
	for from := 0; from < len(p.names); from += atOnce {
		got := browser.Written(p.t, mux, fmt.Sprintf("/frames/%d", from), "--blink-settings=defaultFontSize="+letters)
		if want := fmt.Sprintf("%d measured, letters of %s\n", times*min(atOnce, len(p.names)-from),
			root); got != want {
			p.t.Errorf("%s, letters of %s:\n%s", direction, root, got)
		}
	}
}

// covers fails the test if a template was not opened.
func (p *pageShow) covers(t *testing.T) {
	t.Helper()
	shown := " page/layout page/problem " + strings.Join(p.names, " ") + " "
	for _, path := range found(t, "templates/*.html", "*/templates/*.html") {
		name := strings.TrimSuffix(strings.Replace(path, "templates/", "", 1), ".html")
		if !strings.Contains(shown, " "+name+" ") {
			t.Errorf("the page %s is not looked at", name)
		}
	}
}

// openAll opens every page.
func (p *pageShow) openAll(direction digest.Direction) {
	p.t.Helper()
	guest := p.visitor()
	link, err := web.OperatorLink(p.t.Context(), p.store, "", p.now)
	p.must(err)
	p.add("operator_link", guest.get(link))
	_, token, _ := strings.Cut(link, "token=")
	p.add("operator_link", guest.post("/sign-in/operator",
		url.Values{"token": {token}, "email": {endless}, "zone": {endless}}))

	email := strings.Repeat("x", 64) + "@" + strings.Repeat(strings.Repeat("y", 40)+".", 4) + "example"
	u, d := p.user(email)
	p.must(p.store.Operator.SetOperator(p.t.Context(), u.ID, true))
	p.must(p.store.Readers.SetPages(p.t.Context(), u.ID, pages(direction, true)))
	me := p.visitor()
	me.header["Origin"] = "http://" + strings.TrimPrefix(p.base, "http://")
	me.signIn(u)
	p.add("home_first", me.get("/"))
	p.strangersPages(guest)
	p.feedsPages(me, d)
	p.readingPages(me, d)
	p.settingsPages(me, u)
	p.operatorPages(me)
	p.newsletterPages(me, u, d)
	p.lastPages(me, u, d)
}

// strangersPages adds the pages that need no sign-in.
func (p *pageShow) strangersPages(guest *visitor) {
	p.t.Helper()
	p.add("home_landing", guest.get("/"))
	for _, path := range []string{"/sign-in", "/sign-in?sent=1", "/sign-in?out=everywhere", "/sign-in?token=" +
		p.token(p.other())} {
		p.add("signin", guest.get(path))
	}
	p.add("signin", guest.post("/sign-in/email", url.Values{"email": {endless}}))
	for _, path := range []string{"/sign-up", "/sign-up?sent=1"} {
		p.add("signup", guest.get(path))
	}
	p.add("signup", guest.post("/sign-up", url.Values{"email": {endless}, "zone": {mixed}}))
	guest.asks("/sign-up", strings.Repeat("n", 60)+"@new.example").status(http.StatusSeeOther)
	p.add("signup_confirm", guest.get("/sign-up/confirm?token="+p.letter().token))
	p.add("about_bot", guest.get("/bot"))
	p.add("about_site", guest.post("/bot/site", url.Values{"site": {endless + "." + endless + ".example"}}))
	p.add("about_help", guest.get("/help"))
	p.add("problem", guest.get("/"+endless))
	guest.header["Accept"] = "text/html"
	p.add("programs/ping", guest.get("/ping?url=https://a.example/"))
	p.add("status", guest.get("/status"))
	p.add("status", guest.get(statusOf("https://a.example/"+endless)))
	f := well(p.knows(digest.Feed{URL: feedURL + "?" + endless, Title: mixed}), p.now)
	f.LastError, f.Errors, f.NotBefore, f.MovedTo = endless, 3, p.now.Add(time.Hour), "https://new.example/"+endless
	for i := range 40 {
		p.polled(f, store.PollRecord{At: p.now.AddDate(0, 0, i-39), Outcome: "failed", Status: 500 - i%2*71,
			Requests: 2, Bytes: 12_345_678, Took: 30 * time.Second, Note: endless})
	}
	p.add("status_feed", guest.get(statusOf(f.URL)))
}

// other returns another reader.
func (p *pageShow) other() digest.User {
	u, _ := p.user(strings.Repeat("other", 10) + "@example.org")
	return u
}

// feedsPages adds the pages of feeds and filters.
func (p *pageShow) feedsPages(me *visitor, d digest.Digest) {
	p.t.Helper()
	p.add("feeds", me.get("/feeds"))
	path := "/" + endless
	site := p.blog(map[string]string{
		path: "<title>" + mixed + "</title><link rel=alternate type=application/rss+xml title='" + leftward +
			"' href='" + path + "/1'><link rel=alternate type=application/rss+xml href='" + path + "/2'>",
		path + "/1": rss(endless, endless, leftward), path + "/2": rss(mixed, endless), "/one": rss(leftward, "x"),
	})
	p.add("feeds_find", me.find(site.URL+path).status(http.StatusOK))
	p.add("feeds_find", me.find(endless))
	p.add("feeds_add", me.get("/feeds/share?text="+url.QueryEscape("https://"+endless+".example/"+endless)))
	p.add("feeds_find_added",
		me.post("/feeds/add", url.Values{"feed": {site.URL + "/one", site.URL + "/" + endless[1:]}}))
	p.add("feeds_import", me.get("/feeds/import"))
	p.add("feeds_import", me.upload("no list at all "+endless))
	p.add("feeds_import_report",
		me.upload(strings.ReplaceAll(strings.ReplaceAll(badList, "Nowhere", endless), "Mine", mixed)))
	p.add("home_first", me.get("/?saved=nothing"))
	one := me.attrsOf("/feeds", ".rows .name", "href")[0]
	me.post(one, url.Values{"title": {endless}, "folder": {leftward}, "display": {"full"}}).status(http.StatusSeeOther)
	me.post("/filters", url.Values{"words": {endless[:90]}, "feed": {"0"}}).status(http.StatusSeeOther)
	me.post("/filters", url.Values{"words": {leftward[:60]},
		"feed": {strings.TrimPrefix(one, "/feeds/")}}).status(http.StatusSeeOther)
	p.add("feeds", me.get("/feeds?saved=added"))
	p.add("feed", me.get(one+"?saved=added"))
	p.add("feed", me.post(one, url.Values{"title": {strings.Repeat(endless, 3)},
		"folder": {strings.Repeat(leftward, 8)}, "display": {"none"}}))
	p.add("filters", me.get("/filters?saved=filter"))
	p.add("filters", me.post("/filters", url.Values{"words": {strings.Repeat(endless, 3)}, "feed": {"0"}}))
	p.movedPages(me, d)
	me.post(one+"/pause", url.Values{"for": {""}}).status(http.StatusSeeOther)
	p.add("feed", me.get(one))
	p.add("feeds", me.get("/feeds"))
	p.add("feeds", me.get("/feeds?all=1&sort=last&find="+endless[:20]))
	ids := url.Values{"feed": {strings.TrimPrefix(one, "/feeds/")}, "folder": {strings.Repeat(leftward, 8)},
		"until": {endless}}
	p.add("feeds_several", me.get("/feeds/several?"+ids.Encode()))
	p.add("feeds_several", me.post("/feeds/several/folder", ids))
	p.add("feeds_several", me.post("/feeds/several/pause", ids))
	p.add("feed", me.post(one+"/pause", url.Values{"until": {endless}}))
	p.add("feeds_left", me.post("/feeds/several/leave", ids))
}

// movedPages adds the pages of feeds that have moved.
func (p *pageShow) movedPages(me *visitor, d digest.Digest) {
	p.t.Helper()
	long := strings.Repeat("a", 63) + "." + strings.Repeat("b", 63) + "."
	var f digest.Feed
	var path string
	for i, title := range []string{mixed, leftward, endless, "Notes"} {
		f, path = p.moves(d, title, fmt.Sprintf("https://%sold.example/%d%s", long, i, endless),
			fmt.Sprintf("https://%snew.example/%d%s", long, i, leftward))
	}
	p.add("feeds", me.get("/feeds"))
	p.add("feed", me.get(fmt.Sprintf("/feeds/%d", f.ID)))
	p.add("moved", me.get(path))
	p.add("moved", me.post(path, nil))
}

// readingPages adds the pages of an edition and its posts.
func (p *pageShow) readingPages(me *visitor, d digest.Digest) {
	p.t.Helper()
	for i, of := range []digest.Subscription{{}, {Folder: endless, Title: mixed}, {Folder: leftward},
		{Display: digest.FullText}, {Display: digest.Headlines}} {
		of.DigestID = d.ID
		p.brings(of, []string{endless, leftward, mixed}[i%3], uglyPosts(fmt.Sprint("A short one, no. ", i))...)
	}
	me.post("/filters", url.Values{"words": {"no. 4"}, "feed": {"0"}}).status(http.StatusSeeOther)
	p.add("tomorrow", me.get("/tomorrow"))
	p.add("tomorrow", me.post("/tomorrow", nil))
	p.midnight()
	p.now = p.now.Add(3 * time.Hour) // the release waits for feeds that were never polled
	p.midnightNow()
	p.indexed()
	today := p.add("edition", me.get("/"))
	p.add("edition", me.get("/?view=headlines"))
	for _, path := range today.postPaths()[:4] {
		p.add("post", me.get(path))
		me.post(path+"/save", nil)
	}
	p.add("edition", p.visitor().get("/e/"+p.signer.Sign(digest.ForEdition, int64(p.edition(d).ID))))
	p.letterPages(d)
	p.add("feed_posts", me.get(me.attrsOf("/feeds", ".rows .name", "href")[0]+"/posts"))
	p.add("editions", me.get("/editions"))
	p.now = p.now.Add(24 * time.Hour)
	p.add("edition_none", me.get("/editions/"+p.now.Format(time.DateOnly)))
	p.now = p.now.Add(-24 * time.Hour)
	p.add("editions", me.get("/editions/"+p.now.Format("2006-01")))
	p.add("why", me.get("/editions/"+p.edition(d).LocalDate.String()+"/why"))
	p.add("held", me.get("/filtered"))
	p.add("saved", me.get("/saved"))
	p.add("search", me.get("/search"))
	p.add("search", me.get("/search?q=cheese"))
	p.add("search", me.get("/search?in=saved&q="+endless))
	p.add("search", me.get("/search?q=%22"))
	p.add("search", me.get("/search?q="+url.QueryEscape("cheese after:2026-11 before:2027 site:"+site)))
	p.add("search", me.get("/search?q="+url.QueryEscape("cheese after:"+endless)))
}

// settingsPages adds all settings pages, including pages with errors.
func (p *pageShow) settingsPages(me *visitor, u digest.User) {
	p.t.Helper()
	const far = "America/Argentina/ComodRivadavia"
	me.post("/settings/zone", url.Values{"zone": {far}}).status(http.StatusSeeOther)
	day := func(n int) string { return p.now.AddDate(0, 0, n).Format(time.DateOnly) }
	for n := 0; n < 20; n += 10 {
		me.post("/settings/travel", url.Values{"zone": {"America/North_Dakota/New_Salem"}, "from": {day(n)},
			"to": {day(n + 4)}}).status(http.StatusSeeOther)
	}
	p.must(p.store.Sessions.AddPasskey(p.t.Context(),
		store.Passkey{UserID: u.ID, CredentialID: []byte("a"), Credential: "{}",
			Name: endless}, p.now))
	p.add("settings", me.get("/settings"))
	p.add("settings_zone", me.get("/settings/zone?saved=zone"))
	p.add("settings_zone", me.post("/settings/zone", url.Values{"zone": {endless}}))
	p.add("settings_travel", me.get("/settings/travel?saved=trip"))
	for _, form := range []url.Values{{"zone": {endless}}, {"zone": {far}, "from": {endless}},
		{"zone": {far}, "from": {day(30)}, "to": {endless}}} {
		p.add("settings_travel", me.post("/settings/travel", form))
	}
	p.add("settings_schedule", me.post("/settings/schedule", url.Values{"days": {"mon"}, "at": {endless}}))
	p.add("settings_pause", me.post("/settings/pause", url.Values{"until": {endless}}))
	p.add("settings_appearance", me.get("/settings/appearance?saved=look"))
	p.add("settings_appearance", me.post("/settings/appearance", url.Values{"name": {strings.Repeat(endless, 3)}}))
	p.add("settings_language", me.get("/settings/language?saved=language"))
	p.add("settings_offline", me.get("/settings/offline"))
	p.add("offline", me.get("/offline"))
	p.add("settings_data", me.get("/settings/data"))
	p.add("settings_links", me.get("/settings/links"))
	p.add("signout", me.get("/sign-out/everywhere"))
	p.add("settings_delete", me.post("/settings/delete", url.Values{"address": {endless}}))
	p.add("settings_passkeys", me.get("/settings/passkeys?saved=added"))
	p.add("settings_address", me.get("/settings/address"))
	p.add("settings_address", me.post("/settings/address", url.Values{"email": {endless}}))
	me.post("/settings/address",
		url.Values{"email": {strings.Repeat("z", 60) + "@example.net"}}).status(http.StatusSeeOther)
	p.add("settings_address", me.get("/settings/address"))
	p.add("settings_address_confirm", p.visitor().get("/settings/address/confirm?token="+p.letters()[0].token))
	p.add("settings_address_confirm", p.visitor().get("/settings/address/confirm?saved=changed"))
}

// operatorPages adds the operator's pages of an instance with problems.
func (p *pageShow) operatorPages(me *visitor) {
	p.t.Helper()
	p.troubles(mixed)
	p.must(p.store.Editions.Suppress(p.t.Context(), digest.Suppression{Email: strings.Repeat("s", 60) + "@example.org",
		Reason: digest.ForComplaint, Evidence: endless, CreatedAt: p.now}))
	p.add("operator/operator", me.get("/operator"))
	p.add("operator/invitations", me.post("/operator/invitations", nil))
	p.add("operator/readers", me.get("/operator/readers?q=@"))
	p.add("operator/readers", me.get("/operator/readers?q="+endless))
	bob, err := p.store.Readers.UserByEmail(p.t.Context(), "bob@example.org")
	p.must(err)
	p.add("operator/reader", me.get(fmt.Sprintf("/operator/readers/%d", bob.ID)))
	cleo, err := p.store.Readers.UserByEmail(p.t.Context(), "cleo@example.org")
	p.must(err)
	p.add("operator/reader", me.get(fmt.Sprintf("/operator/readers/%d", cleo.ID)))
	p.operatorChanges(me, cleo)
	for _, path := range []string{"/operator/feeds?q=bad.example", "/operator/feeds?q=ftp://" +
		endless, "/operator/feeds?q=" + endless[:60] + ".example/" + endless} {
		p.add("operator/feeds", me.get(path))
	}
	row := me.get("/operator/feeds?q=bad.example").attrs(".troubles .head a", "href")[0]
	p.add("operator/feed", me.get(row))
	me.post("/operator/hosts",
		url.Values{"host": {endless[:60] + "." + endless[:60] + ".example"}}).status(http.StatusSeeOther)
	p.add("operator/hosts", me.post("/operator/hosts", url.Values{"host": {"ftp://" + endless}}))
	p.add("operator/dmarc", me.get("/operator/dmarc"))
	long := strings.Repeat(strings.Repeat("y", 40)+".", 5) + "example.org"
	p.reportsOn(endless[:100], dmarc.Row{Source: "2001:1128:1234:5678:9123:1230:1234:5678", From: long, SPF: "pass",
		SPFDomain: long, DKIM: "fail", Disposition: "reject", Count: 1_000_000_000})
	p.reportsOn("receiver.example", dmarc.Row{Source: "198.51.100.7", From: "example.org", SPF: "pass",
		SPFAligned: true, Disposition: "quarantine", Count: 3})
	p.reportsOn("elsewhere.example", dmarc.Row{Source: "198.51.100.7", From: "example.org", SPF: "pass",
		SPFAligned: true, Disposition: "quarantine", Count: 3})
	p.reportsOn("nowhere.example", dmarc.Row{Source: "198.51.100.7", From: "example.org", DKIM: "pass",
		DKIMAligned: true, Disposition: "none", Count: 3})
	p.add("operator/dmarc", me.get("/operator/dmarc"))
	p.fenced = true
	p.must(p.store.Operator.Unfence(p.t.Context(), "https://"+strings.Repeat("elsewhere", 6)+".example", p.now))
	p.add("operator/operator", me.get("/operator"))
	p.add("edition", me.get("/"))
	p.fenced = false
}

// operatorChanges adds the pages of an operator's changes of a reader.
func (p *pageShow) operatorChanges(me *visitor, u digest.User) {
	p.t.Helper()
	path := fmt.Sprintf("/operator/readers/%d", u.ID)
	p.add("operator/reader", me.post(path+"/pause", url.Values{"until": {endless}}))
	me.post(path+"/pause", url.Values{"until": {""}}).status(http.StatusSeeOther)
	p.add("operator/reader", me.get(path))
	p.add("operator/readers", me.get("/operator/readers"))
	p.must(p.store.Sessions.AddSignUp(p.t.Context(), []byte("x"), store.SignUp{Email: strings.Repeat("n", 60) + "@" +
		strings.Repeat("n", 60) + ".example", TimeZone: "UTC"}, p.now, p.now.Add(time.Hour)))
	p.add("operator/readers", me.get("/operator/readers?state=unconfirmed"))
	p.add("operator/remove", me.post(path+"/remove", url.Values{"address": {endless}}))
	_, err := p.store.Newsletters.AddNewsletter(p.t.Context(),
		digest.Newsletter{Slug: "owned", Name: endless[:60], SiteURL: "https://a.example/", Cadence: digest.Daily,
			State: digest.NewsletterActive, Look: digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages}},
		u.ID, p.now)
	p.must(err)
	p.add("operator/remove", me.get(path+"/remove"))
}

// lastPages adds the pages behind the unsubscribe link and the page after the deletion of the
// account.
func (p *pageShow) lastPages(me *visitor, u digest.User, d digest.Digest) {
	p.t.Helper()
	path := p.unsubscribePath(d)
	p.add("unsubscribe", p.visitor().get(path))
	p.add("unsubscribe_changed", me.post(path+"/pause", url.Values{"for": {"month"}}))
	p.add("edition", me.get("/"))
	p.add("settings_pause", me.get("/settings/pause"))
	p.add("unsubscribe", p.visitor().get(path))
	p.add("unsubscribe_done", me.post(path, nil))
	p.add("settings", me.get("/settings"))
	me.post("/settings/delete", url.Values{"address": {u.Email}}).status(http.StatusSeeOther)
	p.add("settings_delete_goodbye", p.visitor().get("/goodbye"))
}

func (v *visitor) attrsOf(path, selector, name string) []string {
	v.t.Helper()
	return v.get(path).status(http.StatusOK).attrs(selector, name)
}
