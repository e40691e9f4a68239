package newsletter_test

import (
	"testing"
	"time"

	"digest/newsletter"
)

func TestNewsletterDomainLooked(t *testing.T) {
	const hour, day = time.Hour, 24 * time.Hour
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		created time.Duration // ago
		seen    time.Duration // ago; 0: never
		sight   newsletter.KeySight
		signs   bool
		next    time.Duration
	}{
		{"new, seen at once", 0, 0, newsletter.KeySeen, true, day},
		{"new, not there yet", 0, 0, newsletter.KeyMissing, false, hour},
		{"new, no answer", 0, 0, newsletter.KeyUnasked, false, hour},
		{"never seen for long", 4 * day, 0, newsletter.KeyMissing, false, day},
		{"seen again", 90 * day, 5 * day, newsletter.KeySeen, true, day},
		{"gone: it stops at once", 90 * day, day, newsletter.KeyMissing, false, hour},
		{"gone for long", 90 * day, 5 * day, newsletter.KeyMissing, false, day},
		{"no answer for a day", 90 * day, day, newsletter.KeyUnasked, true, hour},
		{"no answer for three days", 90 * day, 3 * day, newsletter.KeyUnasked, true, day},
		{"no answer for longer", 90 * day, 3*day + hour, newsletter.KeyUnasked, false, day},
	} {
		d := newsletter.Domain{FromAddress: "letters@anna.example", CreatedAt: now.Add(-c.created)}
		if c.seen > 0 {
			d.SeenAt, d.Signs = now.Add(-c.seen), true
		}
		if !d.NextLook().Equal(d.CreatedAt) {
			t.Errorf("%s: a key that was never looked for waits until %v", c.name, d.NextLook())
		}
		got := d.Looked(c.sight, "is\nnot there", now)
		if got.Signs != c.signs || got.NextLook().Sub(now) != c.next {
			t.Errorf("%s: signs %v, looked for again after %v; want %v, %v", c.name, got.Signs, got.NextLook().Sub(now),
				c.signs, c.next)
		}
		if wrong := got.Finding == ""; wrong != (c.sight == newsletter.KeySeen) || got.Finding != "" &&
			got.Finding != "is not there" {
			t.Errorf("%s: finding %q", c.name, got.Finding)
		}
	}
	if d := (newsletter.Domain{FromAddress: "letters@anna.example"}).Domain(); d != "anna.example" {
		t.Errorf("domain %q", d)
	}
}
