package store

import (
	"context"
	"fmt"
	"time"

	"digest"
	"digest/internal/dmarc"
)

// Limits for stored DMARC reports, which anyone can send.
const (
	mostDMARCReports = 1000 // received on one day
	mostDMARCRows    = 5000 // about one day
	dmarcAge         = 90 * 24 * time.Hour
)

// RecordDMARC adds the rows of a report to its day, in UTC. It reports false, and changes nothing, if it stored the
// report before. It returns digest.Conflict, and drops the report, if the bounds of a day are reached.
func (s Editions) RecordDMARC(ctx context.Context, r dmarc.Report, now time.Time) (recorded bool, err error) {
	return changed(ctx, s.database, "storing a DMARC report", func(c conn) (bool, error) {
		today, day := digest.DateOf(now.UTC()).String(), digest.DateOf(r.Begin.UTC()).String()
		n, err := c.Exec(ctx, `INSERT INTO dmarc_reports (report, day) VALUES (?, ?)
			ON CONFLICT DO NOTHING`, r.Key(), today)
		if err != nil || n == 0 {
			return false, err
		}
		reports, err := c.Number(ctx, `SELECT count(*) FROM dmarc_reports WHERE day = ?`, today)
		if err != nil {
			return false, err
		}
		rows, err := c.Number(ctx, `SELECT count(*) FROM dmarc_days WHERE day = ?`, day)
		switch {
		case err != nil:
			return false, err
		case reports > mostDMARCReports:
			return false, tooManyReports("more than %d came today", mostDMARCReports)
		case rows+len(r.Rows) > mostDMARCRows:
			return false, tooManyReports("reports about %s already fill the %d rows of a day", day, mostDMARCRows)
		}
		var v values
		for _, row := range r.Rows {
			v.Row(day, r.Reporter, row.Source, row.From, row.SPFDomain, row.SPF, row.SPFAligned,
				row.DKIMDomain, row.DKIM, row.DKIMAligned, row.Disposition, row.Count)
		}
		return true, c.RunRows(ctx, &v, `INSERT INTO dmarc_days (day, reporter, `+dmarcColumns+`, messages)
			VALUES {rows}
			ON CONFLICT (day, reporter, `+dmarcColumns+`)
			DO UPDATE SET messages = dmarc_days.messages + excluded.messages`)
	})
}

func tooManyReports(format string, values ...any) error {
	return &digest.Error{Kind: digest.Conflict, Message: fmt.Sprintf(format, values...)}
}

const dmarcColumns = `source, from_domain, spf_domain, spf, spf_aligned, dkim_domain, dkim, dkim_aligned, disposition`

// failsDMARC holds for rows whose messages failed.
const failsDMARC = `spf_aligned = 0 AND dkim_aligned = 0`

// DMARCSummary sums the reports about a day and those after it. It returns at most most sources that fail, and as
// many that pass.
func (s Editions) DMARCSummary(ctx context.Context, since digest.Date, most int) (sum dmarc.Summary, err error) {
	const doing = "reading DMARC reports"
	err = s.atOneInstant(ctx, doing, func(s *Store) (err error) {
		sources := func(where string) ([]dmarc.Source, error) {
			return readRows[dmarc.Source](ctx, s.read(), "", `SELECT source, from_domain AS "from", spf_domain, spf,
				spf_aligned, dkim_domain, dkim, dkim_aligned, disposition, CAST(SUM(messages) AS BIGINT) AS count,
				MIN(reporter) AS reporter, count(DISTINCT reporter) AS reporters
				FROM dmarc_days WHERE day >= ? AND `+where+` GROUP BY `+dmarcColumns+`
				ORDER BY SUM(messages) DESC, `+dmarcColumns+` LIMIT ?`, since, most)
		}
		if sum.Failing, err = sources(failsDMARC); err != nil {
			return err
		}
		if sum.Passing, err = sources(`NOT (` + failsDMARC + `)`); err != nil {
			return err
		}
		sum.Totals, err = readRows[dmarc.Total](ctx, s.read(), "", `SELECT from_domain AS domain,
			CAST(SUM(messages) AS BIGINT) AS messages,
			CAST(SUM(CASE WHEN `+failsDMARC+` THEN messages ELSE 0 END) AS BIGINT) AS failed
			FROM dmarc_days WHERE day >= ? GROUP BY from_domain ORDER BY from_domain`, since)
		return err
	})
	return sum, err
}

// pruneDMARC deletes the reports of old days.
func (s *database) pruneDMARC(ctx context.Context, now time.Time, keep time.Duration) error {
	old := digest.DateOf(now.Add(-min(keep, dmarcAge)).UTC()).String()
	return s.write(ctx, func(c conn) error {
		return c.ExecEach(ctx, []string{
			`DELETE FROM dmarc_days WHERE day < ?`, `DELETE FROM dmarc_reports WHERE day < ?`,
		}, old)
	})
}
