-- +goose Up
-- Since when a feed is pinged without a gap of digest.LongestPing.
ALTER TABLE feed_news ADD COLUMN pinged_since BIGINT NOT NULL DEFAULT 0;
UPDATE feed_news SET pinged_since = last_ping_at;
