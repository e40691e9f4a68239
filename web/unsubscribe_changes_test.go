package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// digestOf returns the stored digest.
func (r *room) digestOf(d digest.Digest) digest.Digest {
	r.t.Helper()
	d, err := r.store.Digest(r.t.Context(), d.ID)
	r.must(err)
	return d
}

// press submits the form of a button with its fields.
func (v *visitor) press(a answer, button string) answer {
	v.t.Helper()
	for _, form := range a.find("form") {
		fields, found := url.Values{}, false
		for n := range form.Descendants() {
			name, _ := attr(n, "name")
			value, _ := attr(n, "value")
			switch n.Data {
			case "input":
				fields.Add(name, value)
			case "button":
				if n.FirstChild != nil && strings.TrimSpace(n.FirstChild.Data) == button {
					found = true
					if name != "" {
						fields.Add(name, value)
					}
				}
			case "option":
				if _, chosen := attr(n, "selected"); chosen {
					fields.Add("days", value)
				}
			}
		}
		if found {
			action, _ := attr(form, "action")
			return v.post(action, fields).status(http.StatusOK)
		}
	}
	v.t.Fatalf("no button %q on\n%s", button, a.body)
	return answer{}
}

func TestPause(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		now    time.Time
		button string
		until  time.Time // midnight in Paris
		says   string
	}{
		{noon, "1 week", time.Date(2026, 11, 27, 0, 0, 0, 0, paris),
			"until Friday 27 November. After the pause, one edition has all posts: the newest three from each site, and headlines for the others."},
		{noon, "2 weeks", time.Date(2026, 12, 4, 0, 0, 0, 0, paris), "until Friday 4 December."},
		{noon, "1 month", time.Date(2026, 12, 20, 0, 0, 0, 0, paris), "until Sunday 20 December."},
		// It is already the next day in Paris.
		{time.Date(2026, 11, 20, 23, 30, 0, 0, time.UTC), "1 week", time.Date(2026, 11, 28, 0, 0, 0, 0, paris),
			"until Saturday 28 November."},
		{time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC), "1 month", time.Date(2027, 2, 28, 0, 0, 0, 0, paris),
			"until Sunday 28 February."},
		// The clocks change in between.
		{time.Date(2027, 3, 25, 12, 0, 0, 0, time.UTC), "1 week", time.Date(2027, 4, 1, 0, 0, 0, 0, paris),
			"until Thursday 1 April."},
	} {
		t.Run(c.says, func(t *testing.T) {
			each(t, func(r *room) {
				r.now = c.now
				_, d := r.user("ann@example.org")
				v := r.visitor()
				a := v.press(v.get(r.unsubscribePath(d)), c.button).shows("h1", "Daily Digest is paused")
				if text := strings.Join(a.texts("main p"), " "); !strings.Contains(text, c.says) {
					r.t.Errorf("the page says %q, not %q", text, c.says)
				}
				if got := r.digestOf(d); got.State != digest.DigestPaused || !got.PausedUntil.Equal(c.until) {
					r.t.Errorf("%s until %v, want %v", got.State, got.PausedUntil, c.until)
				}
				v.press(a, "Resume").shows("h1", "Welcome back")
				if got := r.digestOf(d); got.State != digest.DigestActive || !got.PausedUntil.IsZero() {
					r.t.Errorf("%s until %v after the way back", got.State, got.PausedUntil)
				}
			})
		})
	}
}

// TestPauseEndsAsItSays checks that the first edition after a pause is the one that the page names.
func TestPauseEndsAsItSays(t *testing.T) {
	each(t, func(r *room) {
		_, d := r.user("ann@example.org")
		v := r.visitor()
		v.press(v.get(r.unsubscribePath(d)), "1 week")
		for range 8 { // a post an hour before each midnight
			r.beforeMidnight(time.Hour)
			r.arrives(d, post("News"))
			r.beforeMidnight(0)
			_, err := r.store.EndPauses(r.t.Context(), r.now)
			r.must(err)
			r.midnightNow()
		}
		list, err := r.store.Editions(r.t.Context(), d.ID, 10)
		r.must(err)
		if len(list) != 2 || list[1].LocalDate.String() != "2026-11-27" { // the newest first
			r.t.Errorf("editions %v, want those of the 27th and the 28th", list)
		}
	})
}

func TestPausedPage(t *testing.T) {
	each(t, func(r *room) {
		_, d := r.user("ann@example.org")
		v := r.visitor()
		v.press(v.get(r.unsubscribePath(d)), "2 weeks")
		a := v.get(r.unsubscribePath(d)).shows("section h2", "Paused", "Or change the days")
		if text := a.texts("section p")[0]; text != "No new editions until Friday 4 December." {
			r.t.Error(text)
		}
		until := r.digestOf(d).PausedUntil
		a = v.press(a, "Unsubscribe").shows("h1", "Unsubscribed from Daily Digest")
		v.press(a, "Pause instead").shows("h1", "Daily Digest is paused")
		if got := r.digestOf(d); got.State != digest.DigestPaused || !got.PausedUntil.Equal(until) {
			r.t.Errorf("%s until %v, want as before it was left", got.State, got.PausedUntil)
		}
		r.now = until.Add(time.Hour) // resubscribed after the end of the pause
		v.press(a, "Pause instead").shows("h1", "Unsubscribe from Daily Digest?")
		v.post(r.unsubscribePath(d)+"/leave", nil)
		r.must(r.store.ResumeDigest(r.t.Context(), d.ID, r.now))
		v.press(v.get(r.unsubscribePath(d)), "Subscribe again").shows("h1", "Welcome back")
		r.stands(d, digest.DigestActive)
		r.must(r.store.PauseDigest(r.t.Context(), d.ID, time.Time{}, r.now))
		a = v.get(r.unsubscribePath(d))
		if text := a.texts("section p")[0]; text != "No new editions until you resume it." {
			r.t.Error(text)
		}
		v.press(a, "Resume").shows("h1", "Welcome back")
	})
}

func TestFewerMails(t *testing.T) {
	each(t, func(r *room) {
		_, d := r.user("ann@example.org")
		v := r.visitor()
		a := v.press(v.get(r.unsubscribePath(d)), "Monday to Friday").shows("h1",
			"Daily Digest now comes Monday to Friday")
		if text := a.texts("main p")[0]; !strings.HasSuffix(text, "Next edition: Monday 23 November") {
			r.t.Error(text)
		}
		if got := r.digestOf(d).Cadence; got != digest.Workdays {
			r.t.Errorf("it comes %s", got)
		}
		v.press(a, "Undo this change").shows("h1", "Daily Digest now comes every day")
		if got := r.digestOf(d).Cadence; got != digest.Daily {
			r.t.Errorf("it comes %s after the way back", got)
		}
		v.press(v.get(r.unsubscribePath(d)), "Once a week").shows("h1", "Daily Digest now comes every Saturday")
		a = v.post(r.unsubscribePath(d)+"/days", url.Values{"days": {"tue"}}).status(http.StatusOK).shows("h1",
			"Daily Digest now comes every Tuesday")
		v.press(a, "Undo this change").shows("h1", "Daily Digest now comes every Saturday")
		a = v.get(r.unsubscribePath(d))
		a.has("option[selected]", "value", "sat")
		v.press(a, "Every day").shows("h1", "Daily Digest now comes every day")
		a = v.post(r.unsubscribePath(d)+"/days", url.Values{"days": {"mon,thu,sun"}})
		a.shows("h1", "Daily Digest now comes every Monday, Thursday and Sunday")
		if a := v.press(a, "Undo this change"); a.Header.Get("Set-Cookie") != "" || a.Header.Get("Location") != "" {
			r.t.Errorf("a cookie or a redirect: %v", a.Header)
		}
	})
}

// TestFewerLetters checks that members are offered only cadences that are not more frequent than the newsletter.
func TestFewerLetters(t *testing.T) {
	each(t, func(r *room) {
		_, own := r.user("ann@example.org")
		for _, test := range []struct {
			cadence digest.Cadence
			offers  string
			refused string
		}{
			{digest.Daily, "Monday to Friday; Once a week; Once a month", ""},
			{digest.Workdays, "Once a week; Once a month", "daily"},
			{1 << time.Sunday, "Once a week; Once a month", "mon,thu"},
			{digest.Monthly(1), "", "sun"},
			{digest.LastDay, "", "mon"},
		} {
			n, err := r.store.AddNewsletter(r.t.Context(), digest.Newsletter{
				Slug: fmt.Sprintf("n%d", test.cadence), Name: "Letter", Cadence: test.cadence,
				State: digest.NewsletterActive,
				Look:  digest.Look{Layout: digest.FullText, Images: digest.NoImages},
			}, own.UserID, r.now)
			r.must(err)
			m, _, err := r.store.Join(r.t.Context(), n.ID,
				store.Joining{Email: "mo@example.org", TimeZone: "Europe/Paris", Asked: true}, r.now)
			r.must(err)
			d, err := r.store.Digest(r.t.Context(), m.DigestID)
			r.must(err)
			v := r.visitor()
			a := v.get(r.unsubscribePath(d))
			if got := strings.Join(a.texts("form[action="+r.unsubscribePath(d)+"/days] button"),
				"; "); got != test.offers {
				r.t.Errorf("%s: offered %s, want %s", test.cadence, got, test.offers)
			}
			if test.refused != "" {
				v.post(r.unsubscribePath(d)+"/days", url.Values{"days": {test.refused}}).status(http.StatusBadRequest)
			}
			if got := r.digestOf(d).Cadence; got != test.cadence {
				r.t.Errorf("%s: it comes %s", test.cadence, got)
			}
		}
	})
}

// TestEaseOfWhatWasLeft checks that no form restores an unsubscribed or deleted digest.
func TestEaseOfWhatWasLeft(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		v := r.visitor()
		v.post(r.unsubscribePath(d)+"/leave", nil)
		forms := map[string]url.Values{"/pause": {"for": {"week"}}, "/resume": nil, "/days": {"days": {"mon"}}}
		for path, form := range forms {
			v.post(r.unsubscribePath(d)+path, form).status(http.StatusOK).shows("h1", "Unsubscribed from Daily Digest")
			if got := r.digestOf(d); got.State != digest.DigestLeft || got.Cadence != digest.Daily {
				r.t.Errorf("%s: %s, %s", path, got.State, got.Cadence)
			}
		}
		r.remove(u)
		for path, form := range forms {
			v.post(r.unsubscribePath(d)+path, form).status(http.StatusOK).shows("h1", "You’re unsubscribed")
		}
	})
}

func TestEaseBadInput(t *testing.T) {
	each(t, func(r *room) {
		_, d := r.user("ann@example.org")
		v := r.visitor()
		for _, c := range []struct{ path, body string }{
			{"/pause", ""}, {"/pause", "for=year"}, {"/pause", "for="}, {"/pause", "for=-1"}, {"/pause", "days=mon"},
			{"/days", ""}, {"/days", "days="}, {"/days", "days=never"}, {"/days", "days=mon,"}, {"/days", "days=0"},
			{"/days", "for=week"},
		} {
			a := v.do("POST", r.unsubscribePath(d)+c.path, urlencoded,
				strings.NewReader(c.body)).status(http.StatusBadRequest)
			a.shows("h1", "We couldn’t read that form")
		}
		v.do("POST", r.unsubscribePath(d)+"/days", urlencoded, strings.NewReader("days=%zz")).status(
			http.StatusBadRequest).shows("h1", "We couldn’t read that form")
		v.do("POST", r.unsubscribePath(d)+"/days", urlencoded,
			strings.NewReader("days="+strings.Repeat("a", 1<<20))).status(http.StatusRequestEntityTooLarge)
		for _, path := range []string{"/pause", "/resume", "/days"} {
			v.post("/unsubscribe/"+r.signer.Sign(digest.ForEdition, int64(d.ID))+path, nil).status(http.StatusNotFound)
			v.get(r.unsubscribePath(d) + path).status(http.StatusSeeOther).leads(r.unsubscribePath(d))
			w := r.visitor()
			w.from("https://evil.example", "cross-site")
			w.post(r.unsubscribePath(d)+path, url.Values{"for": {"week"}, "days": {"mon"}}).status(http.StatusForbidden)
		}
		if got := r.digestOf(d); got.Cadence != digest.Daily {
			r.t.Errorf("it comes %s", got.Cadence)
		}
	})
}

// TestOtherDays checks that the page says where posts of other days go only if the digest skips days.
func TestOtherDays(t *testing.T) {
	const says = "On other days, posts wait for your next edition."
	each(t, func(r *room) {
		_, d := r.user("ann@example.org")
		for _, days := range []digest.Cadence{digest.Daily, digest.Workdays} {
			r.must(r.store.SetCadence(r.t.Context(), d.ID, days, r.now))
			got := strings.Contains(r.visitor().get(r.unsubscribePath(d)).body, says)
			if want := days != digest.Daily; got != want {
				r.t.Errorf("%s: said %t", days, got)
			}
		}
	})
}
