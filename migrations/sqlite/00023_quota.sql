-- +goose Up
-- What was stored of a feed on the last day on which anything was, and how many
-- posts of its document wait, because that was enough.
ALTER TABLE feeds ADD COLUMN quota_day INTEGER NOT NULL DEFAULT 0; -- when that day began, in UTC
ALTER TABLE feeds ADD COLUMN quota_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE feeds ADD COLUMN posts_waiting INTEGER NOT NULL DEFAULT 0;
CREATE INDEX feeds_waiting ON feeds (id) WHERE posts_waiting > 0;

-- The same on account of single readers: of what few others read, and beyond the
-- little that counts for nobody.
CREATE TABLE account_quotas (
    digest_id INTEGER NOT NULL PRIMARY KEY,
    day       INTEGER NOT NULL,
    bytes     INTEGER NOT NULL
) STRICT;
