package doctor_test

import (
	"strings"
	"testing"

	"digest/internal/dmarc"
	"digest/newsletter"
)

const toUs = "rua=mailto:bounces+dmarc@bounce.example.org"

func unsigned(w *world) { w.Database.Keys = nil }

func from(address string) func(*world) { return func(w *world) { w.From = address } }

func returnPath(address string) func(*world) { return func(w *world) { w.ReturnPath = address } }

func policy(record string) func(*world) {
	return replace("_dmarc.example.org", "_dmarc.example.org TXT "+record)
}

func TestDMARCRecord(t *testing.T) {
	is := func(record string) func(*world) { return policy("v=DMARC1; " + record) }
	at := func(name, record string) func(*world) {
		return with("_dmarc." + name + " TXT v=DMARC1; " + record)
	}
	exists := with("news.example.org A 198.51.100.7")
	below := from("digest@news.example.org")
	tryAll(t, "dmarc", []finding{
		{"well", nil, ok,
			"the policy for email from example.org that fails DMARC is reject (record at _dmarc.example.org); " +
				"SPF and DKIM both align with example.org", ""},
		{"none", replace("_dmarc.example.org"), wrong, "example.org has no DMARC record",
			"publish at _dmarc.example.org the one TXT record: v=DMARC1; p=none; " + toUs},
		{"none, no return path", all(replace("_dmarc.example.org"), returnPath("")), wrong,
			"example.org has no DMARC record", "rua=mailto:postmaster@example.org"},
		{"none but the registry's", all(replace("_dmarc.example.org"), at("org", "p=reject; psd=y")), wrong,
			"example.org has no DMARC record", "publish at _dmarc.example.org"},
		{"not one", policy("v=DMARC2; p=none"), wrong, "no DMARC record", "v=DMARC1"},
		{"two", at("example.org", "p=none"), wrong, "2 DMARC records", "keep one of them"},
		{"two above", all(below, at("example.org", "p=none")), wrong, "_dmarc.example.org has 2 DMARC records",
			"keep one of them"},
		{"no policy", is("sp=none"), wrong, "is not valid", "an example: v=DMARC1; p=none"},
		{"no policy, reports", is(toUs), warn, "is none (record", "set the policy to quarantine"},
		{"wrong policy, reports", is("p=non; " + toUs), warn, "is none (record", "set the policy to quarantine"},
		{"twice the same tag", is("p=none; p=reject; " + toUs), wrong, "is not valid", "v=DMARC1"},
		{"p=none", is("p=none; " + toUs), warn, "receivers deliver email that others forge",
			"set the policy to quarantine, and later to reject, in the record at _dmarc.example.org"},
		{"tested", is("p=reject; t=y; " + toUs), warn, "is quarantine (record at _dmarc.example.org); t=y means",
			"remove t=y"},
		{"removed tags", is("p=reject; pct=50; rf=afrf; ri=3600; " + toUs), warn,
			"pct, rf, ri no longer has any effect", "remove pct, rf, ri from the record"},
		{"pct=0", is("p=reject; pct=0; " + toUs), warn, "is reject (record", "replace pct=0 with t=y"},
		{"nobody is told", is("p=reject"), warn, "no address receives reports", "add " + toUs +
			" to the record at _dmarc.example.org"},
		{"others are told", is("p=reject; rua=mailto:a@example.net"), ok,
			"reports go to a@example.net; only reports to bounces+dmarc@bounce.example.org are shown", ""},
		{"sp weaker", is("p=reject; sp=none; " + toUs), warn,
			"sp=none protects subdomains less than p=reject protects example.org", "remove sp from the record"},
		{"np weaker", is("p=reject; np=quarantine; " + toUs), warn, "np=quarantine protects subdomains less",
			"remove np from the record"},
		{"sp stronger", is("p=quarantine; sp=reject; " + toUs), ok, "is quarantine", ""},
		{"of the organization", all(below, exists, is("p=quarantine; sp=reject; np=reject; "+toUs)), ok,
			"from news.example.org that fails DMARC is reject (record at _dmarc.example.org)", ""},
		{"np where there is no such name", all(below, is("p=quarantine; np=reject; "+toUs)), ok,
			"is reject (record at _dmarc.example.org)", ""},
		{"np where there is one", all(below, exists, is("p=quarantine; np=reject; "+toUs)), ok,
			"is quarantine (record at _dmarc.example.org)", ""},
		{"its own", all(below, exists, at("news.example.org", "p=reject; sp=none; "+toUs)), ok,
			"is reject (record at _dmarc.news.example.org)", ""},
		{"reports to another organization", all(returnPath("b@relay.example"),
			is("p=reject; aspf=r; rua=mailto:b+dmarc@relay.example")), warn,
			"receivers do not send reports about example.org to relay.example",
			"publish at example.org._report._dmarc.relay.example the TXT record: v=DMARC1"},
		{"trouble", sick("_dmarc.example.org"), warn, "_dmarc.example.org could not be looked up", "try again"},
		{"trouble above", all(replace("_dmarc"), with("_dmarc.org SERVFAIL x")), warn,
			"_dmarc.org could not be looked up", "try again"},
	})
	w := wellWorld(t)
	all(returnPath("b@relay.example"), is("p=reject; rua=mailto:b+dmarc@relay.example"))(w)
	w.zone = w.zone.With("example.org._report._dmarc.relay.example TXT v=DMARC1;")
	if f := w.examine(t)["dmarc"]; strings.Contains(f.Found, "do not send reports") {
		t.Errorf("it says that it wants them: %+v", f)
	}
}

func TestAlignment(t *testing.T) {
	is := func(tags string) func(*world) { return policy("v=DMARC1; p=reject; " + toUs + tags) }
	elsewhere, below := returnPath("bounces@relay.example"), from("digest@news.example.org")
	unread := all(unsigned, absent)
	parted := func(w *world) { // the public suffix list would connect the two domains
		w.zone = w.zone.Without("_dmarc.example.org").With("_dmarc.news.example.org TXT v=DMARC1; p=reject; " + toUs)
	}
	tryAll(t, "dmarc", []finding{
		{"both", below, ok, "SPF and DKIM both align with news.example.org", ""},
		{"no return path", all(returnPath("")), ok, "SPF and DKIM both align", ""},
		{"DKIM alone", elsewhere, warn,
			"SPF does not align with example.org, because the return path is at relay.example: " +
				"DMARC depends on DKIM alone, which fails if a message is changed",
			"set DIGEST_RETURN_PATH to an address at example.org or a subdomain"},
		{"SPF alone", unsigned, warn, "this instance has no DKIM key for example.org: " +
			"DMARC depends on SPF alone, which fails if a message is forwarded", "run: digest dkim new example.org"},
		{"neither", all(elsewhere, unsigned), wrong, "email fails DMARC",
			"DIGEST_RETURN_PATH to an address at example.org or a subdomain\nrun: digest dkim new example.org"},
		{"strict SPF", is("; aspf=s"), warn, "SPF does not align with example.org",
			"remove aspf=s from the DMARC record"},
		{"strict DKIM", all(below, is("; adkim=s")), warn,
			"DKIM does not align with news.example.org, because the key is for example.org: " +
				"DMARC depends on SPF alone", "digest dkim new news.example.org, or remove adkim=s"},
		{"strict, both", all(below, is("; adkim=s; aspf=s")), wrong,
			"because the return path is at bounce.example.org, and DKIM does not align with news.example.org",
			"adkim=s"},
		{"records part them", all(below, parted), wrong,
			"SPF does not align with news.example.org, because the return path is at bounce.example.org",
			"DIGEST_RETURN_PATH to an address at news.example.org"},
		{"database not read", unread, ok, "SPF aligns with example.org; DKIM was not checked", ""},
		{"return path elsewhere, database not read", all(unread, elsewhere), warn, "DKIM was not checked",
			"DIGEST_RETURN_PATH"},
	})
}

func TestReportedFailures(t *testing.T) {
	reported := func(messages, failed int64, sources ...string) func(*world) {
		return func(w *world) {
			w.Database.Reported = dmarc.Summary{Totals: []dmarc.Total{{Domain: "example.org", Messages: messages,
				Failed: failed}, {Domain: "shop.example.org", Messages: 9, Failed: 9}},
				Failing: []dmarc.Source{{Row: dmarc.Row{Source: "192.0.2.1", From: "shop.example.org", Count: 9}}}}
			for _, s := range sources {
				w.Database.Reported.Failing = append(w.Database.Reported.Failing,
					dmarc.Source{Row: dmarc.Row{Source: s, From: "example.org", Count: 1}})
			}
		}
	}
	tryAll(t, "dmarc", []finding{
		{"some", reported(40, 2, "203.0.113.9"), ok,
			"receivers report that in the last 7 days 2 of 40 messages from example.org failed DMARC: 203.0.113.9", ""},
		{"none", reported(40, 0), ok, "0 of 40 messages from example.org failed DMARC", ""},
		{"most", reported(40, 21, "203.0.113.9"), warn, "21 of 40", "see /operator/dmarc"},
		{"ours", reported(40, 1, "203.0.113.9", "203.0.113.10", "203.0.113.11", "2001:db8::7"), warn,
			"failed DMARC: 203.0.113.9, 203.0.113.10, 203.0.113.11", "correct SPF and DKIM"},
	})
	w := wellWorld(t)
	w.Database.Reported = dmarc.Summary{}
	if f := w.examine(t)["dmarc"]; strings.Contains(f.Found, "report") {
		t.Errorf("without reports: %+v", f)
	}
}

func TestNewsletterDomains(t *testing.T) {
	newsletters := func(signs bool, domains ...string) func(*world) {
		return func(w *world) {
			w.Database.Newsletters = nil
			for _, d := range domains {
				w.Database.Newsletters = append(w.Database.Newsletters,
					newsletter.Domain{FromAddress: "letters@" + d, Signs: signs})
			}
		}
	}
	anna := func(record string) func(*world) {
		return func(w *world) {
			newsletters(true, "anna.example")(w)
			if record != "" {
				w.zone = w.zone.With("_dmarc.anna.example TXT v=DMARC1; "+record,
					"anna.example._report._dmarc.bounce.example.org TXT v=DMARC1")
			}
		}
	}
	var many []string
	for _, letter := range "abcdefghijklmnopqrstuv" {
		many = append(many, string(letter)+".example.org")
	}
	tryAll(t, "newsletters", []finding{
		{"none", newsletters(true), ok, "no newsletter has its own domain", ""},
		{"not seen", newsletters(false, "anna.example"), ok, "no newsletter has its own domain", ""},
		{"both", newsletters(true, "anna.example.org", "anna.example.org"), ok,
			"SPF and DKIM both align with anna.example.org", ""},
		{"DKIM alone", anna("p=reject; adkim=s; " + toUs), warn,
			"SPF does not align with anna.example, because the return path is at bounce.example.org: " +
				"DMARC depends on DKIM alone", "at the domain of DIGEST_RETURN_PATH"},
		{"no record", anna(""), warn, "anna.example has no DMARC record",
			"publish at _dmarc.anna.example the one TXT record: v=DMARC1; p=none; " + toUs},
		{"many", newsletters(true, many...), ok, "2 more domains not checked", ""},
		{"trouble", all(newsletters(true, "anna.example"), with("_dmarc.anna.example SERVFAIL x")), warn,
			"_dmarc.anna.example could not be looked up", "try again"},
	})
}

func TestBIMI(t *testing.T) {
	logo := func(name, record string) func(*world) {
		return with("default._bimi." + name + " TXT " + record)
	}
	const good = "v=BIMI1; l=https://example.org/logo.svg; a=https://example.org/vmc.pem"
	tryAll(t, "bimi", []finding{
		{"none", nil, ok, "default._bimi.example.org the TXT record: v=BIMI1", ""},
		{"none, and no policy", policy("v=DMARC1; p=none"), skipped, "if DMARC is enforced", ""},
		{"well", logo("example.org", good), ok, "default._bimi.example.org has a logo", ""},
		{"of the organization", all(from("digest@news.example.org"), logo("example.org", good)), ok,
			"default._bimi.example.org has a logo", ""},
		{"declined", logo("example.org", "v=BIMI1; l=; a=;"), ok, "has a logo", ""},
		{"http", logo("example.org", "v=BIMI1; l=http://example.org/logo.svg"), warn,
			"l=http://example.org/logo.svg is not an https address", "begin with https://"},
		{"certificate by http", logo("example.org", "v=BIMI1; l=https://example.org/logo.svg; a=http://example.org/a"),
			warn, "a=http://example.org/a is not an https", "correct a in the record"},
		{"broken", logo("example.org", "v=BIMI1; l"), warn, "is not valid", "correct it"},
		{"another version", logo("example.org", "v=BIMI2; l=http://x"), ok, "no logo is published", ""},
		{"p=none", all(logo("example.org", good), policy("v=DMARC1; p=none")), warn,
			"no provider shows it, because _dmarc.example.org does not have the policy quarantine or reject",
			"quarantine or reject"},
		{"tested", all(logo("example.org", good), policy("v=DMARC1; p=reject; t=y")), warn,
			"_dmarc.example.org has t=y", "remove t=y"},
		{"sp=none", all(logo("example.org", good), policy("v=DMARC1; p=reject; sp=none")), warn,
			"does not have the policy quarantine or reject", "sp=none"},
		{"organization unenforced", all(from("digest@news.example.org"), logo("news.example.org", good),
			func(w *world) {
				w.zone = w.zone.Without("_dmarc").With("_dmarc.news.example.org TXT v=DMARC1; p=reject",
					"_dmarc.example.org TXT v=DMARC1; p=none")
			}), warn, "_dmarc.example.org does not have", "quarantine or reject"},
		{"no DMARC", all(logo("example.org", good), replace("_dmarc")), warn, "has no DMARC policy",
			"quarantine or reject"},
		{"trouble", with("default._bimi.example.org SERVFAIL x"), warn,
			"default._bimi.example.org could not be looked up", "try again"},
	})
}
