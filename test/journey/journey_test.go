package journey

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
)

const ann = "ann@example.org"

// evening returns the beginning of the journey: 18:00 in Paris.
func evening() time.Time { return time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC) }

// midnight returns a minute after the n-th midnight in Paris.
func midnight(n int) time.Time {
	return time.Date(2026, 11, 20+n-1, 23, 1, 0, 0, time.UTC)
}

// A trip is a reader's journey through the whole web view.
type trip struct {
	*house
	*browser
	sites *press
}

// TestJourney does everything on each database: sign up, confirm, add feeds, import a list, wait for midnight, read,
// save, search, filter, pause, export, delete. On SQLite it takes screenshots of every page and checks it.
func TestJourney(t *testing.T) {
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		h := newHouse(t, database, "DIGEST_SIGN_UP=open")
		h.at(evening())
		tr := &trip{house: h, browser: h.visitor(), sites: newPress(t)}
		tr.browser.blind = strings.HasPrefix(database, "postgres")
		tr.comeIn()
		tr.addFeeds()
		tr.importList()
		tr.arrange()
		tr.passMidnight()
		tr.read()
		tr.save()
		tr.search()
		tr.settle()
		tr.goAway()
		tr.comeBack()
		tr.takeAlong()
		tr.leave()
	})
}

// comeIn signs up with only an address and the browser's zone.
func (tr *trip) comeIn() {
	tr.open("/")
	tr.look("landing")
	tr.weigh("/")
	tr.follow("Sign up")
	tr.look("sign-up")
	tr.fill("Email address", ann)
	tr.follow("Email me a link")
	tr.says("Check your email")
	tr.look("sign-up-sent")
	tr.open(tr.awaitLink(ann, "/sign-up/confirm"))
	tr.says(ann, "Europe/Paris")
	tr.look("sign-up-confirm")
	tr.follow("Create account")
	tr.says("first edition")
	tr.look("first")
}

// addFeeds adds the address of a page and the address of a feed.
func (tr *trip) addFeeds() {
	old := evening().Add(-6 * time.Hour)
	tr.sites.publish("harbour", "Harbour Notes", "en", post{"The ferry is late", "<p>It is the wind.</p>", old})
	tr.sites.publish("nujum", "دفتر النجوم", "ar",
		post{"القمر يمشي", "<p>فوق البحر</p>", old})
	tr.follow("Feeds")
	tr.look("feeds-none")
	tr.fill("Add a site", tr.sites.URL+"/harbour/")
	tr.follow("Find feeds")
	tr.says("2 feeds found", "Harbour Notes", "Comments on Harbour Notes")
	tr.look("feeds-found")
	tr.follow("Add selected")
	tr.says("Harbour Notes")
	tr.open("/feeds")
	tr.fill("Add a site", tr.sites.URL+"/nujum/feed.xml")
	tr.follow("Find feeds")
	tr.says("دفتر النجوم", "Added. New posts come with your next edition.")
	tr.open("/feeds")
	tr.fill("Add a site", tr.sites.URL+"/nowhere/")
	tr.follow("Find feeds")
	tr.look("feeds-not-found")
	tr.open("/feeds")
	tr.says("Harbour Notes", "دفتر النجوم")
	tr.silent("Comments on Harbour Notes")
	tr.look("feeds")
}

// importList imports a malformed list from another reader.
func (tr *trip) importList() {
	tr.sites.publish("clock", "Eight-Day Clock", "en", post{"Answers", "<p>Twelve.</p>", evening().Add(-5 * time.Hour)})
	tr.sites.publish("bread", "Brot & Zeit", "de", post{"Roggen", "<p>Mehl.</p>", evening().Add(-5 * time.Hour)})
	list := fmt.Sprintf(`<opml version="1.0"><head><title>My & lists</title></head><body>
<outline text="Kitchen & workshop">
<outline type="rss" text="Brot & Zeit" xmlUrl="%[1]s/bread/feed.xml"/>
<outline type="rss" text="The clock" xmlUrl="%[1]s/clock/feed.xml">
</outline>
<outline type="rss" text="Not an address" xmlUrl="::nothing::"/>
</body>`, tr.sites.URL)
	tr.open("/feeds/import")
	tr.look("feeds-import")
	tr.attach("File", tr.Write("list.opml", list))
	tr.press("Import file", "List imported")
	tr.says("Not an address")
	tr.look("feeds-imported")
	tr.open("/feeds")
	tr.says("Kitchen & workshop", "The clock", "Brot & Zeit")
}

// arrange renames a feed, sets its display to full, and adds a filter.
func (tr *trip) arrange() {
	tr.follow("Harbour Notes")
	tr.fill("Name", "The harbour")
	tr.fill("Folder", "Sea")
	tr.set("Show posts as", "full")
	tr.follow("Save")
	tr.says("Saved")
	tr.look("feed")
	tr.open("/filters")
	tr.fill("Word or phrase", "football")
	tr.follow("Add filter")
	tr.says("football")
	tr.look("filters")
	tr.open("/filtered")
	tr.look("held-none")
}

// passMidnight publishes posts in the evening. They are invisible before midnight; then the edition is on the web and
// in the mail.
func (tr *trip) passMidnight() {
	late := evening().Add(2 * time.Hour)
	tr.sites.publish("harbour", "", "",
		post{"The lighthouse, painted",
			`<p>White, and a red band.</p><p><img src="/picture.png" alt="The lighthouse" width="480" ` +
				`height="240"></p>`, late},
		post{"Football on the quay", "<p>Two to one.</p>", late})
	tr.sites.publish("nujum", "", "",
		post{"زحل قرب القمر", "<p>هذه الليلة عند الغروب.</p>", late})
	tr.sites.publish("clock", "", "", post{"Some questions", "<p>Why is it four minutes slow?</p>", late})
	tr.house.at(midnight(1).Add(-10 * time.Minute))
	for _, page := range []string{"/", "/editions", "/editions/2026-11-21", "/search?q=ferry", "/posts/1", "/saved"} {
		tr.open(page)
		tr.silent("The ferry is late", "lighthouse", "Roggen")
	}
	tr.house.at(midnight(1))
	l := tr.awaitEdition(ann, "Saturday 21 November")
	if strings.Contains(l.Text, "Football") || !strings.Contains(l.Text, "The lighthouse, painted") {
		tr.browser.t.Errorf("the mail says\n%s", l.Text)
	}
}

// read reads the front page and a post, by mouse and by keyboard.
func (tr *trip) read() {
	tr.open("/")
	tr.says("Saturday 21 November 2026", "The harbour", "The lighthouse, painted", "زحل قرب القمر",
		"Some questions", "Brot & Zeit")
	tr.says("Your filters hid 1 post")
	tr.silent("Football")
	tr.look("today")
	tr.weigh("/")
	tr.key("j")
	first := tr.focused()
	tr.key("j")
	if second := tr.focused(); first == "" || second == first {
		tr.browser.t.Errorf("j leads to %q and then to %q", first, second)
	}
	tr.key("?")
	tr.look("keys")
	tr.open("/")
	tr.openPost("The lighthouse, painted")
	tr.says("White, and a red band.", "The harbour")
	tr.pictures(1, 1) // its feed is in the same private network
	tr.look("post")
	tr.weigh(tr.path())
	tr.open("/filtered")
	tr.says("Football on the quay", "football")
	tr.look("held")
	tr.open("/editions")
	tr.look("editions")
	tr.open("/editions/2026-11-21")
	tr.says("The lighthouse, painted")
}

func (tr *trip) save() {
	tr.open("/")
	tr.browser.save("Some questions")
	tr.open("/saved")
	tr.says("Some questions")
	tr.look("saved")
}

func (tr *trip) search() {
	tr.open("/search")
	tr.look("search-empty")
	tr.fill("Search your posts", "LIGHTHOUSE")
	tr.follow("Search")
	// The program indexes posts while it releases their edition.
	for deadline := time.Now().Add(patience); time.Now().Before(deadline) &&
		!strings.Contains(tr.text(), "The lighthouse"); {
		<-time.After(glance)
		tr.open(tr.path())
	}
	tr.says("The lighthouse, painted")
	tr.look("search")
	tr.fill("Search your posts", "quay football")
	tr.follow("Search")
	tr.silent("Football on the quay")
}

func (tr *trip) settle() {
	for _, page := range []string{"/settings", "/settings/zone", "/settings/schedule", "/settings/appearance",
		"/settings/pause", "/settings/travel", "/settings/address", "/settings/passkeys", "/settings/links",
		"/settings/data", "/settings/delete"} {
		tr.open(page)
		tr.look(strings.ReplaceAll(strings.TrimPrefix(page, "/"), "/", "-"))
	}
	tr.open("/settings/zone")
	tr.fill("Time zone", "Europe/Pariss")
	tr.follow("Save changes")
	tr.says("Paris", "Did you mean")
	tr.look("settings-zone-wrong")
	tr.open("/settings/travel")
	tr.fill("Destination", "Asia/Tokyo")
	tr.set("First day", "2027-10-03")
	tr.set("Last day", "2027-10-17")
	tr.follow("Add trip")
	tr.says("Tokyo", "3", "17 October")
	tr.look("settings-travel-planned")
	tr.open("/settings/appearance")
	tr.set("Text direction", "rtl")
	tr.follow("Save changes")
	tr.open("/")
	tr.look("today-rtl")
	tr.open("/settings/appearance")
	tr.set("Text direction", "ltr")
	tr.follow("Save changes")
}

// goAway pauses for four days, in which a site publishes more posts than its feed lists.
func (tr *trip) goAway() {
	tr.open("/settings/pause")
	tr.set("Resume on", "2026-11-25")
	tr.follow("Pause until that day")
	tr.says("25 November")
	tr.look("settings-pause-set")
	for day := 2; day <= 4; day++ {
		at := midnight(day).Add(-3 * time.Hour)
		tr.sites.publish("harbour", "", "", post{fmt.Sprintf("Log of day %d", day), "<p>Calm.</p>", at},
			post{fmt.Sprintf("Weather of day %d", day), "<p>Wind.</p>", at})
		tr.house.at(midnight(day))
		tr.idle()
	}
	tr.open("/")
	tr.silent("Log of day")
}

// comeBack expects a single edition with all posts.
func (tr *trip) comeBack() {
	tr.house.at(midnight(5))
	tr.awaitEdition(ann, "21–24 November")
	tr.open("/")
	for day := 2; day <= 4; day++ {
		tr.says(fmt.Sprintf("Log of day %d", day), fmt.Sprintf("Weather of day %d", day))
	}
	tr.look("today-bound")
}

// takeAlong downloads all exports.
func (tr *trip) takeAlong() {
	list := tr.download("/feeds/export")
	if !strings.Contains(list, tr.sites.URL+"/bread/feed.xml") || !strings.Contains(list, "The harbour") {
		tr.browser.t.Errorf("the list is\n%s", list)
	}
	if zip := tr.download("/settings/data.zip"); !strings.HasPrefix(zip, "PK\x03\x04") {
		tr.browser.t.Errorf("the file begins with %.20q", zip)
	}
}

// leave signs out, signs in by email, and deletes the account.
func (tr *trip) leave() {
	tr.open("/")
	tr.follow("Sign out")
	tr.open("/settings")
	tr.look("sign-in")
	tr.fill("Email address", ann)
	tr.follow("Email me a link")
	tr.look("sign-in-sent")
	tr.open(tr.awaitLink(ann, "/sign-in?token="))
	tr.look("sign-in-link")
	tr.follow("Sign in")
	tr.open("/settings/delete")
	tr.fill("Type your email address to confirm", ann)
	tr.follow("Delete account")
	tr.look("goodbye")
	tr.open("/saved")
	tr.silent("Some questions")
	if users := tr.run("user", "list"); strings.Contains(users, ann) {
		tr.browser.t.Errorf("still there: %s", users)
	}
}

// TestOperator is the journey of an operator.
func TestOperator(t *testing.T) {
	t.Parallel()
	h := newHouse(t, storetest.SQLite(t))
	h.at(evening())
	p := newPress(t)
	p.publish("harbour", "Harbour Notes", "en",
		post{"The ferry is late", "<p>It is the wind.</p>", evening().Add(-time.Hour)})
	b := h.visitor()
	b.open(linkPattern.FindString(h.hears("sign in as the owner")))
	b.look("owner")
	b.fill("Email address", "owner@example.org")
	b.follow("Sign in")
	b.says("first edition")
	for i, zone := range []string{"Asia/Tokyo", "Asia/Kolkata", "America/New_York", "Pacific/Auckland"} {
		email := fmt.Sprintf("reader%d@example.org", i)
		h.run("--now", evening().Format(time.RFC3339), "user", "add", email, "--time-zone", zone, "--subject", "date")
		h.run("--now", evening().Format(time.RFC3339), "subscribe", email, p.URL+"/harbour/feed.xml")
	}
	b.follow("Operator")
	b.look("operator")
	b.weigh("/operator")
	b.open("/operator/invitations")
	b.look("invitations")
	for _, page := range []string{"/bot", "/status", "/status?url=" + p.URL + "/harbour/feed.xml", "/nowhere",
		"/sign-up"} {
		b.open(page)
		name, _, _ := strings.Cut(strings.Trim(page, "/"), "?")
		b.look(name)
	}
}
