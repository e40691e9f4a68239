package bounce

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/newsletter"
)

// aggregate returns a DMARC report about a domain on the day of the editions. One of its two sources fails.
func aggregate(id, domain string, begin time.Time) string {
	row := func(source, result string, n int) string {
		return fmt.Sprintf(`<record><row><source_ip>%s</source_ip><count>%d</count>
<policy_evaluated><disposition>none</disposition><dkim>%[3]s</dkim><spf>%[3]s</spf></policy_evaluated></row>
<identifiers><header_from>%[4]s</header_from></identifiers>
<auth_results><spf><domain>%[4]s</domain><result>%[3]s</result></spf></auth_results></record>`,
			source, n, result, domain)
	}
	return fmt.Sprintf(`<?xml version="1.0"?><feedback>
<report_metadata><org_name>receiver.example</org_name><report_id>%s</report_id>
<date_range><begin>%d</begin><end>%d</end></date_range></report_metadata>
<policy_published><domain>%s</domain><p>none</p></policy_published>%s%s</feedback>`,
		id, begin.Unix(), begin.Add(24*time.Hour).Unix(), domain,
		row("198.51.100.7", "pass", 40), row("203.0.113.9", "fail", 2))
}

func reportMail(kind, report string) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte(report))
	w.Close()
	encoded := base64.StdEncoding.EncodeToString(packed.Bytes())
	for i := 76; i < len(encoded); i += 78 {
		encoded = encoded[:i] + "\r\n" + encoded[i:]
	}
	attachment := "Content-Type: " + kind + "\r\nContent-Transfer-Encoding: base64\r\n" +
		"Content-Disposition: attachment; filename=\"receiver.example!digest.example!1!2.xml.gz\"\r\n\r\n" + encoded +
		"\r\n"
	head := "From: noreply@receiver.example\r\nTo: bounces+dmarc@digest.example\r\n" +
		"Subject: Report Domain: digest.example Submitter: receiver.example Report-ID: <1>\r\nMIME-Version: 1.0\r\n"
	if kind == "application/gzip" {
		return []byte(head + attachment)
	}
	return []byte(head + "Content-Type: multipart/mixed; boundary=b\r\n\r\n" +
		"--b\r\nContent-Type: text/plain\r\n\r\nA report.\r\n--b\r\n" + attachment + "--b--\r\n")
}

func (w *world) totals() string {
	w.t.Helper()
	sum, err := w.store.Editions.DMARCSummary(w.t.Context(), digest.DateOf(sealed).Plus(-30), 10)
	w.ok(err)
	return fmt.Sprint(sum.Totals)
}

// TestAggregateReports checks that reports about domains of this instance are stored once each, and that all others are
// dropped.
func TestAggregateReports(t *testing.T) {
	each(t, 1, func(t *testing.T, w *world) {
		at := sealed.Truncate(24 * time.Hour)
		newsletters(t, w)
		const ours, plain = "bounces+dmarc@digest.example", "bounces@digest.example"
		for i, tt := range []struct {
			what, to, message string
			did               Action
			sum               string // of all stored reports
		}{
			{"about From's domain", ours, aggregate("1", "news.digest.example", at), Recorded,
				"[{news.digest.example 42 2}]"},
			{"the same again", ours, aggregate("1", "news.digest.example", at), Ignored,
				"[{news.digest.example 42 2}]"},
			{"about the organization", ours, aggregate("1", "digest.example", at), Recorded,
				"[{digest.example 42 2} {news.digest.example 42 2}]"},
			{"to the return path itself", plain, aggregate("2", "news.digest.example", at), Recorded,
				"[{digest.example 42 2} {news.digest.example 84 4}]"},
			{"about a newsletter's domain", ours, aggregate("1", "anna.example", at), Recorded,
				"[{anna.example 42 2} {digest.example 42 2} {news.digest.example 84 4}]"},
			{"about one that a newsletter only claims", ours, aggregate("1", "bob.example", at), Ignored, ""},
			{"about somebody else", ours, aggregate("1", "example.net", at), Ignored, ""},
			{"about a domain below ours", ours, aggregate("1", "x.news.digest.example", at), Ignored, ""},
			{"about long ago", ours, aggregate("3", "digest.example", at.AddDate(0, 0, -20)), Ignored, ""},
			{"about what is to come", ours, aggregate("3", "digest.example", at.AddDate(0, 0, 3)), Ignored, ""},
			{"no report", ours, "<feedback>", Ignored, ""},
		} {
			kind := []string{"application/gzip", "application/x-gzip", "application/octet-stream"}[i%3]
			o := w.take(stranger, tt.to, reportMail(kind, tt.message))
			if o.Did != tt.did || strings.Contains(o.Text, "\n") || o.Token != (tt.to == ours) {
				t.Errorf("%s: %+v", tt.what, o)
			}
			if got := w.totals(); tt.sum != "" && got != tt.sum {
				t.Errorf("%s: stored %s", tt.what, got)
			}
		}
		if o := w.take(stranger, ours, []byte("Subject: hello\n\nIs anybody there?\n")); o.Did != Ignored || o.Token {
			t.Errorf("a person's message: %+v", o)
		}
		if got := w.totals(); got != "[{anna.example 42 2} {digest.example 42 2} {news.digest.example 84 4}]" {
			t.Errorf("at last %s", got)
		}
		w.untouched()
	})
}

func newsletters(t *testing.T, w *world) {
	t.Helper()
	owner, err := w.store.Readers.UserByEmail(t.Context(), w.readers[0].email)
	w.ok(err)
	for slug, seen := range map[string]time.Time{"anna": sealed, "bob": {}} {
		n, err := w.store.Newsletters.AddNewsletter(t.Context(),
			digest.Newsletter{Slug: slug, Name: slug, State: digest.NewsletterActive, Cadence: digest.Daily,
				AddressLine: "1 Street",
				Look:        digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages}}, owner.ID, sealed)
		w.ok(err)
		w.ok(w.store.Newsletters.SetNewsletterDomain(t.Context(),
			newsletter.Domain{NewsletterID: n.ID, FromAddress: "letters@" + slug + ".example", Selector: slug,
				CreatedAt: sealed, SeenAt: seen}))
	}
}

// TestAggregateTransports checks that reports arrive in every way that bounces do.
func TestAggregateTransports(t *testing.T) {
	each(t, 1, func(t *testing.T, w *world) {
		mail := func(id string) []byte {
			return reportMail("application/octet-stream",
				aggregate(id, "news.digest.example", sealed.Truncate(24*time.Hour)))
		}
		for i, p := range servers {
			c := w.greeted(p)
			c.want("250", c.say("MAIL FROM:<noreply@receiver.example>", "RCPT TO:<bounces+dmarc@digest.example>"))
			c.want("250", c.send(mail(p.hello)))
			if got, want := w.totals(), fmt.Sprintf("[{news.digest.example %d %d}]", 42*(i+1), 2*(i+1)); got != want {
				t.Errorf("%s: %s", p.setting, got)
			}
		}
		dir := maildir(t, map[string][]byte{"1.a": mail("Maildir"), "2.b": mail("EHLO"), "3.c": mail("cut off")[:900],
			"4.d": []byte("To: bounces+dmarc@digest.example\nSubject: for a person\n\nhello\n")})
		if n, err := w.HandleMaildir(t.Context(), dir); n != 4 || err != nil {
			t.Errorf("%d handled, %v", n, err)
		}
		if got := w.totals(); got != "[{news.digest.example 126 6}]" {
			t.Errorf("Maildir: %s", got)
		}
		if got := list(t, dir, "new") + "|" + list(t, dir, "cur"); got != "|4.d:2," {
			t.Errorf("what stays: %s", got)
		}
	})
}
