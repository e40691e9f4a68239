-- +goose Up
-- What the publishers of a newsletter are told of its feeds, by mail: store/newsletters_notices.go.
CREATE TABLE newsletter_notices (
    newsletter_id INTEGER NOT NULL,
    feed_id       INTEGER NOT NULL,
    kind          TEXT NOT NULL,   -- of a notice
    title         TEXT NOT NULL,
    url           TEXT NOT NULL,
    moved_to      TEXT NOT NULL DEFAULT '',
    illness       TEXT NOT NULL DEFAULT '',
    from_at       INTEGER NOT NULL DEFAULT 0,
    told_at       INTEGER NOT NULL DEFAULT 0, -- 0: not yet
    PRIMARY KEY (newsletter_id, feed_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX newsletter_notices_untold ON newsletter_notices (newsletter_id) WHERE told_at = 0;
