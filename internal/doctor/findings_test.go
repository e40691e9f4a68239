package doctor_test

import (
	"errors"
	"io"
	"log"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/internal/doctor"
	"digest/mailer"
)

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// TestAllIsWell checks that all checks of a good instance run and find nothing.
func TestAllIsWell(t *testing.T) {
	for name, f := range wellWorld(t).examine(t) {
		if f.Status != doctor.OK || f.Todo != "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// A finding is the expected finding after one change of a good instance.
type finding struct {
	name   string
	change func(*world) // may be nil
	status doctor.Status
	found  string // a part of it
	todo   string // a part of it; empty: no remedy
}

func tryAll(t *testing.T, check string, findings []finding) {
	for _, tt := range findings {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := wellWorld(t)
			if tt.change != nil {
				tt.change(w)
			}
			f := w.examine(t)[check]
			if f.Status != tt.status || !strings.Contains(f.Found, tt.found) || !strings.Contains(f.Todo, tt.todo) ||
				tt.todo == "" && f.Todo != "" {
				t.Errorf("%s: %s\n found %q\n  todo %q\nwant %s, %q, %q", check, f.Status, f.Found, f.Todo, tt.status,
					tt.found, tt.todo)
			}
		})
	}
}

const (
	ok      = doctor.OK
	warn    = doctor.Warn
	wrong   = doctor.Wrong
	skipped = doctor.Skipped
)

func all(changes ...func(*world)) func(*world) {
	return func(w *world) {
		for _, c := range changes {
			c(w)
		}
	}
}

func absent(w *world) { w.Database.Absent = true }

func mailAt(host string) func(*world) { return func(w *world) { w.Mail.Host = host } }

func mailTo(folder string) func(*world) {
	return func(w *world) { w.Mail = mailer.Place{Folder: folder} }
}

// sick makes the server of a name fail.
func sick(name string) func(*world) { return replace(name, name+" SERVFAIL x") }

func with(lines ...string) func(*world) { return replace("nothing", lines...) }

func replace(prefix string, lines ...string) func(*world) {
	return func(w *world) { w.zone = w.zone.Without(prefix).With(lines...) }
}

const ourSPF = "bounce.example.org TXT v=spf1"

func spfIs(record string, more ...string) func(*world) {
	return replace(ourSPF, append(more, "bounce.example.org TXT "+record)...)
}

func TestSPF(t *testing.T) {
	smarthost := mailAt("smtp.relay.example")
	relay := "smtp.relay.example A 203.0.113.9"
	var many []string
	for i := range 11 {
		many = append(many, "a:h"+string(rune('a'+i))+".example.org")
	}
	var hosts []string
	for i := range 11 {
		hosts = append(hosts, "h"+string(rune('a'+i))+".example.org A 198.51.100.99")
	}
	tryAll(t, "spf", []finding{
		{"none", replace(ourSPF), wrong, "bounce.example.org has no SPF record",
			"publish at bounce.example.org the TXT record: v=spf1 ip4:198.51.100.7 ip6:2001:db8::7 -all"},
		{"no such domain", replace("bounce.example.org"), wrong, "has no SPF record", "TXT record: v=spf1"},
		{"two", with("bounce.example.org TXT v=spf1 mx -all"), wrong, "has 2 SPF records", "merge them into one"},
		{"+all", spfIs("v=spf1 mx +all"), wrong, "allows every server to send", "-all"},
		{"all, in an include", spfIs("v=spf1 include:wide.example -all", "wide.example TXT v=spf1 ip4:0.0.0.0/0 ~all"),
			wrong, "allows every server to send", "-all"},
		{"?all", spfIs("v=spf1 mx ?all", "bounce.example.org A 198.51.100.7"), warn, "does not exclude other servers",
			"-all"},
		{"no all", spfIs("v=spf1 mx"), warn, "does not exclude other servers", "-all"},
		{"no all and not ours", spfIs("v=spf1 ip4:198.51.100.99"), wrong, "does not allow the mail server to send",
			"ip4:198.51.100.7 ip6:2001:db8::7"},
		{"nobody", spfIs("v=spf1 -all"), wrong, "allows no server to send", "ip4:198.51.100.7"},
		{"syntax", spfIs("v=spf1 ipv4:198.51.100.7 -all"), wrong, "is not valid", "correct it"},
		{"bad address", spfIs("v=spf1 ip4:198.51.100 -all"), wrong, "is not valid", "correct it"},
		{"lookups", spfIs("v=spf1 "+strings.Join(many, " ")+" -all", hosts...), wrong, "more than the 10 DNS lookups",
			"remove terms"},
		{"void lookups", spfIs("v=spf1 a:no1.example a:no2.example a:no3.example -all"), wrong, "not in the DNS",
			"remove them"},
		{"include of nothing", spfIs("v=spf1 include:nothing.example -all"), wrong,
			"includes a domain without an SPF record", "correct its name"},
		{"include of two", spfIs("v=spf1 include:two.example -all", "two.example TXT v=spf1 -all",
			"two.example TXT v=spf1 ~all"), wrong, "several SPF records", "remove it"},
		{"~all by redirect", spfIs("v=spf1 redirect=_spf.example.org",
			"_spf.example.org TXT v=spf1 a:mail.example.org ~all"), ok,
			"allows the mail server to send from 198.51.100.7, 2001:db8::7", ""},
		{"upper case", spfIs("V=SPF1 MX -ALL"), ok, "allows the mail server to send", ""},
		{"one address missing", spfIs("v=spf1 ip4:198.51.100.7 -all"), wrong,
			"does not allow the mail server to send from 2001:db8::7", "ip6:2001:db8::7"},
		{"trouble", sick("bounce.example.org"), warn, "could not be looked up", "try again"},
		{"trouble in an include", spfIs("v=spf1 include:sick.example -all", "sick.example SERVFAIL x"), warn,
			"could not be looked up", "try again"},
		{"smarthost that passes", all(smarthost, spfIs("v=spf1 include:relay.example -all", relay,
			"relay.example TXT v=spf1 ip4:203.0.113.0/24 -all")), ok,
			"allows smtp.relay.example; your mail provider may send from other addresses too", ""},
		{"smarthost that does not", all(smarthost, spfIs("v=spf1 mx -all", relay)), warn,
			"may send from other addresses", "instructions of your mail provider"},
		{"smarthost and no record", all(smarthost, replace(ourSPF, relay)), wrong, "no SPF record", "include:NAME"},
		{"server here", mailAt("localhost"), ok, "on this machine", ""},
		{"server here, which is public", func(w *world) {
			w.Mail.Host = "127.0.0.1"
			w.Machine.Addresses = append(w.Machine.Addresses, netip.MustParseAddr("198.51.100.10"))
		}, wrong, "from 198.51.100.10", "ip4:198.51.100.10"},
		{"server in a private network", mailAt("10.9.9.9"), ok, "private network", ""},
		{"server without address", mailAt("gone.example.org"), ok, "no address for the mail server gone.example.org",
			""},
		{"From's domain, without a return path", func(w *world) { w.ReturnPath = "" }, wrong,
			"example.org has no SPF record", "publish at example.org"},
	})
}

func TestDKIM(t *testing.T) {
	record := strings.TrimPrefix(keyRecord(ourKey()), "d2026._domainkey.example.org TXT ")
	public := record[strings.Index(record, "p=")+2:]
	is := func(record string) func(*world) {
		return replace("d2026._domainkey", "d2026._domainkey.example.org TXT "+record)
	}
	keys := func(list ...digest.DKIMKey) func(*world) {
		return func(w *world) { w.Database.Keys = list }
	}
	idle, child, parent := ourKey(), ourKey(), ourKey()
	idle.Active, child.Domain, parent.Domain = false, "news.example.org", "org"
	publish := "publish at d2026._domainkey.example.org the one TXT record: " + record
	tryAll(t, "dkim", []finding{
		{"no key", keys(), warn, "unsigned", "digest dkim new example.org"},
		{"key not in use", keys(idle), wrong, "not in use", "digest dkim use example.org d2026"},
		{"key of another domain", keys(child), wrong, "none for example.org", "digest dkim new example.org"},
		{"key of a whole top level", keys(parent), wrong, "unsigned", "example.org"},
		{"broken key", keys(digest.DKIMKey{Domain: "example.org", Selector: "x", Active: true,
			PrivateKey: []byte("no")}), wrong, "cannot be read", "digest dkim new example.org"},
		{"not published", replace("d2026._domainkey"), wrong, "no record at d2026._domainkey.example.org", publish},
		{"two records", with("d2026._domainkey.example.org TXT v=DKIM1; p="), wrong, "2 records", publish},
		{"another key", is(strings.TrimPrefix(keyRecord(otherKey()), "d2026._domainkey.example.org TXT ")), wrong,
			"a different key", publish},
		{"half a key", is(record[:255]), wrong, "only part of our key", publish},
		{"revoked", is("v=DKIM1; k=rsa; p="), wrong, "revokes the key", publish},
		{"no key in it", is("v=DKIM1; k=rsa"), wrong, "isn’t valid", publish},
		{"escaped", is(`v=DKIM1\; k=rsa\; p=` + public), wrong, "isn’t valid", publish},
		{"version not first", is("k=rsa; v=DKIM1; p=" + public), wrong, "isn’t valid", publish},
		{"another kind", is("v=DKIM1; k=ed25519; p=" + public), wrong, "a different type of key", publish},
		{"SHA-1 alone", is("v=DKIM1; h=sha1; p=" + public), wrong, "doesn’t allow SHA-256", publish},
		{"not for mail", is("v=DKIM1; s=tlsrpt; p=" + public), wrong, "not for email", publish},
		{"tried out", is("v=DKIM1; t=s:y; p=" + public), warn, "test mode", "remove t=y"},
		{"the same key, written otherwise", is("p=" + public[:100] + " \t" + public[100:] +
			" ; n=hello; h=sha1:sha256; s=*"), ok, "published", ""},
		{"trouble", sick("d2026._domainkey.example.org"), warn, "could not be looked up", "try again"},
		{"of the parent", func(w *world) {
			w.From = "digest@news.example.org"
			w.zone = w.zone.With("news.example.org A 198.51.100.7")
		}, ok, "d2026._domainkey.example.org", ""},
		{"too long for UDP", func(w *world) {
			w.zone = w.zone.Without("d2026._domainkey").With("d2026._domainkey.example.org TXT v=DKIM1; n=" +
				strings.Repeat("x", 3000) + "; p=" + public)
		}, ok, "published", ""},
	})
}

func TestMailServer(t *testing.T) {
	tryAll(t, "mail-server", []finding{
		{"login", nil, ok, "mail.example.org:587, which accepts the login", ""},
		{"no login", func(w *world) { w.Mail.Login = false }, ok, "which needs no login", ""},
		{"Maildir", mailTo(t.TempDir()), warn, "get no emails", "set DIGEST_MAIL to a mail server"},
		{"Maildir at home", func(w *world) {
			w.Mail, w.BaseURL = mailer.Place{Folder: t.TempDir()},
				"http://192.168.1.2:8080"
		}, ok, "which is writable", ""},
		{"refused", func(w *world) {
			w.Probe = failing(&digest.Error{Message: "mail server mail.example.org:587: it responds: 535 no; " +
				"correct the password"})
		}, wrong, "it responds: 535 no", "correct the password"},
		{"another error", func(w *world) { w.Probe = failing(errors.New("odd")) }, wrong, "odd", ""},
	})
}

// TestSkipped checks which checks are skipped without a mail server and without a database.
func TestSkipped(t *testing.T) {
	for why, tt := range map[string]struct {
		change func(*world)
		checks string
	}{
		"a folder on this machine": {mailTo(t.TempDir()), "account bimi complaints dkim dmarc newsletters ptr spf"},
		"needs the database":       {absent, "complaints dkim hour newsletters sign-up size"},
	} {
		w := wellWorld(t)
		tt.change(w)
		var names []string
		for name, f := range w.examine(t) {
			if f.Status == skipped {
				names = append(names, name)
				if !strings.Contains(f.Found, why) || f.Todo != "" {
					t.Errorf("%+v", f)
				}
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != tt.checks {
			t.Errorf("%s: skipped: %s, want %s", why, got, tt.checks)
		}
	}
}

// TestLimits checks that a check that does not end does not delay the others.
func TestLimits(t *testing.T) {
	w := wellWorld(t)
	w.Limit = 50 * time.Millisecond
	release := make(chan struct{})
	defer close(release)
	w.Machine.Space = func(string) (doctor.Space, bool) { <-release; return doctor.Space{}, false }
	// It returns while the check still runs.
	if f := w.examine(t)["disk"]; f.Status != doctor.Warn || !strings.Contains(f.Found, "no answer within 50ms") {
		t.Errorf("%+v", f)
	}
}
