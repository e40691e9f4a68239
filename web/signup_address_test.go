package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"digest"
)

func TestAnotherAddress(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		v, other := r.visitor().signIn(u), r.visitor().signIn(u)
		ask := func(email string) answer { return v.post("/settings/address", url.Values{"email": {email}}) }
		ask("ann").status(http.StatusUnprocessableEntity)
		ask("ann@example.org").status(http.StatusUnprocessableEntity)
		ask("ann@new.example").status(http.StatusSeeOther)
		v.get("/settings/address").contains(".notice", "To change to ann@new.example")
		ask("ann@third.example").status(http.StatusTooManyRequests)
		both := r.letters()
		if len(both) != 2 || both[0].to != "ann@example.org" || both[1].to != "ann@new.example" {
			r.t.Fatalf("letters %v", both)
		}
		for _, l := range both {
			if strings.Contains(l.text+l.html, "new.example") {
				r.t.Errorf("the letter to %s holds what was typed", l.to)
			}
			for range 2 {
				r.visitor().get("/settings/address/confirm?token="+l.token).status(http.StatusOK).shows("form button",
					"Confirm change").contains("main", "ann@new.example")
			}
		}
		r.visitor().post("/settings/address/confirm", url.Values{"token": {both[1].token}}).status(http.StatusSeeOther)
		v.get("/settings/address").shows(".notice p",
			"We emailed both addresses. To change to ann@new.example, confirm in both emails by 13:00 on Saturday 21 November.",
			"You haven’t confirmed in the email to the current address yet.")
		to := v.post("/settings/address/confirm", url.Values{"token": {both[0].token}}).status(
			http.StatusSeeOther).Header.Get("Location")
		v.get(to).shows("h1", "Email address changed")
		v.get("/settings/address").contains("main", "ann@new.example")
		other.get("/editions").status(http.StatusSeeOther)
		for _, l := range both {
			r.visitor().post("/settings/address/confirm", url.Values{"token": {l.token}}).status(http.StatusForbidden)
			r.visitor().get("/settings/address/confirm?token=" + l.token).status(http.StatusForbidden)
		}
	})
}

// TestAnothersAddress checks that the page is the same for an address that already has an account.
func TestAnothersAddress(t *testing.T) {
	each(t, func(r *room) {
		r.user("known@example.org")
		pages := map[string]string{}
		for _, wished := range []string{"known@example.org", "blank@example.org"} {
			u, _ := r.user("ann-" + wished[:5] + "@example.net")
			v := r.visitor().signIn(u)
			a := v.post("/settings/address", url.Values{"email": {wished}}).status(http.StatusSeeOther)
			page := v.get(a.Header.Get("Location")).body
			pages[wished] = regexp.MustCompile(
				`known|blank|data-account="[^"]*"|name="account" value="[^"]*"`).ReplaceAllString(page, "X")
		}
		if pages["known@example.org"] != pages["blank@example.org"] {
			r.t.Errorf("%s\nis not\n%s", pages["known@example.org"], pages["blank@example.org"])
		}
		got := ""
		for _, l := range r.letters() {
			got += l.to + ": " + l.subject + "\n"
		}
		const want = "ann-blank@example.net: Change email address?\nann-known@example.net: Change email address?\n" +
			"blank@example.org: Confirm your new address\nknown@example.org: You already have an account\n"
		if got != want {
			r.t.Errorf("came\n%swant\n%s", got, want)
		}
	})
}

func TestAddressTakenBack(t *testing.T) {
	each(t, func(r *room) {
		v, _ := r.reader("ann@example.org")
		v.post("/settings/address", url.Values{"email": {"ann@new.example"}}).status(http.StatusSeeOther)
		both := r.letters()
		v.post("/settings/address/cancel", nil).status(http.StatusSeeOther)
		for _, l := range both {
			r.visitor().post("/settings/address/confirm", url.Values{"token": {l.token}}).status(http.StatusForbidden)
		}
		v.get("/settings/address").contains(".notice", "You can change your address once a day")
		r.must(r.store.Suppress(t.Context(), digest.Suppression{Email: "ann@example.org", Reason: digest.ForHardBounce,
			CreatedAt: r.now}))
		r.now = r.now.Add(25 * time.Hour)
		v.get("/settings/address").contains(".notice", "bounced or were marked as spam")
		v.post("/settings/address", url.Values{"email": {"ann@new.example"}}).status(http.StatusConflict)
		r.noLetter()
	})
}
