package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
)

// saves posts a form of settings and gives the page that it leads to.
func (v *visitor) saves(path string, form url.Values) answer {
	v.t.Helper()
	to := v.post(path, form).status(http.StatusSeeOther).Header.Get("Location")
	if !strings.HasPrefix(to, "/settings") {
		v.t.Fatalf("%s leads to %q", path, to)
	}
	return v.get(to).status(http.StatusOK)
}

// refuses posts a form of settings that is not taken, and gives the page.
func (v *visitor) refuses(path string, form url.Values) answer {
	v.t.Helper()
	return v.post(path, form).status(http.StatusUnprocessableEntity)
}

func (r *room) digest(d digest.Digest) digest.Digest {
	r.t.Helper()
	d, err := r.store.Digest(r.t.Context(), d.ID)
	r.must(err)
	return d
}

// contains checks that the text of what a selector finds has these words.
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

func TestSettings(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		v.get("/settings").status(http.StatusOK).shows("h1", "Settings").shows(".groups span",
			"Europe/Paris", "None planned", "Comes every day, mailed at midnight", "Not paused", "Daily Digest, the order of its sections", "Headlines and excerpts, no pictures",
			"As the language runs, single keys on", "English", "Chosen for each browser", "ann@example.org", "A second way to sign in", "For an extension of your browser", "To make them void, to unsubscribe", "To take along, as one file", "For good").shows(".notice")

		r.must(r.store.SetDigestState(t.Context(), d.ID, digest.DigestLeft, r.now))
		v.get("/settings").contains(".notice", "You have unsubscribed")
		v.get("/settings/pause").status(http.StatusOK).shows("form.ask")
		v.saves("/settings/start", nil).shows("[role=status]", "Welcome back. The next edition is that of Saturday 21 November.")
		r.stands(d, digest.DigestActive)
		until := r.now.AddDate(0, 0, 9)
		r.must(r.store.PauseDigest(t.Context(), d.ID, until, r.now))
		v.saves("/settings/start", nil) // it was not left: a pause stays
		r.stands(d, digest.DigestPaused)
	})
}

func TestSetZone(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.arrives(d, post("Waiting"))
		a := v.get("/settings/zone").status(http.StatusOK).contains("p", "It is 13:00 on Friday 20 November there now.")
		if n := len(a.find("datalist option")); n < 590 {
			t.Errorf("only %d zones are offered", n)
		}
		v.saves("/settings/zone", url.Values{"zone": {" Asia/Tokyo "}}).
			shows("[role=status]", "Saved: Asia/Tokyo. The next edition is that of Saturday 21 November. Nothing is lost: what was waiting comes with it.")
		got := r.digest(d)
		if want := time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC); got.TimeZone != "Asia/Tokyo" || !got.NextDueAt.Equal(want) {
			t.Errorf("zone %s, next %v", got.TimeZone, got.NextDueAt)
		}
		for typed, near := range map[string]string{
			"paris": "Europe/Paris", "../../etc/passwd": "", "Local": "", "": "", " ": "", "Asia/Tokio": "Asia/Tokyo",
			"<script>alert(1)</script>": "", "\x00": "", strings.Repeat("é", 9000): "",
		} {
			a := v.refuses("/settings/zone", url.Values{"zone": {typed}})
			if kept := a.attrs("#zone", "value"); len(kept) != 1 || strings.ReplaceAll(kept[0], "�", "\x00") != typed {
				t.Errorf("%.40q was typed, the page keeps %.40q", typed, kept)
			}
			if offered := a.attrs(".choices button", "value"); near != "" && !strings.Contains(strings.Join(offered, " "), near) {
				t.Errorf("%q: %q are offered, want %s", typed, offered, near)
			}
			if len(a.find("[role=alert]")) != 1 || len(a.find("main script")) != 0 {
				t.Errorf("%.40q: the page does not say what is wrong", typed)
			}
		}
		v.post("/settings/zone", url.Values{"zone": {strings.Repeat("x", 1_000_000)}}).status(http.StatusRequestEntityTooLarge)
		if got := r.digest(d).TimeZone; got != "Asia/Tokyo" {
			t.Errorf("the zone is %s", got)
		}
	})
}

func TestSetDays(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		if n := len(v.get("/settings/days").find(".within [checked]")); n != 7 {
			t.Errorf("%d days are chosen", n)
		}
		v.saves("/settings/days", url.Values{"days": {"sat", "sun"}, "at": {"07:30"}}).
			shows("[role=status]", "Saved: it comes on Saturdays and Sundays, mailed at 07:30. The next edition is that of Saturday 21 November.")
		v.get("/settings").contains(".groups", "Comes on Saturdays and Sundays, mailed at 07:30")
		for _, c := range []struct {
			days []string
			at   string
		}{{nil, "07:00"}, {[]string{"mon"}, "25:00"}, {[]string{"mon"}, "soon"}, {[]string{"mon"}, ""}, {[]string{"mon"}, "-1:00"}} {
			a := v.refuses("/settings/days", url.Values{"days": c.days, "at": {c.at}}).contains("[role=alert]", "Nothing was changed")
			a.has("#at", "value", c.at)
			if n := len(a.find(".within [checked]")); n != len(c.days) {
				t.Errorf("%q were chosen, the page keeps %d", c.days, n)
			}
		}
		v.post("/settings/days", url.Values{"days": {"someday"}, "at": {"07:00"}}).status(http.StatusBadRequest)
		if got := r.digest(d); got.Cadence.String() != "sat,sun" || got.DeliverAt != 7*time.Hour+30*time.Minute {
			t.Errorf("days %s at %s", got.Cadence, got.DeliverAt)
		}
	})
}

func TestSetMonthly(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		every := func(a answer, value string) {
			t.Helper()
			if _, is := attr(a.find("[value=" + value + "]")[0], "checked"); !is {
				t.Errorf("every %s is not chosen", value)
			}
		}
		every(v.get("/settings/days"), "week")
		form := func(month string) url.Values {
			return url.Values{"every": {"month"}, "days": {"sat", "sun"}, "month": {month}, "at": {"07:30"}}
		}
		for month, says := range map[string]string{
			"monthly":              "on the 1st of each month, mailed at 07:30. The next edition is that of Tuesday 1 December.",
			"monthly on 3":         "on the 3rd of each month, mailed at 07:30. The next edition is that of Thursday 3 December.",
			"monthly on 21":        "on the 21st of each month, mailed at 07:30. The next edition is that of Saturday 21 November.",
			"monthly on 22":        "on the 22nd of each month, mailed at 07:30. The next edition is that of Sunday 22 November.",
			"monthly on 13":        "on the 13th of each month, mailed at 07:30. The next edition is that of Sunday 13 December.",
			"monthly on last day":  "on the last day of each month, mailed at 07:30. The next edition is that of Monday 30 November.",
			"monthly on first mon": "on the first Monday of each month, mailed at 07:30. The next edition is that of Monday 7 December.",
		} {
			a := v.saves("/settings/days", form(month)).shows("[role=status]", "Saved: it comes "+says)
			every(a, "month")
			a.has("option[selected]", "value", month)
			if n := len(a.find(".within [checked]")); n != 0 {
				t.Errorf("%d days of the week are chosen beside %s", n, month)
			}
			if got := r.digest(d).Cadence.String(); got != month {
				t.Errorf("it comes %s, want %s", got, month)
			}
		}
		was := r.digest(d).Cadence
		a := v.refuses("/settings/days", url.Values{"every": {"month"}, "month": {"monthly on 9"}, "at": {"soon"}})
		a.contains("[role=alert]", "Nothing was changed")
		a.has("option[selected]", "value", "monthly on 9")
		v.refuses("/settings/days", url.Values{"every": {"month"}, "days": {"sat"}, "at": {"07:00"}}).contains("[role=alert]", "Choose at least one day")
		for _, bad := range []url.Values{form("monthly on 29"), form("mon"), {"every": {"week"}, "days": {"monthly"}, "at": {"07:00"}}} {
			v.post("/settings/days", bad).status(http.StatusBadRequest)
		}
		if got := r.digest(d).Cadence; got != was {
			t.Errorf("it comes %s, want %s as before", got, was)
		}
		v.saves("/settings/days", url.Values{"every": {"week"}, "days": {"sat"}, "month": {"monthly on 9"}, "at": {"07:30"}}).
			contains("[role=status]", "on Saturdays")
	})
}

func TestSetPause(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		v.saves("/settings/pause", url.Values{"until": {"2026-12-01"}}).
			shows("[role=status]", "Saved: paused until Tuesday 1 December. After the pause the next edition is that of Tuesday 1 December.")
		if got, want := r.digest(d), time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC); got.State != digest.DigestPaused || !got.PausedUntil.Equal(want) {
			t.Errorf("%s until %v", got.State, got.PausedUntil)
		}
		a := v.saves("/settings/pause", url.Values{"until": {" 2027-01-15 "}}).contains("[role=status]", "Friday 15 January")
		a.has("#until", "value", "2027-01-15")
		for typed, says := range map[string]string{
			"":                         "A date is needed",
			"soon":                     "There is no such date",
			"2027-02-29":               "There is no such date",
			"2026-11-31":               "There is no such date",
			"2026-11-20":               "20 November 2026 is too early",
			"2020-02-29":               "29 February 2020 is too early",
			"0000-01-01":               "is too early",
			"2027-11-22":               "22 November 2027 is too far away. Choose a day up to 21 November 2027",
			"7026-11-20":               "is too far away",
			"99999-01-01":              "There is no such date",
			strings.Repeat("9", 50000): "There is no such date",
		} {
			a := v.refuses("/settings/pause", url.Values{"until": {typed}}).contains("[role=alert]", says, "Nothing was changed")
			a.has("#until", "value", typed)
		}
		v.saves("/settings/pause/end", nil).shows("[role=status]", "Welcome back. The next edition is that of Saturday 21 November.")
		r.stands(d, digest.DigestActive)
		r.must(r.store.SetDigestState(t.Context(), d.ID, digest.DigestLeft, r.now))
		v.refuses("/settings/pause", url.Values{"until": {"2026-12-01"}})
		v.saves("/settings/pause/end", nil).contains("[role=status]", "You have unsubscribed")
		r.stands(d, digest.DigestLeft)
	})
}

// TestPauseUntilADateThatNeverWas: 30 December 2011 was left out in Samoa.
func TestPauseUntilADateThatNeverWas(t *testing.T) {
	each(t, func(r *room) {
		r.now = time.Date(2011, 12, 28, 12, 0, 0, 0, time.UTC)
		u, d := r.user("ann@example.org")
		r.must(r.store.SetTimeZone(t.Context(), u.ID, "Pacific/Apia", r.now))
		v := r.visitor().signIn(u)
		v.refuses("/settings/pause", url.Values{"until": {"2011-12-30"}}).contains("[role=alert]", "30 December 2011 is left out there")
		v.saves("/settings/pause", url.Values{"until": {"2011-12-31"}})
		if got, want := r.digest(d).PausedUntil, time.Date(2011, 12, 30, 10, 0, 0, 0, time.UTC); !got.Equal(want) {
			t.Errorf("paused until %v", got)
		}
	})
}

func TestSetMailAndPages(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		_, bobs := r.user("bob@example.org")
		v := r.visitor().signIn(u)
		v.get("/settings/mail").shows("legend", "How editions come", "Posts", "Pictures", "The subject", "Sites and folders", "In your mail program")
		v.saves("/settings/mail", url.Values{"layout": {"full"}, "images": {"proxy"}, "threaded": {"on"}, "subject": {"lead"}}).contains("[role=status]", "Saved: Full text, pictures.")
		if got, want := r.digest(d).Look, (digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages, Threaded: true, LeadSubject: true}); got != want {
			t.Errorf("look is %v", got)
		}
		for _, form := range []url.Values{{"layout": {"wide"}, "images": {"off"}}, {"layout": {"full"}, "images": {"all"}}, {"layout": {"full"}, "images": {"off"}, "subject": {"all"}}, nil} {
			v.post("/settings/mail", form).status(http.StatusBadRequest).shows("h1", "That was none of the choices")
		}
		v.saves("/settings/pages", url.Values{"direction": {"rtl"}}).shows("[role=status]", "Saved: Right to left, single keys off.").shows("html[dir=rtl] h1", "Pages")
		v.post("/settings/pages", url.Values{"direction": {`"><script>`}, "shortcuts": {"on"}}).status(http.StatusBadRequest)
		v.get("/settings/pages").shows("html[dir=rtl] h1", "Pages").shows("[role=status]")
		v.get("/settings/pages?saved=%3Cscript%3E").shows("[role=status]")

		page := v.saves("/settings/pages", url.Values{"direction": {"ltr"}, "shortcuts": {"on"}, "theme": {"dark"}, "size": {"largest"}})
		page.shows("[role=status]", "Saved: As the language runs, single keys on, dark colours, largest letters.").has("html[data-theme=dark]", "data-size", "largest")
		page.has("meta[name=color-scheme]", "content", "dark")
		for _, form := range []url.Values{{"theme": {"sepia"}}, {"size": {"500%"}}} {
			form.Set("direction", "ltr")
			v.post("/settings/pages", form).status(http.StatusBadRequest)
		}
		v.saves("/settings/pages", url.Values{"direction": {"ltr"}, "theme": {"device"}, "size": {"browser"}}).has("meta[name=color-scheme]", "content", "light dark")
		if got := v.get("/settings/pages"); len(got.find("html[data-theme]"))+len(got.find("html[data-size]")) != 0 {
			t.Error("what is as the device has it is said")
		}

		v.post("/settings/pages/edition", url.Values{"layout": {"headlines"}, "images": {"off"}, "grouping": {"sites"}}).status(http.StatusSeeOther)
		v.saves("/settings/mail", url.Values{"layout": {"full"}, "images": {"linked"}, "grouping": {"folders"}})
		if got, want := r.digest(d).Arrangement, (digest.Arrangement{Grouping: digest.ByFolders, WebLayout: digest.Headlines, WebGrouping: digest.BySites, WebImages: digest.NoImages}); got != want {
			t.Errorf("arrangement is %+v", got)
		}
		v.post("/settings/pages/edition", url.Values{"layout": {"wide"}, "images": {"off"}}).status(http.StatusBadRequest)
		v.post("/settings/mail", url.Values{"layout": {"full"}, "images": {"linked"}, "grouping": {"wide"}}).status(http.StatusBadRequest)

		if got := r.digest(bobs); got.Layout != digest.Excerpts || got.Images != digest.NoImages {
			t.Errorf("another's look is %v", got.Look)
		}
		r.must(r.store.Suppress(t.Context(), digest.Suppression{Email: u.Email, Reason: digest.ForHardBounce, CreatedAt: r.now}))
		v.get("/settings/mail").contains(".notice", "Nothing is mailed to ann@example.org")
	})
}

// TestLanguage: who is not signed in is answered in the language that their browser asks for; who has
// chosen one, in that.
func TestLanguage(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		v := r.visitor()
		v.header["Accept-Language"] = "de-AT,de;q=0.9,en;q=0.5"
		if a := v.get("/help").shows("html[lang=de] footer a", "Hilfe", "Für Betreiber von Websites"); !slices.Contains(a.Header.Values("Vary"), "Accept-Language") || a.Header.Get("Content-Language") != "de" {
			t.Errorf("it comes with %v", a.Header)
		}
		v.signIn(u)
		v.get("/settings").shows("html[lang=de] h1", "Einstellungen")
		v.saves("/settings/language", url.Values{"language": {"ar"}}).shows("html[lang=ar] h1", "اللغة").shows("title", "اللغة")
		v.get("/settings").shows("html[dir=rtl] h1", "الإعدادات")
		v.post("/settings/language", url.Values{"language": {"xx"}}).status(http.StatusBadRequest)
		v.saves("/settings/language", url.Values{"language": {""}}).shows("html[lang=de] h1", "Sprache")
	})
}

// settingsForms are all forms of settings, each with what it would take.
func settingsForms() map[string]url.Values {
	return map[string]url.Values{
		"/settings/start":         nil,
		"/settings/zone":          {"zone": {"Asia/Tokyo"}},
		"/settings/days":          {"days": {"mon"}, "at": {"07:00"}},
		"/settings/pause":         {"until": {"2026-12-01"}},
		"/settings/pause/end":     nil,
		"/settings/mail":          {"layout": {"full"}, "images": {"proxy"}},
		"/settings/pages":         {"direction": {"rtl"}, "theme": {"dark"}},
		"/settings/pages/edition": {"layout": {"full"}, "images": {"off"}, "grouping": {"sites"}},
		"/settings/front/name":    {"name": {"The Courier"}},
		"/settings/front/order":   {"folder": {"Sea"}, "move": {"up"}},
		"/settings/front/lead":    {"feed": {"0"}},
		"/settings/stays":         {"zone": {"Asia/Tokyo"}, "from": {"2026-11-20"}, "to": {"2026-12-01"}},
		"/settings/mailed":        {"mailed": {"no"}},
		"/settings/delete":        {"address": {"ann@example.org"}},
		"/settings/language":      {"language": {"de"}},
	}
}

// TestSettingsAreTheirReaders: no form does anything for a stranger, from
// another site, by GET or by HEAD.
func TestSettingsAreTheirReaders(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		v := r.visitor().signIn(u)
		was := r.digest(d)
		for path, form := range settingsForms() {
			to := r.visitor().post(path, form).status(http.StatusSeeOther).Header.Get("Location")
			if to != "/sign-in" {
				t.Errorf("%s leads a stranger to %s", path, to)
			}
			stale := r.visitor()
			stale.cookies = map[string]string{"digest": "a session that was"}
			stale.post(path, form).status(http.StatusSeeOther)
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
		got, err := r.store.UserByEmail(t.Context(), u.Email)
		r.must(err)
		if got != u {
			t.Errorf("changed from %+v to %+v", u, got)
		}
	})
}

func TestStays(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		bob, _ := r.user("bob@example.org")
		v, other := r.visitor().signIn(u), r.visitor().signIn(bob)
		stay := func(zone, from, to string) url.Values {
			return url.Values{"zone": {zone}, "from": {from}, "to": {to}}
		}
		v.saves("/settings/stays", stay("Asia/Tokyo", "2026-12-03", "2026-12-17")).contains("[role=status]", "Planned.").
			contains(".rows li", "Tokyo, 3 to 17 December")
		v.saves("/settings/stays", stay("America/New_York", "2026-12-30", "2027-01-02")).contains(".rows li", "New York, 30 December 2026 to 2 January 2027")
		v.get("/settings").contains(".groups span", "Tokyo, 3 to 17 December, and 1 more stay")
		for _, c := range []struct{ zone, from, to, says string }{
			{"Tokio", "2026-12-20", "2026-12-21", "There is no time zone of that name. Nothing was changed. Did you mean Asia/Tokyo"},
			{"../../etc/passwd", "2026-12-20", "2026-12-21", "There is no time zone of that name"},
			{"", "2026-12-20", "2026-12-21", "A time zone is needed"},
			{"Asia/Tokyo", "", "2026-12-21", "A date is needed"},
			{"Asia/Tokyo", "2026-12-20", "tomorrow", "There is no such date"},
			{"Asia/Tokyo", "2027-02-29", "2027-03-01", "There is no such date"},
			{"Asia/Tokyo", "2026-12-21", "2026-12-20", "The last day comes before the first one, 21 December 2026"},
			{"Asia/Tokyo", "2026-11-01", "2026-11-10", "10 November 2026 is too early"},
			{"Asia/Tokyo", "7026-11-01", "7026-11-10", "is too far away"},
			{"Asia/Tokyo", "2026-12-10", "2026-12-20", "is on some of these days already"},
		} {
			a := v.refuses("/settings/stays", stay(c.zone, c.from, c.to)).contains("[role=alert]", c.says)
			for field, typed := range map[string]string{"zone": c.zone, "from": c.from, "to": c.to} {
				a.has("#"+field, "value", typed)
			}
		}
		keys := v.get("/settings/stays").attrs(".rows button", "value")
		if len(keys) != 2 {
			t.Fatalf("keys are %q", keys)
		}
		for _, key := range append(keys, "0", "-1", "x", "99999999999999999999") {
			other.post("/settings/stays/remove", url.Values{"stay": {key}}).status(http.StatusNotFound)
		}
		v.saves("/settings/stays/remove", url.Values{"stay": {keys[0]}}).contains("[role=status]", "Removed.")
		if got, err := r.store.Stays(t.Context(), u.ID); err != nil || len(got) != 1 || got[0].TimeZone != "America/New_York" {
			t.Errorf("stays are %v, %v", got, err)
		}

		// One that has begun begins at once, and another zone chosen by hand ends it.
		v.saves("/settings/stays", stay("Asia/Tokyo", "2026-11-19", "2026-11-25")).contains(".rows li", "You are there now; then back to Europe/Paris.", "End now")
		if got := r.digest(d).TimeZone; got != "Asia/Tokyo" {
			t.Errorf("the zone is %s", got)
		}
		v.get("/settings/zone").contains("main p", "That is your stay: Tokyo, 19 to 25 November.")
		v.saves("/settings/zone", url.Values{"zone": {"Europe/Rome"}})
		if got, err := r.store.Stays(t.Context(), u.ID); err != nil || len(got) != 1 {
			t.Errorf("stays are %v, %v", got, err)
		}
	})
}

func TestSetMailed(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		v.saves("/settings/mailed", url.Values{"mailed": {"no"}}).contains("[role=status]", "nothing is mailed any more")
		if r.digest(d).Mailed {
			t.Error("it is mailed")
		}
		v.get("/settings").contains(".groups span", "Off: editions are here only", "Comes every day, not mailed")
		v.post("/settings/mailed", url.Values{"mailed": {"maybe"}}).status(http.StatusBadRequest)
		v.saves("/settings/mailed", url.Values{"mailed": {"yes"}}).contains("[role=status]", "editions are mailed from the next one on")
		if !r.digest(d).Mailed {
			t.Error("it is not mailed")
		}
	})
}
