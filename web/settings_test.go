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

// saves posts a settings form and returns the page after the redirect.
func (v *visitor) saves(path string, form url.Values) answer {
	v.t.Helper()
	to := v.post(path, form).status(http.StatusSeeOther).Header.Get("Location")
	if !strings.HasPrefix(to, "/settings") {
		v.t.Fatalf("%s leads to %q", path, to)
	}
	return v.get(to).status(http.StatusOK)
}

// refuses posts a settings form that must be rejected, and returns the page.
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

func TestSettings(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		v.get("/settings").status(http.StatusOK).shows("h1", "Settings").shows(".groups span",
			"Paris", "Every day at 00:00", "Email and web", "Not paused", "No trips planned",
			"Excerpts · No pictures · Show folders",
			"Same as device · Browser default", "Daily Digest", "English", "On this device", "ann@example.org",
			"Sign in without email", "For browser extensions", "Turn off or unsubscribe", "One ZIP file",
			"Permanent").shows(".notice")

		r.must(r.store.SetDigestState(t.Context(), d.ID, digest.DigestLeft, r.now))
		v.get("/settings").contains(".notice", "You’re unsubscribed")
		v.get("/settings/pause").status(http.StatusOK).shows("form.ask")
		v.saves("/settings/start", nil).shows("[role=status]",
			"Welcome back. Your next edition is on Saturday 21 November.")
		r.stands(d, digest.DigestActive)
		until := r.now.AddDate(0, 0, 9)
		r.must(r.store.PauseDigest(t.Context(), d.ID, until, r.now))
		v.saves("/settings/start", nil) // a pause stays, because the digest was not unsubscribed
		r.stands(d, digest.DigestPaused)
	})
}

func TestSetZone(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.arrives(d, post("Waiting"))
		a := v.get("/settings/zone").status(http.StatusOK).contains("p",
			"The time there is 13:00 on Friday 20 November.")
		if n := len(a.find("datalist option")); n < 590 {
			t.Errorf("only %d zones are offered", n)
		}
		v.saves("/settings/zone", url.Values{"zone": {" Asia/Tokyo "}}).
			shows("[role=status]", "Saved. Your next edition is on Saturday 21 November.")
		got := r.digest(d)
		if want := time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC); got.TimeZone != "Asia/Tokyo" ||
			!got.NextDueAt.Equal(want) {
			t.Errorf("zone %s, next %v", got.TimeZone, got.NextDueAt)
		}
		for typed, near := range map[string]string{
			"pariss": "Europe/Paris", "Eastern": "Canada/Eastern", "GMT+5": "Etc/GMT+5", "../../etc/passwd": "",
			"Local": "", "": "", " ": "", "Asia/Tokio": "Asia/Tokyo",
			"<script>alert(1)</script>": "", "\x00": "", strings.Repeat("é", 9000): "",
		} {
			a := v.refuses("/settings/zone", url.Values{"zone": {typed}})
			if kept := a.attrs("#zone", "value"); len(kept) != 1 ||
				strings.ReplaceAll(kept[0], "�", "\x00") != typed {
				t.Errorf("%.40q was typed, the page keeps %.40q", typed, kept)
			}
			if offered := a.attrs(".choices button", "value"); near != "" &&
				!strings.Contains(strings.Join(offered, " "), near) {
				t.Errorf("%q: %q are offered, want %s", typed, offered, near)
			}
			if len(a.find("[role=alert]")) != 1 || len(a.find("main script")) != 0 {
				t.Errorf("%.40q: the page does not say what is wrong", typed)
			}
		}
		for typed, zone := range map[string]string{"paris": "Europe/Paris", "new york": "America/New_York",
			"Tokyo": "Asia/Tokyo"} {
			v.saves("/settings/zone", url.Values{"zone": {typed}})
			if got := r.digest(d).TimeZone; got != zone {
				t.Errorf("%s was typed, the zone is %s", typed, got)
			}
		}
		v.saves("/settings/zone", url.Values{"zone": {"Asia/Tokyo"}})
		v.post("/settings/zone",
			url.Values{"zone": {strings.Repeat("x", 1_000_000)}}).status(http.StatusRequestEntityTooLarge)
		if got := r.digest(d).TimeZone; got != "Asia/Tokyo" {
			t.Errorf("the zone is %s", got)
		}
	})
}

func TestSetDays(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		if n := len(v.get("/settings/schedule").find(".within [checked]")); n != 7 {
			t.Errorf("%d days are chosen", n)
		}
		v.saves("/settings/schedule", url.Values{"days": {"sat", "sun"}, "at": {"07:30"}}).
			shows("[role=status]", "Saved. Your next edition is on Saturday 21 November.")
		v.get("/settings").contains(".groups", "Every Saturday and Sunday at 07:30")
		for _, c := range []struct {
			days []string
			at   string
		}{{nil, "07:00"}, {[]string{"mon"}, "25:00"}, {[]string{"mon"}, "soon"}, {[]string{"mon"}, ""},
			{[]string{"mon"}, "-1:00"}} {
			a := v.refuses("/settings/schedule", url.Values{"days": c.days, "at": {c.at}}).contains("[role=alert]",
				"Nothing was changed")
			a.has("#at", "value", c.at)
			if n := len(a.find(".within [checked]")); n != len(c.days) {
				t.Errorf("%q were chosen, the page keeps %d", c.days, n)
			}
		}
		v.post("/settings/schedule", url.Values{"days": {"someday"}, "at": {"07:00"}}).status(http.StatusBadRequest)
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
		every(v.get("/settings/schedule"), "week")
		form := func(month string) url.Values {
			return url.Values{"every": {"month"}, "days": {"sat", "sun"}, "month": {month}, "at": {"07:30"}}
		}
		for month, says := range map[string]string{
			"monthly":              "Your next edition is on Tuesday 1 December.",
			"monthly on 3":         "Your next edition is on Thursday 3 December.",
			"monthly on 21":        "Your next edition is on Saturday 21 November.",
			"monthly on 22":        "Your next edition is on Sunday 22 November.",
			"monthly on 13":        "Your next edition is on Sunday 13 December.",
			"monthly on last day":  "Your next edition is on Monday 30 November.",
			"monthly on first mon": "Your next edition is on Monday 7 December.",
		} {
			a := v.saves("/settings/schedule", form(month)).shows("[role=status]", "Saved. "+says)
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
		a := v.refuses("/settings/schedule", url.Values{"every": {"month"}, "month": {"monthly on 9"}, "at": {"soon"}})
		a.contains("[role=alert]", "Nothing was changed")
		a.has("option[selected]", "value", "monthly on 9")
		v.refuses("/settings/schedule", url.Values{"every": {"month"}, "days": {"sat"}, "at": {"07:00"}}).contains(
			"[role=alert]", "Choose at least one day")
		for _, bad := range []url.Values{form("monthly on 29"), form("mon"),
			{"every": {"week"}, "days": {"monthly"}, "at": {"07:00"}}} {
			v.post("/settings/schedule", bad).status(http.StatusBadRequest)
		}
		if got := r.digest(d).Cadence; got != was {
			t.Errorf("it comes %s, want %s as before", got, was)
		}
		v.saves("/settings/schedule", url.Values{"every": {"week"}, "days": {"sat"}, "month": {"monthly on 9"},
			"at": {"07:30"}}).
			contains("[role=status]", "Saturday 21 November")
	})
}

func TestSetPause(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		v.saves("/settings/pause", url.Values{"until": {"2026-12-01"}}).
			shows("[role=status]", "Saved. Your next edition is on Tuesday 1 December.")
		if got, want := r.digest(d), time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC); got.State != digest.DigestPaused ||
			!got.PausedUntil.Equal(want) {
			t.Errorf("%s until %v", got.State, got.PausedUntil)
		}
		a := v.saves("/settings/pause", url.Values{"until": {" 2027-01-15 "}}).contains("[role=status]",
			"Friday 15 January")
		a.has("#until", "value", "2027-01-15")
		for typed, says := range map[string]string{
			"":                         "Enter a date like",
			"soon":                     "Enter a date like",
			"2027-02-29":               "Enter a date like",
			"2026-11-31":               "Enter a date like",
			"2026-11-20":               "20 November 2026 is too early",
			"2020-02-29":               "29 February 2020 is too early",
			"0000-01-01":               "is too early",
			"2027-11-22":               "22 November 2027 is too late. Choose 21 November 2027 or an earlier day",
			"7026-11-20":               "is too late",
			"99999-01-01":              "Enter a date like",
			strings.Repeat("9", 50000): "Enter a date like",
		} {
			a := v.refuses("/settings/pause", url.Values{"until": {typed}}).contains("[role=alert]", says,
				"Nothing was changed")
			a.has("#until", "value", typed)
		}
		v.saves("/settings/pause/end", nil).shows("[role=status]",
			"Saved. Your next edition is on Saturday 21 November.")
		r.stands(d, digest.DigestActive)
		r.must(r.store.SetDigestState(t.Context(), d.ID, digest.DigestLeft, r.now))
		v.refuses("/settings/pause", url.Values{"until": {"2026-12-01"}})
		v.saves("/settings/pause/end", nil).contains("[role=status]", "You’re unsubscribed")
		r.stands(d, digest.DigestLeft)
	})
}

// TestPauseUntilADateThatNeverWas uses 30 December 2011, which Samoa skipped.
func TestPauseUntilADateThatNeverWas(t *testing.T) {
	each(t, func(r *room) {
		r.now = time.Date(2011, 12, 28, 12, 0, 0, 0, time.UTC)
		u, d := r.user("ann@example.org")
		r.must(r.store.SetTimeZone(t.Context(), u.ID, "Pacific/Apia", r.now))
		v := r.visitor().signIn(u)
		v.refuses("/settings/pause", url.Values{"until": {"2011-12-30"}}).contains("[role=alert]",
			"30 December 2011 doesn’t exist in that time zone")
		v.saves("/settings/pause", url.Values{"until": {"2011-12-31"}})
		if got, want := r.digest(d).PausedUntil, time.Date(2011, 12, 30, 10, 0, 0, 0, time.UTC); !got.Equal(want) {
			t.Errorf("paused until %v", got)
		}
	})
}

// TestLanguage checks that visitors get the language of their browser, and readers the language that they have
// chosen.
func TestLanguage(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		v := r.visitor()
		v.header["Accept-Language"] = "de-AT,de;q=0.9,en;q=0.5"
		if a := v.get("/help").shows("html[lang=de] footer a", "Hilfe", "Für Inhaber von Websites"); !slices.Contains(
			a.Header.Values("Vary"), "Accept-Language") || a.Header.Get("Content-Language") != "de" {
			t.Errorf("it comes with %v", a.Header)
		}
		v.signIn(u)
		v.get("/settings").shows("html[lang=de] h1", "Einstellungen")
		v.saves("/settings/language", url.Values{"language": {"ar"}}).shows("html[lang=ar] h1",
			"اللغة").shows("title", "اللغة")
		v.get("/settings").shows("html[dir=rtl] h1", "الإعدادات")
		v.post("/settings/language", url.Values{"language": {"xx"}}).status(http.StatusBadRequest)
		v.saves("/settings/language", url.Values{"language": {""}}).shows("html[lang=de] h1", "Sprache")
	})
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
		v.saves("/settings/travel", stay("Asia/Tokyo", "2026-12-03", "2026-12-17")).contains("[role=status]", "Saved.").
			contains(".rows li", "Tokyo, 3 to 17 December")
		v.saves("/settings/travel", stay("America/New_York", "2026-12-30", "2027-01-02")).contains(".rows li",
			"New York, 30 December 2026 to 2 January 2027")
		v.get("/settings").contains(".groups span", "Tokyo, 3 to 17 December, and 1 more trip")
		for _, c := range []struct{ zone, from, to, says string }{
			{"Tokio", "2026-12-20", "2026-12-21", "We don’t know that time zone. Did you mean one of these?"},
			{"../../etc/passwd", "2026-12-20", "2026-12-21", "We don’t know that time zone"},
			{"", "2026-12-20", "2026-12-21", "Enter a city or time zone"},
			{"Asia/Tokyo", "", "2026-12-21", "Enter a date like"},
			{"Asia/Tokyo", "2026-12-20", "tomorrow", "Enter a date like"},
			{"Asia/Tokyo", "2027-02-29", "2027-03-01", "Enter a date like"},
			{"Asia/Tokyo", "2026-12-21", "2026-12-20", "The last day is before the first day, 21 December 2026"},
			{"Asia/Tokyo", "2026-11-01", "2026-11-10", "10 November 2026 is too early"},
			{"Asia/Tokyo", "7026-11-01", "7026-11-10", "is too late"},
			{"Asia/Tokyo", "2026-12-10", "2026-12-20", "These days overlap the trip to"},
		} {
			a := v.refuses("/settings/travel", stay(c.zone, c.from, c.to)).contains("[role=alert]", c.says)
			for field, typed := range map[string]string{"zone": c.zone, "from": c.from, "to": c.to} {
				a.has("#"+field, "value", typed)
			}
		}
		keys := v.get("/settings/travel").attrs(".rows button", "value")
		if len(keys) != 2 {
			t.Fatalf("keys are %q", keys)
		}
		for _, key := range append(keys, "0", "-1", "x", "99999999999999999999") {
			other.post("/settings/travel/remove", url.Values{"stay": {key}}).status(http.StatusNotFound)
		}
		v.saves("/settings/travel/remove", url.Values{"stay": {keys[0]}}).contains("[role=status]", "Saved.")
		if got, err := r.store.Stays(t.Context(), u.ID); err != nil || len(got) != 1 ||
			got[0].TimeZone != "America/New_York" {
			t.Errorf("stays are %v, %v", got, err)
		}

		// A trip that has begun takes effect immediately. Choosing another time zone ends it.
		v.saves("/settings/travel", stay("Asia/Tokyo", "2026-11-19", "2026-11-25")).contains(".rows li", "Asia/Tokyo",
			"End trip now")
		if got := r.digest(d).TimeZone; got != "Asia/Tokyo" {
			t.Errorf("the zone is %s", got)
		}
		v.get("/settings/zone").contains("main p", "You’re on a trip: Tokyo, 19 to 25 November.")
		v.saves("/settings/zone", url.Values{"zone": {"Europe/Rome"}})
		if got, err := r.store.Stays(t.Context(), u.ID); err != nil || len(got) != 1 {
			t.Errorf("stays are %v, %v", got, err)
		}
	})
}

func TestSetMailed(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		form := url.Values{"days": {"mon"}, "at": {"07:00"}, "mailed": {"no"}}
		v.saves("/settings/schedule", form).contains("[role=status]", "Saved.").has("#email [checked]", "value", "no")
		if got := r.digest(d); got.Mailed || got.Cadence.String() != "mon" || got.DeliverAt != 7*time.Hour {
			t.Errorf("mailed %t, days %s at %s", got.Mailed, got.Cadence, got.DeliverAt)
		}
		v.get("/settings").contains(".groups span", "Web only", "Every Monday")
		for _, bad := range []url.Values{{"mailed": {"maybe"}}, {"days": {"mon"}, "at": {"07:00"}, "mailed": {"maybe"}},
			{"days": {"mon"}}} {
			v.post("/settings/schedule", bad).status(http.StatusBadRequest)
		}
		a := v.refuses("/settings/schedule", url.Values{"days": {"tue"}, "at": {"soon"}, "mailed": {"yes"}})
		a.has("#email [checked]", "value", "yes")
		if got := r.digest(d); got.Mailed || got.Cadence.String() != "mon" {
			t.Errorf("mailed %t, days %s after a form that was refused", got.Mailed, got.Cadence)
		}
		v.saves("/settings/schedule", url.Values{"mailed": {"yes"}}) // the form of an older version
		if !r.digest(d).Mailed {
			t.Error("it is not mailed")
		}
		r.must(r.store.Suppress(t.Context(), digest.Suppression{Email: "ann@example.org", Reason: digest.ForHardBounce,
			CreatedAt: r.now}))
		v.get("/settings/schedule").contains(".notice", "Emails to ann@example.org bounced or were marked as spam")
	})
}
