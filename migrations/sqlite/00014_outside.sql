-- +goose Up
-- 1: it was read at a public address, and is asked in no private network since,
-- whatever its name leads to. The next poll tells it of a feed that is known.
ALTER TABLE feeds ADD COLUMN outside INTEGER NOT NULL DEFAULT 0;
