package mailer

import (
	"strings"
	"testing"

	"digest"
)

// TestFroms: sign-in mail and each newsletter have their own From address, unless the server accepts only one.
func TestFroms(t *testing.T) {
	const from = `"Daily Digest" <digest@example.org>`
	if got := DefaultAccountFrom("smtp://key:secret@relay.example:587",
		from); got != `"Daily Digest" <digest+account@example.org>` {
		t.Errorf("with a login that is no address: %s", got)
	}
	if got := DefaultAccountFrom("smtp://Digest%40example.org:secret@relay.example:587", from); got != from {
		t.Errorf("with From as the login: %s", got)
	}
	long := "digest@" + strings.Repeat("a", 20) + ".example"
	for name, c := range map[string]struct {
		n             digest.Newsletter
		from, account string
		want          string
	}{
		"its own": {digest.Newsletter{Name: "Ann", Slug: "ann"}, from, "digest+account@example.org",
			`"Ann" <digest+ann@example.org>`},
		"one address": {digest.Newsletter{Name: "Ann", Slug: "ann"}, from, "DIGEST@example.org",
			`"Ann" <digest@example.org>`},
		"no account": {digest.Newsletter{Name: "Ann", Slug: "ann"}, from, "", `"Ann" <digest@example.org>`},
		"its own domain": {digest.Newsletter{Name: "Ann", Slug: "ann", OwnAddress: "hi@ann.example"}, from,
			"a@example.org", `"Ann" <hi@ann.example>`},
		"no room": {digest.Newsletter{Name: "Ann", Slug: strings.Repeat("s", 60)}, long, "a@example.org",
			`"Ann" <` + long + ">"},
		"a sender's name": {digest.Newsletter{Name: "Ann", FromName: "Ann Other", Slug: "ann"}, from, "a@example.org",
			`"Ann Other" <digest+ann@example.org>`},
		"no address at all": {digest.Newsletter{Name: "Ann", Slug: "ann"}, "nobody", "a@example.org", "nobody"},
	} {
		if got := NewsletterFrom(c.n, c.from, c.account); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestAccountFrom: single letters without a From use AccountFrom, and editions use From.
func TestAccountFrom(t *testing.T) {
	s := &sink{}
	sender := Sender{Transport: openTest(t, s.listen(t), Options{}), From: "Digest <digest@example.org>",
		AccountFrom: "Digest <digest+account@example.org>"}
	l := Letter{To: "ada@example.org", Subject: "Sign in", Text: "x", Date: midnight}
	must(t, sender.Send(t.Context(), l))
	l.From = "Ann <digest+ann@example.org>"
	must(t, sender.Send(t.Context(), l))
	for i, want := range []string{"digest+account@example.org", "digest+ann@example.org"} {
		if got := s.messages()[i]; !strings.Contains(got, "<"+want+">") ||
			!strings.Contains(s.log[1], "<digest@example.org>") {
			t.Errorf("letter %d: %s, want From %s and the return path of From", i, got[:200], want)
		}
	}
}
