package doctor_test

import (
	"errors"
	"io"
	"log"
	"net/netip"
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
	change func(*world)
	check  string
	status doctor.Status
	found  string // a part of it
	todo   string // a part of it; empty: no remedy
}

func (tt finding) try(t *testing.T) {
	t.Run(tt.name, func(t *testing.T) {
		t.Parallel()
		w := wellWorld(t)
		tt.change(w)
		f := w.examine(t)[tt.check]
		if f.Status != tt.status || !strings.Contains(f.Found, tt.found) || !strings.Contains(f.Todo, tt.todo) ||
			tt.todo == "" && f.Todo != "" {
			t.Errorf("%s: %s\n found %q\n  todo %q\nwant %s, %q, %q", tt.check, f.Status, f.Found, f.Todo, tt.status,
				tt.found, tt.todo)
		}
	})
}

func replace(prefix string, lines ...string) func(*world) {
	return func(w *world) { w.zone = w.zone.without(prefix).with(lines...) }
}

const ourSPF = "bounce.example.org TXT v=spf1"

func spfIs(record string, more ...string) func(*world) {
	return replace(ourSPF, append(more, "bounce.example.org TXT "+record)...)
}

func TestSPF(t *testing.T) {
	smarthost := func(w *world) { w.Mail.Host = "smtp.relay.example" }
	both := func(changes ...func(*world)) func(*world) {
		return func(w *world) {
			for _, c := range changes {
				c(w)
			}
		}
	}
	relay := "smtp.relay.example A 203.0.113.9"
	var many []string
	for i := range 11 {
		many = append(many, "a:h"+string(rune('a'+i))+".example.org")
	}
	var hosts []string
	for i := range 11 {
		hosts = append(hosts, "h"+string(rune('a'+i))+".example.org A 198.51.100.99")
	}
	for _, tt := range []finding{
		{"none", replace(ourSPF), "spf", doctor.Wrong, "bounce.example.org has no SPF record",
			"publish at bounce.example.org the TXT record: v=spf1 ip4:198.51.100.7 ip6:2001:db8::7 -all"},
		{"no such domain", replace("bounce.example.org"), "spf", doctor.Wrong, "has no SPF record",
			"TXT record: v=spf1"},
		{"two", func(w *world) { w.zone = w.zone.with("bounce.example.org TXT v=spf1 mx -all") }, "spf", doctor.Wrong,
			"has 2 SPF records", "merge them into one"},
		{"+all", spfIs("v=spf1 mx +all"), "spf", doctor.Wrong, "allows every server to send", "-all"},
		{"all, in an include", spfIs("v=spf1 include:wide.example -all", "wide.example TXT v=spf1 ip4:0.0.0.0/0 ~all"),
			"spf", doctor.Wrong, "allows every server to send", "-all"},
		{"?all", spfIs("v=spf1 mx ?all", "bounce.example.org A 198.51.100.7"), "spf", doctor.Warn,
			"does not exclude other servers", "-all"},
		{"no all", spfIs("v=spf1 mx"), "spf", doctor.Warn, "does not exclude other servers", "-all"},
		{"no all and not ours", spfIs("v=spf1 ip4:198.51.100.99"), "spf", doctor.Wrong,
			"does not allow the mail server to send", "ip4:198.51.100.7 ip6:2001:db8::7"},
		{"nobody", spfIs("v=spf1 -all"), "spf", doctor.Wrong, "allows no server to send", "ip4:198.51.100.7"},
		{"syntax", spfIs("v=spf1 ipv4:198.51.100.7 -all"), "spf", doctor.Wrong, "is not valid", "correct it"},
		{"bad address", spfIs("v=spf1 ip4:198.51.100 -all"), "spf", doctor.Wrong, "is not valid", "correct it"},
		{"lookups", spfIs("v=spf1 "+strings.Join(many, " ")+" -all", hosts...), "spf", doctor.Wrong,
			"more than the 10 DNS lookups", "remove terms"},
		{"void lookups", spfIs("v=spf1 a:no1.example a:no2.example a:no3.example -all"), "spf", doctor.Wrong,
			"not in the DNS", "remove them"},
		{"include of nothing", spfIs("v=spf1 include:nothing.example -all"), "spf", doctor.Wrong,
			"includes a domain without an SPF record", "correct its name"},
		{"include of two", spfIs("v=spf1 include:two.example -all", "two.example TXT v=spf1 -all",
			"two.example TXT v=spf1 ~all"), "spf", doctor.Wrong, "several SPF records", "remove it"},
		{"~all by redirect", spfIs("v=spf1 redirect=_spf.example.org",
			"_spf.example.org TXT v=spf1 a:mail.example.org ~all"), "spf", doctor.OK,
			"allows the mail server to send from 198.51.100.7, 2001:db8::7", ""},
		{"upper case", spfIs("V=SPF1 MX -ALL"), "spf", doctor.OK, "allows the mail server to send", ""},
		{"one address missing", spfIs("v=spf1 ip4:198.51.100.7 -all"), "spf", doctor.Wrong,
			"does not allow the mail server to send from 2001:db8::7", "ip6:2001:db8::7"},
		{"trouble", replace("bounce.example.org", "bounce.example.org SERVFAIL x"), "spf", doctor.Warn,
			"could not be looked up", "try again"},
		{"trouble in an include", spfIs("v=spf1 include:sick.example -all", "sick.example SERVFAIL x"), "spf",
			doctor.Warn, "could not be looked up", "try again"},
		{"smarthost that passes",
			both(smarthost, spfIs("v=spf1 include:relay.example -all", relay,
				"relay.example TXT v=spf1 ip4:203.0.113.0/24 -all")), "spf", doctor.OK,
			"allows smtp.relay.example; your mail provider may send from other addresses too", ""},
		{"smarthost that does not", both(smarthost, spfIs("v=spf1 mx -all", relay)), "spf", doctor.Warn,
			"may send from other addresses", "instructions of your mail provider"},
		{"smarthost and no record", both(smarthost, replace(ourSPF, relay)), "spf", doctor.Wrong, "no SPF record",
			"include:NAME"},
		{"server here", func(w *world) { w.Mail.Host = "localhost" }, "spf", doctor.OK, "on this machine", ""},
		{"server here, which is public", func(w *world) {
			w.Mail.Host = "127.0.0.1"
			w.Machine.Addresses = append(w.Machine.Addresses, netip.MustParseAddr("198.51.100.10"))
		}, "spf", doctor.Wrong, "from 198.51.100.10", "ip4:198.51.100.10"},
		{"server in a private network", func(w *world) { w.Mail.Host = "10.9.9.9" }, "spf", doctor.OK,
			"private network", ""},
		{"server without address", func(w *world) { w.Mail.Host = "gone.example.org" }, "spf", doctor.OK,
			"no address for the mail server gone.example.org", ""},
		{"From's domain, without a return path", func(w *world) { w.ReturnPath = "" }, "spf", doctor.Wrong,
			"example.org has no SPF record", "publish at example.org"},
		{"Maildir", func(w *world) { w.Mail = mailer.Place{Folder: t.TempDir()} }, "spf", doctor.Skipped,
			"a folder on this machine", ""},
	} {
		tt.try(t)
	}
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
	for _, tt := range []finding{
		{"no key", keys(), "dkim", doctor.Warn, "unsigned", "digest dkim new example.org"},
		{"key not in use", keys(idle), "dkim", doctor.Wrong, "not in use", "digest dkim use example.org d2026"},
		{"key of another domain", keys(child), "dkim", doctor.Wrong, "none for example.org",
			"digest dkim new example.org"},
		{"key of a whole top level", keys(parent), "dkim", doctor.Wrong, "unsigned", "example.org"},
		{"broken key", keys(digest.DKIMKey{Domain: "example.org", Selector: "x", Active: true,
			PrivateKey: []byte("no")}), "dkim", doctor.Wrong, "cannot be read", "digest dkim new example.org"},
		{"not published", replace("d2026._domainkey"), "dkim", doctor.Wrong,
			"no record at d2026._domainkey.example.org", publish},
		{"two records", func(w *world) { w.zone = w.zone.with("d2026._domainkey.example.org TXT v=DKIM1; p=") }, "dkim",
			doctor.Wrong, "2 records", publish},
		{"another key", is(strings.TrimPrefix(keyRecord(otherKey()), "d2026._domainkey.example.org TXT ")), "dkim",
			doctor.Wrong, "a different key", publish},
		{"half a key", is(record[:255]), "dkim", doctor.Wrong, "only part of our key", publish},
		{"revoked", is("v=DKIM1; k=rsa; p="), "dkim", doctor.Wrong, "revokes the key", publish},
		{"no key in it", is("v=DKIM1; k=rsa"), "dkim", doctor.Wrong, "isn’t valid", publish},
		{"escaped", is(`v=DKIM1\; k=rsa\; p=` + public), "dkim", doctor.Wrong, "isn’t valid", publish},
		{"version not first", is("k=rsa; v=DKIM1; p=" + public), "dkim", doctor.Wrong, "isn’t valid", publish},
		{"another kind", is("v=DKIM1; k=ed25519; p=" + public), "dkim", doctor.Wrong, "a different type of key",
			publish},
		{"SHA-1 alone", is("v=DKIM1; h=sha1; p=" + public), "dkim", doctor.Wrong, "doesn’t allow SHA-256", publish},
		{"not for mail", is("v=DKIM1; s=tlsrpt; p=" + public), "dkim", doctor.Wrong, "not for email", publish},
		{"tried out", is("v=DKIM1; t=s:y; p=" + public), "dkim", doctor.Warn, "test mode", "remove t=y"},
		{"the same key, written otherwise", is("p=" + public[:100] + " \t" + public[100:] +
			" ; n=hello; h=sha1:sha256; s=*"), "dkim", doctor.OK, "published", ""},
		{"trouble", replace("d2026._domainkey", "d2026._domainkey.example.org SERVFAIL x"), "dkim", doctor.Warn,
			"could not be looked up", "try again"},
		{"of the parent", func(w *world) {
			w.From = "digest@news.example.org"
			w.zone = w.zone.with("news.example.org A 198.51.100.7")
		}, "dkim", doctor.OK, "d2026._domainkey.example.org", ""},
		{"too long for UDP", func(w *world) {
			w.zone = w.zone.without("d2026._domainkey").with("d2026._domainkey.example.org TXT v=DKIM1; n=" +
				strings.Repeat("x", 3000) + "; p=" + public)
		}, "dkim", doctor.OK, "published", ""},
		{"database not read", func(w *world) { w.Database.Absent = true }, "dkim", doctor.Skipped, "needs the database",
			""},
		{"Maildir", func(w *world) { w.Mail = mailer.Place{Folder: t.TempDir()} }, "dkim", doctor.Skipped,
			"a folder on this machine", ""},
	} {
		tt.try(t)
	}
}

func TestMailServer(t *testing.T) {
	for _, tt := range []finding{
		{"login", func(w *world) {}, "mail-server", doctor.OK, "mail.example.org:587, which accepts the login", ""},
		{"no login", func(w *world) { w.Mail.Login = false }, "mail-server", doctor.OK, "which needs no login", ""},
		{"Maildir", func(w *world) { w.Mail = mailer.Place{Folder: t.TempDir()} }, "mail-server", doctor.Warn,
			"get no emails", "set DIGEST_MAIL to a mail server"},
		{"Maildir at home", func(w *world) {
			w.Mail, w.BaseURL = mailer.Place{Folder: t.TempDir()},
				"http://192.168.1.2:8080"
		}, "mail-server", doctor.OK, "which is writable", ""},
		{"refused", func(w *world) {
			w.Probe = failing(&digest.Error{Message: "mail server mail.example.org:587: it responds: 535 no; correct the password"})
		}, "mail-server", doctor.Wrong, "it responds: 535 no", "correct the password"},
		{"another error", func(w *world) { w.Probe = failing(errors.New("odd")) }, "mail-server", doctor.Wrong, "odd",
			""},
	} {
		tt.try(t)
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
