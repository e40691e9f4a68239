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
	d, err := r.store.Readers.Digest(r.t.Context(), d.ID)
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
			_, err := r.store.Editions.EndPauses(r.t.Context(), r.now)
			r.must(err)
			r.midnightNow()
		}
		list, err := r.store.Editions.Editions(r.t.Context(), d.ID, 10)
		r.must(err)
		if len(list) != 2 || list[1].LocalDate.String() != "2026-11-27" { // the newest first
			r.t.Errorf("editions %v, want those of the 27th and the 28th", list)
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
			n, err := r.store.Newsletters.AddNewsletter(r.t.Context(), digest.Newsletter{
				Slug: fmt.Sprintf("n%d", test.cadence), Name: "Letter", Cadence: test.cadence,
				State: digest.NewsletterActive,
				Look:  digest.Look{Layout: digest.FullText, Images: digest.NoImages},
			}, own.UserID, r.now)
			r.must(err)
			m, _, err := r.store.Members.Join(r.t.Context(), n.ID,
				store.Joining{Email: "mo@example.org", TimeZone: "Europe/Paris", Asked: true}, r.now)
			r.must(err)
			d, err := r.store.Readers.Digest(r.t.Context(), m.DigestID)
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
