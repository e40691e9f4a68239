package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/internal/dmarc"
)

// dmarcReport returns a report about the day of noon, or a later one.
func dmarcReport(reporter, id string, later int, rows ...dmarc.Row) dmarc.Report {
	begin := noon.Truncate(day).Add(time.Duration(later) * day)
	return dmarc.Report{Reporter: reporter, ID: id, Domain: "example.org", Begin: begin,
		End: begin.Add(day - time.Second), Rows: rows}
}

var (
	passing = dmarc.Row{Source: "198.51.100.7", From: "example.org", SPFDomain: "bounce.example.org", SPF: "pass",
		SPFAligned: true,
		DKIMDomain: "example.org", DKIM: "pass", DKIMAligned: true, Disposition: "none", Count: 40}
	forwarded = dmarc.Row{Source: "2001:db8::7", From: "example.org", SPF: "fail", DKIMDomain: "example.org",
		DKIM: "pass", DKIMAligned: true, Disposition: "none", Count: 5}
	forged = dmarc.Row{Source: "203.0.113.9", From: "news.example.org", SPF: "pass", SPFDomain: "spam.example",
		Disposition: "reject", Count: 3}
)

// TestDMARCReports: each report counts once, and equal rows of several reports are summed.
func TestDMARCReports(t *testing.T) {
	each(t, func(w world) {
		record := func(r dmarc.Report, now time.Time) bool {
			w.Helper()
			recorded := must(w.Editions.RecordDMARC(w.ctx, r, now))
			return recorded
		}
		google := dmarcReport("google.com", "1", 0, passing, forged)
		want(w, "first", record(google, noon), true)
		want(w, "again", record(google, noon.Add(day)), false)
		want(w, "next day", record(dmarcReport("google.com", "2", 1, passing), noon), true)
		want(w, "another on one day", record(dmarcReport("google.com", "3", 0, passing), noon), true)
		want(w, "another receiver", record(dmarcReport("Yahoo", "1", 0, passing, forwarded), noon), true)

		sum := must(w.Editions.DMARCSummary(w.ctx, digest.DateOf(noon), 10))
		counted := func(r dmarc.Row, n int64, reporter string, reporters int) dmarc.Source {
			r.Count = n
			return dmarc.Source{Row: r, Reporter: reporter, Reporters: reporters}
		}
		want(w, "totals", fmt.Sprint(sum.Totals), "[{example.org 165 0} {news.example.org 3 3}]")
		want(w, "failing", slices.Equal(sum.Failing, []dmarc.Source{counted(forged, 3, "google.com", 1)}), true)
		want(w, "passing", slices.Equal(sum.Passing,
			[]dmarc.Source{counted(passing, 160, "Yahoo", 2), counted(forwarded, 5, "Yahoo", 1)}) ||
			slices.Equal(sum.Passing, []dmarc.Source{counted(passing, 160, "google.com", 2),
				counted(forwarded, 5, "Yahoo", 1)}), true)
		sum = must(w.Editions.DMARCSummary(w.ctx, digest.DateOf(noon).Plus(1), 10))
		want(w, "since the next day", fmt.Sprint(sum.Totals, len(sum.Failing)), "[{example.org 40 0}] 0")
		sum = must(w.Editions.DMARCSummary(w.ctx, digest.DateOf(noon), 1))
		want(w, "at most one of each", fmt.Sprint(len(sum.Failing), len(sum.Passing)), "1 1")

		w.pruneOnce(noon.Add(90*day), 400*day, 100)
		want(w, "kept", record(google, noon.Add(90*day)), false)
		w.pruneOnce(noon.Add(91*day), 400*day, 100)
		sum = must(w.Editions.DMARCSummary(w.ctx, digest.DateOf(noon), 10))
		want(w, "after 91 days", fmt.Sprint(sum.Totals), "[{example.org 40 0}]")
		w.pruneOnce(noon.Add(10*day), 7*day, 100)
		sum = must(w.Editions.DMARCSummary(w.ctx, digest.DateOf(noon), 10))
		want(w, "where less is kept", len(sum.Totals), 0)
	})
}

// TestDMARCBounds: strangers cannot fill the database with reports.
func TestDMARCBounds(t *testing.T) {
	each(t, func(w world) {
		many := make([]dmarc.Row, 2500)
		for i := range many {
			many[i] = forged
			many[i].Source, many[i].SPFDomain = fmt.Sprintf("203.0.%d.%d", i/250, i%250),
				strings.Repeat("a", 200)+".example"
		}
		for i, kind := range []digest.Kind{"", "", digest.Conflict} {
			_, err := w.Editions.RecordDMARC(w.ctx, dmarcReport(fmt.Sprint("flood", i), "1", 0, many...), noon)
			want(w, fmt.Sprint("report ", i), digest.KindOf(err), kind)
		}
		recorded := must(w.Editions.RecordDMARC(w.ctx, dmarcReport("google.com", "1", 1, passing), noon))
		want(w, "of another day", recorded, true)
		w.exec(`INSERT INTO dmarc_reports (report, day) SELECT CAST(n AS TEXT), ? FROM (
			WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 997) SELECT n FROM c) v`,
			digest.DateOf(noon).String())
		for i, kind := range []digest.Kind{digest.Conflict, ""} {
			_, err := w.Editions.RecordDMARC(w.ctx, dmarcReport("google.com", "2", 1, passing),
				noon.Add(time.Duration(i)*day))
			want(w, fmt.Sprint("after a thousand, days later: ", i), digest.KindOf(err), kind)
		}
	})
}
