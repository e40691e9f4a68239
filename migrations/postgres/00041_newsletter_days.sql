-- +goose Up
-- What became of the letters and the members of a newsletter on one day by its owner's clock: store/newsletters_days.go.
CREATE TABLE newsletter_days (
    newsletter_id BIGINT NOT NULL,
    day           TEXT NOT NULL,
    slot          BIGINT NOT NULL,             -- workers mostly count in different ones
    joined        BIGINT NOT NULL DEFAULT 0,
    gone          BIGINT NOT NULL DEFAULT 0,
    sent          BIGINT NOT NULL DEFAULT 0,
    bounced       BIGINT NOT NULL DEFAULT 0,   -- for good
    complained    BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (newsletter_id, day, slot)
);
CREATE INDEX newsletter_days_trouble ON newsletter_days (day, newsletter_id) WHERE bounced > 0 OR complained > 0;

-- The day from which it counts whether the newsletter is held: after each release, the next.
ALTER TABLE newsletters ADD COLUMN counted_from TEXT NOT NULL DEFAULT '';
