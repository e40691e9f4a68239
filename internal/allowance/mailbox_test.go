package allowance

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestMailbox(t *testing.T) {
	for email, want := range map[string]string{
		"Ann@Example.org":                 "ann@example.org",
		"ann+news@example.org":            "ann@example.org",
		"ann+a+b@example.org":             "ann@example.org",
		"a.n.n@example.org":               "a.n.n@example.org",
		"ann-news@example.org":            "ann-news@example.org",
		"+ann@example.org":                "+ann@example.org",
		"A.n.n+news@gmail.com":            "ann@gmail.com",
		"ann@googlemail.com":              "ann@gmail.com",
		"a.nn@GoogleMail.com.":            "ann@gmail.com",
		"ann@gmail.com.example.org":       "ann@gmail.com.example.org",
		"ann@mail.gmail.com":              "ann@mail.gmail.com",
		`"a.n..n"@gmail.com`:              "ann@gmail.com",
		`"ann+x y"@example.org`:           "ann@example.org",
		`"a@b"@example.org`:               "a@b@example.org",
		"...@gmail.com":                   "...@gmail.com",
		"ann":                             "ann",
		"":                                "",
		"jörg@xn--bcher-kva.example":      "jörg@xn--bcher-kva.example",
		strings.Repeat(".", 9) + "@gmail": strings.Repeat(".", 9) + "@gmail",
	} {
		if got := Mailbox(email); got != want {
			t.Errorf("%s: %s, want %s", email, got, want)
		}
	}
	for mailbox, want := range map[string]string{
		"a@example.org": "example.org", "a@mx.eu.example.co.uk": "example.co.uk", "a@localhost": "localhost",
		"a@b@example.org":  "example.org",
		"a@anna.github.io": "anna.github.io", "a@github.io": "github.io", "": "",
	} {
		if got := Domain(mailbox); got != want {
			t.Errorf("%s is at %s, want %s", mailbox, got, want)
		}
	}
}

// FuzzMailbox checks that all spellings of a mailbox have the same mailbox.
func FuzzMailbox(f *testing.F) {
	for _, s := range []string{"ann@gmail.com", "a.n.n+x@googlemail.com", `"a+b"@example.org`, "+@x", "@",
		`"+"@gmail.com`} {
		f.Add(s, "tag")
	}
	f.Fuzz(func(t *testing.T, email, tag string) {
		box := Mailbox(email)
		if again := Mailbox(box); again != box {
			t.Fatalf("%q has the mailbox %q, and that %q", email, box, again)
		}
		name, domain := box[:max(0, strings.LastIndexByte(box, '@'))], box[strings.LastIndexByte(box, '@')+1:]
		if name == "" || strings.ContainsAny(tag, "@\"") || strings.ContainsAny(name, `"\+`) {
			return
		}
		if got := Mailbox(name + "+" + tag + "@" + domain); got != box {
			t.Errorf("%s with the tag %q is %s", box, tag, got)
		}
	})
}

// TestForBox is a table of the waits of a mailbox after emails of all kinds.
func TestForBox(t *testing.T) {
	type had struct {
		kind    Kind
		minutes int // ago
	}
	one, other := ToJoin(1), ToJoin(2)
	for name, c := range map[string]struct {
		kind Kind
		had  []had
		wait time.Duration
	}{
		"nothing":                       {SignUp, nil, 0},
		"two":                           {SignUp, []had{{one, 0}, {other, 0}}, 0},
		"three newsletters":             {ToJoin(4), []had{{one, 10}, {other, 5}, {ToJoin(3), 0}}, 50 * time.Minute},
		"each another form":             {ToAsk(1), []had{{SignUp, 10}, {one, 5}, {Address, 0}}, 50 * time.Minute},
		"an hour is over":               {SignUp, []had{{one, 60}, {one, 5}, {other, 5}}, 0},
		"sign-ins count for others":     {SignUp, []had{{SignIn, 30}, {SignIn, 20}, {SignIn, 10}}, 30 * time.Minute},
		"not for a change of address":   {Address, []had{{SignIn, 30}, {SignIn, 20}, {SignIn, 10}}, 0},
		"a sign-in beside three others": {SignIn, []had{{one, 10}, {other, 5}, {SignUp, 0}}, 0},
		"a second one beside them": {SignIn, []had{{one, 50}, {other, 40}, {SignUp, 30}, {SignIn, 20}},
			20 * time.Minute},
		"three sign-ins": {SignIn, []had{{SignIn, 20}, {SignIn, 10}, {SignIn, 5}}, 40 * time.Minute},
		"twelve within a day": {one, []had{{one, 1400}, {one, 1300}, {one, 1200}, {one, 1100}, {one, 1000},
			{one, 900}, {one, 800}, {one, 700}, {one, 600}, {one, 500}, {one, 400}, {one, 300}}, 40 * time.Minute},
		"nine of them are sign-ins": {one, []had{{SignIn, 1400}, {SignIn, 1300}, {SignIn, 1200}, {SignIn, 1100},
			{SignIn, 1000}, {SignIn, 900}, {SignIn, 800}, {SignIn, 700}, {SignIn, 600}, {one, 500}, {one, 400},
			{one, 300}}, 0},
		"whom publishers add": {one, []had{{ToAdd(1), 0}, {ToAdd(1), 0}, {ToAdd(2), 0}}, 0},
		"and the fourth spelling of them": {ToAdd(3), []had{{ToAdd(1), 10}, {ToAdd(1), 5}, {ToAdd(2), 0}, {one, 0}},
			50 * time.Minute},
		"a fast clock": {one, []had{{one, -10}, {one, -10}, {one, -10}}, 0},
	} {
		var letters []Letter
		for _, h := range c.had {
			letters = append(letters, Letter{Kind: h.kind, At: noon.Add(-time.Duration(h.minutes) * time.Minute)})
		}
		if wait := max(0, ForBox(c.kind, letters, noon).Sub(noon)); wait != c.wait {
			t.Errorf("%s: waits %s, want %s", name, wait, c.wait)
		}
		for i := range letters {
			letters[i].Answered = true
		}
		if wait := ForBox(c.kind, letters, noon); wait.After(noon) {
			t.Errorf("%s, all answered: waits until %s", name, wait)
		}
	}
}

// TestBombs requests emails of all kinds at random for three days. Without changes of address, no hour has more than
// three emails, or four with a sign-in link. No reader waits longer than an hour for a link, or without a link that
// works.
func TestBombs(t *testing.T) {
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 2))
		var had []Letter
		var lastSignIn time.Time
		kinds := []Kind{SignUp, SignIn, ToJoin(1), ToJoin(2), ToJoin(3), ToJoin(4), Address, ToAsk(1)}
		for minute := range 3 * 24 * 60 {
			now := noon.Add(time.Duration(minute) * time.Minute)
			for range 3 {
				k := kinds[r.IntN(len(kinds))]
				if !ForBox(k, had, now).After(now) {
					had = append(had, Letter{Kind: k, At: now, Asker: fmt.Sprint(minute)})
				}
				if k == SignIn && had[len(had)-1].Kind == SignIn && had[len(had)-1].At.Equal(now) {
					lastSignIn = now
				}
			}
			inHour, signIns := 0, 0
			for _, l := range had {
				if l.At.After(now.Add(-time.Hour)) && l.Kind != Address { // each reader can cause one a day
					inHour++
					if l.Kind == SignIn {
						signIns++
					}
				}
			}
			if inHour > mostInHour+1 || inHour > mostInHour && signIns == 0 {
				t.Fatalf("seed %d, minute %d: %d letters in an hour, %d of them sign-in links", seed, minute, inHour,
					signIns)
			}
			if wait := ForBox(SignIn, had, now).Sub(now); wait > time.Hour {
				t.Fatalf("seed %d, minute %d: a reader waits %s", seed, minute, wait)
			} else if life := Life(SignIn, nil, "a", lastSignIn, time.Hour); wait > 0 &&
				lastSignIn.Add(life).Sub(now) < wait {
				t.Fatalf("seed %d, minute %d: a reader waits %s without a link", seed, minute, wait)
			}
		}
	}
}

// TestCrowded is a table of loads and refusals.
func TestCrowded(t *testing.T) {
	join := ToJoin(1)
	for name, c := range map[string]struct {
		kind   Kind
		load   Load
		domain string
		want   Crowd
	}{
		"nobody": {SignUp, Load{}, "club.example", NoCrowd},
		"ten of one network": {SignUp,
			Load{ToDomain: 10, ToDomainForAsker: 10, OfAsker: 10, Total: 10}, "club.example", AskerCrowd},
		"ten at a provider": {SignUp,
			Load{ToDomain: 10, ToDomainForAsker: 10, OfAsker: 10, Total: 10}, "gmail.com", NoCrowd},
		"fifty at a domain":           {SignUp, Load{ToDomain: 50, Total: 50}, "club.example", DomainCrowd},
		"fifty who join":              {join, Load{ToDomain: 50, Total: 50}, "club.example", NoCrowd},
		"two hundred who join":        {join, Load{ToDomain: 200, Total: 200}, "club.example", DomainCrowd},
		"five hundred, and one of it": {SignUp, Load{Total: 500, OfAsker: 5}, "club.example", AskerCrowd},
		"five hundred, and another":   {SignUp, Load{Total: 500, OfAsker: 4}, "club.example", NoCrowd},
		"a thousand":                  {SignUp, Load{Total: 1000}, "club.example", InstanceCrowd},
		"a thousand, as many answered": {join, Load{Total: 1000, Answered: 1000, OfAsker: 4}, "club.example",
			NoCrowd},
		"many answered add four thousand": {join, Load{Total: 5000, Answered: 90000}, "club.example",
			InstanceCrowd},
		"a domain whose readers sign in": {SignIn,
			Load{ToDomain: 900, ToDomainForAsker: 900, Total: 400, OfAsker: 400}, "club.example", NoCrowd},
		"a thousand links that nobody opened": {SignIn, Load{Total: 1000}, "club.example", InstanceCrowd},
		"a change of address": {Address,
			Load{Total: 9000, OfAsker: 9000, ToDomain: 9000, ToDomainForAsker: 9000}, "club.example", NoCrowd},
		"a browser that is known": {KnownSignIn, Load{Total: 9000}, "club.example", NoCrowd},
	} {
		if got := c.kind.Crowded(c.load, c.domain); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
