-- +goose Up
-- DMARC reports that came, so that each counts once: dmarc.Report.Key.
CREATE TABLE dmarc_reports (
    report TEXT NOT NULL PRIMARY KEY,
    day    TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX dmarc_reports_day ON dmarc_reports (day);
-- What they say about the messages of a day: dmarc.Row.
CREATE TABLE dmarc_days (
    day          TEXT NOT NULL,
    reporter     TEXT NOT NULL,
    source       TEXT NOT NULL,
    from_domain  TEXT NOT NULL,
    spf_domain   TEXT NOT NULL,
    spf          TEXT NOT NULL,
    spf_aligned  INTEGER NOT NULL,
    dkim_domain  TEXT NOT NULL,
    dkim         TEXT NOT NULL,
    dkim_aligned INTEGER NOT NULL,
    disposition  TEXT NOT NULL,
    messages     INTEGER NOT NULL,
    PRIMARY KEY (day, reporter, source, from_domain, spf_domain, spf, spf_aligned, dkim_domain, dkim, dkim_aligned, disposition)
) STRICT, WITHOUT ROWID;
