package acceptance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// TestMailServersWithWays uses servers that refuse RSET, respond to the dot very late, greylist, or refuse extensions
// that EHLO offers. Every reader gets each edition once.
func TestMailServersWithWays(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	late := 2 * time.Second
	if full() {
		late = 65 * time.Second
	}
	odd := func(m moment) bool { return strings.Contains("13579", strings.TrimPrefix(m.to, "reader")[:1]) }
	some := func(at point, f fault) plan { // for half of the readers, in the first 20 minutes
		return func(m moment) fault {
			if m.at == at && odd(m) && m.now.Before(firstMidnight().Add(20*time.Minute)) {
				return f
			}
			return fault{}
		}
	}
	busy := some(atRCPT, fault{trick: refuse, reply: "450 4.2.1 busy"})
	for name, c := range map[string]struct {
		plan plan
		lone bool
	}{
		"RSET refused": {first(busy, only(atRSET, fault{trick: refuse, reply: "502 5.5.1 no RSET here"})),
			false},
		"RSET refused, one by one": {first(busy, only(atRSET, fault{trick: refuse, reply: "502 5.5.1 no RSET here"})),
			true},
		"RSET drops":      {first(busy, only(atRSET, fault{trick: drop})), false},
		"RSET 421":        {first(busy, only(atRSET, fault{trick: bye})), true},
		"QUIT unanswered": {first(busy, only(atQUIT, fault{trick: drop})), false},
		"250 very late":   {first(busy, some(atDotStored, fault{trick: delay, wait: late})), false},
		"greylisting":     {greylist(5 * time.Minute), false},
		"4xx at the dot":  {some(atDotLost, fault{trick: refuse, reply: "451 4.3.0 not now"}), false},
		"4xx to DATA":     {some(atDATA, fault{trick: refuse, reply: "451 4.3.0 not now"}), false},
		"421 instead of MAIL": {func(m moment) fault {
			if m.at == atMAIL && m.messages == 1 {
				return fault{trick: bye}
			}
			return fault{}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, storetest.SQLite(t), 5)
			o.enrol(8, firstMidnight())
			o.server.offer(!c.lone)
			o.server.follow(c.plan)
			o.every(5*time.Minute, 0, 40*time.Minute)
			o.every(20*time.Minute, 40*time.Minute, 2*time.Hour)
			if j := o.hold(); j.twice != 0 || j.messages != 8 || j.failed+j.doubted > 0 {
				t.Errorf("%d messages, %d came twice, %d failed, %d doubted", j.messages, j.twice, j.failed, j.doubted)
			}
			if len(o.server.faults()) == 0 {
				t.Error("nothing went wrong")
			}
		})
	}
}

// TestMailRouteTrouble checks that errors before RCPT, or about the sender, fail no recipient, for any duration and
// any code. The program retries, but not fast.
func TestMailRouteTrouble(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	for name, p := range map[string]plan{
		"554 banner":   only(atBanner, fault{trick: refuse, reply: "554 5.3.2 no"}),
		"no banner":    only(atBanner, fault{trick: drop}),
		"550 EHLO":     only(atEHLO, fault{trick: refuse, reply: "550 5.5.0 no"}),
		"535 AUTH":     only(atAUTH, fault{trick: refuse, reply: "535 5.7.8 wrong password"}),
		"454 STARTTLS": only(atSTARTTLS, fault{trick: refuse, reply: "454 4.7.0 not now"}),
		"451 MAIL":     only(atMAIL, fault{trick: refuse, reply: "451 4.3.0 not now"}),
		"550 MAIL":     only(atMAIL, fault{trick: refuse, reply: "550 5.7.1 not from you"}),
		"421 RCPT":     only(atRCPT, fault{trick: bye}),
		"5.7.515": only(atRCPT,
			fault{trick: refuse, reply: "550 5.7.515 the sending domain does not meet the required level"}),
		"5.7.26": only(atDotLost, fault{trick: refuse, reply: "550 5.7.26 unauthenticated mail"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, storetest.SQLite(t), 5)
			if strings.HasSuffix(name, "AUTH") {
				o.server.password = "secret"
			}
			if strings.HasSuffix(name, "STARTTLS") {
				o.encrypt()
			}
			o.enrol(4, firstMidnight())
			o.server.follow(p)
			o.every(15*time.Minute, 0, 4*time.Hour)
			conns := o.server.connections()
			o.server.follow(noFaults)
			o.every(20*time.Minute, 4*time.Hour, 6*time.Hour)
			if j := o.hold(); j.messages != 4 || j.twice+j.failed+j.doubted > 0 {
				t.Errorf("%d messages, %d came twice, %d failed, %d doubted", j.messages, j.twice, j.failed, j.doubted)
			}
			if conns == 0 || conns > 4*16 {
				t.Errorf("%d connections in the four bad hours", conns)
			}
		})
	}
}

// encrypt sets a certificate that the program trusts, and a password.
func (o *office) encrypt() {
	o.t.Helper()
	c := certificate.New(o.t)
	file := filepath.Join(o.dir, "ca.pem")
	public, _ := c.PEM()
	if err := os.WriteFile(file, public, 0o600); err != nil {
		o.t.Fatal(err)
	}
	o.server.tls = c.Server()
	o.server.password = "secret"
	o.house.set("SSL_CERT_FILE=" + file)
}

func TestMailEncrypted(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	o := newOffice(t, storetest.SQLite(t), 5)
	o.encrypt()
	o.enrol(12, firstMidnight())
	o.server.follow(newChance(5, 0.15).plan)
	o.day(firstMidnight(), 0, 2*time.Hour)
	o.server.follow(noFaults)
	o.day(firstMidnight(), 2*time.Hour, oneDay)
	if j := o.hold(); j.messages < 10 {
		t.Errorf("%d messages", j.messages)
	}
}

func (o *office) suppressions() map[string]string {
	o.t.Helper()
	var list []struct{ Email, Reason string }
	if err := json.Unmarshal([]byte(o.at(o.now, "--json", "suppressions")), &list); err != nil {
		o.t.Fatalf("suppressions --json: %v", err)
	}
	all := map[string]string{}
	for _, s := range list {
		all[s.Email] = s.Reason
	}
	return all
}

// TestMailRefusedForGood checks that the codes for unknown mailboxes suppress the address, so that no attempt
// follows. Codes for policies fail the message and suppress no address.
func TestMailRefusedForGood(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	hard := []string{"550 no such user", "550 5.1.1 no such user", "550 5.1.2 no such host", "553 5.1.3 bad address",
		"550 5.1.6 moved",
		"556 5.1.10 null MX", "550 5.2.1 disabled", "521 5.3.2 takes no mail"}
	soft := []string{"550 5.7.1 blocked by policy", "554 5.7.1 spam", "550 5.7.606 access denied", "554 5.6.0 content",
		"554 refused", "550 5.7.0 no"}
	later := []string{"552 5.2.2 over quota", "452 4.2.2 full"}
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		o := newOffice(t, database, 5)
		var emails []string
		replies := map[string]string{}
		for _, reply := range append(append(append([]string{""}, hard...), soft...), later...) {
			email := fmt.Sprintf("reader@d%d.example", len(emails)) // each at its own domain
			emails = append(emails, email)
			replies[email] = reply
		}
		o.add(firstMidnight().Add(oneDay), "UTC", emails...)
		o.server.follow(mailbox(replies))
		o.day(firstMidnight(), 0, oneDay)
		o.checkRefused(replies, hard, later)
		for email := range o.suppressions() {
			o.mute[email] = firstMidnight().Add(20 * time.Hour)
		}
		o.server.follow(noFaults)
		o.day(firstMidnight().Add(oneDay), 0, oneDay)
		o.hold()
	})
}

func (o *office) checkRefused(replies map[string]string, hard, later []string) {
	o.t.Helper()
	tried := map[string]int{}
	for _, a := range o.server.tries() {
		tried[a.to]++
	}
	list := o.suppressions()
	for email, reply := range replies {
		if reply == "" {
			continue
		}
		if want := slices.Contains(hard, reply); want != (list[email] != "") {
			o.t.Errorf("%q: suppressed as %q", reply, list[email])
		}
		if many := tried[email] > 1; many != slices.Contains(later, reply) {
			o.t.Errorf("%q: tried %d times in a day", reply, tried[email])
		}
	}
}

// TestMailDomainRefuses checks that a domain that suddenly refuses all mail loses no readers and only a few editions;
// the others wait. Other domains are not affected.
func TestMailDomainRefuses(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		o := newOffice(t, database, 5)
		o.enrol(24, firstMidnight()) // at three domains
		o.server.follow(func(m moment) fault {
			if m.at == atRCPT && strings.HasSuffix(m.to, "@example.net") {
				return fault{trick: refuse, reply: "550 5.7.1 your address is on a list"}
			}
			return fault{}
		})
		o.day(firstMidnight(), 0, 10*time.Minute)
		if n := len(o.server.kept()); n != 16 {
			t.Errorf("%d of 16 readers elsewhere had their mail in ten minutes", n)
		}
		o.day(firstMidnight(), 10*time.Minute, 3*time.Hour)
		if tries := len(o.server.tries()); tries > 16+12 {
			t.Errorf("%d tries in three hours", tries)
		}
		o.server.follow(noFaults)
		o.day(firstMidnight(), 3*time.Hour, oneDay)
		if list := o.suppressions(); len(list) != 0 {
			t.Errorf("suppressed: %v", list)
		}
		if j := o.hold(); j.failed > 5 || j.messages < 19 {
			t.Errorf("%d messages, %d failed", j.messages, j.failed)
		}
	})
}
