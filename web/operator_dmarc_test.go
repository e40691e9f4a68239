package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"digest/internal/dmarc"
)

// reportsOn stores a DMARC report about the day before.
func (r *room) reportsOn(reporter string, rows ...dmarc.Row) {
	r.t.Helper()
	begin := r.now.Add(-24 * time.Hour)
	_, err := r.store.Editions.RecordDMARC(r.t.Context(), dmarc.Report{
		Reporter: reporter, ID: "1", Domain: "example.org", Begin: begin, End: begin.Add(23 * time.Hour), Rows: rows,
	}, r.now)
	r.must(err)
}

// TestOperatorDMARC checks that failing sources come first in each domain, and that text from
// reporters is escaped.
func TestOperatorDMARC(t *testing.T) {
	each(t, func(r *room) {
		op := r.operator()
		op.get("/operator/dmarc").status(http.StatusOK).contains(".sheet", "Set DIGEST_RETURN_PATH")
		r.reportAddress = "bounces+dmarc@example.org"
		r.open("")
		op.get("/operator/dmarc").contains(".sheet code", "rua=mailto:bounces+dmarc@example.org")
		op.get("/operator").contains(".groups", "DMARC reports")

		own := dmarc.Row{Source: "198.51.100.7", From: "example.org", SPFDomain: "bounce.example.org", SPF: "pass",
			SPFAligned: true,
			DKIMDomain: "example.org", DKIM: "pass", DKIMAligned: true, Disposition: "none", Count: 40}
		forged := dmarc.Row{Source: "203.0.113.9", From: "example.org", SPFDomain: "spam.example", SPF: "pass",
			DKIM: "fail", Disposition: "reject", Count: 3}
		shop := dmarc.Row{Source: "2001:db8::7", From: "shop.example.org", SPF: "softfail", Disposition: "quarantine",
			Count: 1}
		r.reportsOn("google.com", own, forged)
		r.reportsOn("<b>Yahoo</b>", shop)
		r.reportsOn("zebra.example", own)
		page := op.get("/operator/dmarc").status(http.StatusOK)
		page.shows("h2", "example.org", "shop.example.org")
		page.shows(".hint", "Messages (83), Failed (3)", "Messages (1), Failed (1)")
		page.shows("tbody th", "203.0.113.9", "198.51.100.7", "2001:db8::7")
		page.shows("tbody td",
			"3", "failed", "passed only for spam.example", "failed", "rejected", "google.com",
			"80", "passed", "passed", "passed", "no action", "google.com and 1 more",
			"1", "failed", "failed", "—", "marked as spam", "<b>Yahoo</b>")
		if strings.Contains(page.body, "<b>") {
			t.Error("a reporter's name is markup")
		}
		r.now = r.now.AddDate(0, 0, 31)
		op.get("/operator/dmarc").contains(".sheet", "No reports yet")
	})
}
