package acceptance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/certificate"
	"digest/test/tier"
)

// day runs the ticks of a day's agenda between two times after its midnight.
func (o *office) day(midnight time.Time, from, until time.Duration) {
	o.t.Helper()
	for _, now := range agenda(midnight) {
		if since := now.Sub(midnight); since >= from && since < until {
			o.set(now)
			o.once(now)
		}
	}
}

// TestMailServersWithWays uses servers that fail for hours, in one way each. Errors before RCPT, or about the sender,
// fail no recipient, for any duration and any code; the program retries, but not fast. Servers may also refuse RSET,
// respond to the dot very late, greylist, or refuse extensions that EHLO offers. Every reader gets each edition once.
func TestMailServersWithWays(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	late := 2 * time.Second
	if full() {
		late = 65 * time.Second
	}
	refused := func(at point, reply string) plan { return only(at, fault{trick: refuse, reply: reply}) }
	some := func(at point, f fault) plan { // for half of the readers, in the first 20 minutes
		return func(m moment) fault {
			if m.at != at || !m.now.Before(firstMidnight().Add(20*time.Minute)) ||
				!strings.Contains("13579", strings.TrimPrefix(m.to, "reader")[:1]) {
				return fault{}
			}
			return f
		}
	}
	busy := some(atRCPT, fault{trick: refuse, reply: "450 4.2.1 busy"})
	for name, c := range map[string]struct {
		plan      plan
		lone, all bool // no PIPELINING; no edition can arrive
	}{
		"RSET refused":             {plan: first(busy, refused(atRSET, "502 5.5.1 no RSET here"))},
		"RSET refused, one by one": {plan: first(busy, refused(atRSET, "502 5.5.1 no RSET here")), lone: true},
		"RSET drops":               {plan: first(busy, only(atRSET, fault{trick: drop}))},
		"RSET 421":                 {plan: first(busy, only(atRSET, fault{trick: bye})), lone: true},
		"QUIT unanswered":          {plan: first(busy, only(atQUIT, fault{trick: drop}))},
		"250 very late":            {plan: first(busy, some(atDotStored, fault{trick: delay, wait: late}))},
		"greylisting":              {plan: greylist(5 * time.Minute)},
		"4xx at the dot":           {plan: some(atDotLost, fault{trick: refuse, reply: "451 4.3.0 not now"})},
		"4xx to DATA":              {plan: some(atDATA, fault{trick: refuse, reply: "451 4.3.0 not now"})},
		"421 instead of MAIL": {plan: func(m moment) fault {
			if m.at == atMAIL && m.messages == 1 {
				return fault{trick: bye}
			}
			return fault{}
		}},
		"554 banner":   {plan: refused(atBanner, "554 5.3.2 no"), all: true},
		"no banner":    {plan: only(atBanner, fault{trick: drop}), all: true},
		"550 EHLO":     {plan: refused(atEHLO, "550 5.5.0 no"), all: true},
		"535 AUTH":     {plan: refused(atAUTH, "535 5.7.8 wrong password"), all: true},
		"454 STARTTLS": {plan: refused(atSTARTTLS, "454 4.7.0 not now"), all: true},
		"451 MAIL":     {plan: refused(atMAIL, "451 4.3.0 not now"), all: true},
		"550 MAIL":     {plan: refused(atMAIL, "550 5.7.1 not from you"), all: true},
		"421 RCPT":     {plan: only(atRCPT, fault{trick: bye}), all: true},
		"5.7.515":      {plan: refused(atRCPT, "550 5.7.515 the sending domain is unknown"), all: true},
		"5.7.26":       {plan: refused(atDotLost, "550 5.7.26 unauthenticated mail"), all: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, storetest.SQLite(t), 5)
			if name == "535 AUTH" || name == "454 STARTTLS" {
				o.encrypt()
			}
			readers := 8
			if c.all {
				readers = 4
			}
			o.enrol(readers, firstMidnight())
			o.server.offer(!c.lone)
			o.server.follow(c.plan)
			if c.all {
				o.every(15*time.Minute, 0, 4*time.Hour)
				if conns := o.server.connections(); conns == 0 || conns > 4*16 || len(o.server.kept()) > 0 {
					t.Errorf("%d connections and %d messages in the four bad hours", conns, len(o.server.kept()))
				}
				o.server.follow(noFaults)
				o.every(20*time.Minute, 4*time.Hour, 6*time.Hour)
			} else {
				o.every(5*time.Minute, 0, 40*time.Minute)
				o.every(20*time.Minute, 40*time.Minute, 2*time.Hour)
			}
			if j := o.hold(); j.messages != readers || j.twice+j.failed+j.doubted > 0 || len(o.server.faults()) == 0 {
				t.Errorf("%d messages, %d came twice, %d failed, %d doubted, after the faults %v", j.messages, j.twice,
					j.failed, j.doubted, o.server.faults())
			}
		})
	}
}

// encrypt sets a certificate that the program trusts, and a password.
func (o *office) encrypt() {
	o.t.Helper()
	c := certificate.New(o.t)
	file := filepath.Join(o.Dir, "ca.pem")
	public, _ := c.PEM()
	if err := os.WriteFile(file, public, 0o600); err != nil {
		o.t.Fatal(err)
	}
	o.server.tls = c.Server()
	o.server.password = "secret"
	o.house.Set("SSL_CERT_FILE=" + file)
}

func (o *office) suppressions() map[string]string {
	o.t.Helper()
	var list []struct{ Email, Reason string }
	o.read(o.now, &list, "suppressions")
	all := map[string]string{}
	for _, s := range list {
		all[s.Email] = s.Reason
	}
	return all
}
