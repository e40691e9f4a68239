-- +goose Up
-- What the last poll of a feed promises of the next: feeds that fail or are slow, and
-- those that were never read, have places of their own.
ALTER TABLE feeds ADD COLUMN standing TEXT NOT NULL DEFAULT '';
UPDATE feeds SET standing = CASE WHEN errors > 0 THEN 'troubled' ELSE 'proven' END WHERE last_ok_at > 0 OR errors > 0;
