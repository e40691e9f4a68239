-- +goose Up
-- How many digests gather what a feed brings, which each request to it says: counting
-- them with each claim took more than all else that a claim does.
ALTER TABLE feed_times ADD COLUMN subscribers INTEGER NOT NULL DEFAULT 0;
ALTER TABLE feed_times ADD COLUMN counted_at  INTEGER NOT NULL DEFAULT 0; -- 0: never
