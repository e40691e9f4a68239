-- +goose Up
-- Some sentences above the posts of every letter of a newsletter, and at its foot.
ALTER TABLE newsletters ADD COLUMN header_text TEXT NOT NULL DEFAULT '';
ALTER TABLE newsletters ADD COLUMN footer_text TEXT NOT NULL DEFAULT '';
