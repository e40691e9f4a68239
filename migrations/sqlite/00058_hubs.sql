-- +goose Up
-- Who pushes a feed, as it says itself: poller/topic.go. pushed_until: push.go.
ALTER TABLE feeds ADD COLUMN topic TEXT NOT NULL DEFAULT '';
ALTER TABLE feeds ADD COLUMN hubs TEXT NOT NULL DEFAULT '';
ALTER TABLE feeds ADD COLUMN pushed_until INTEGER NOT NULL DEFAULT 0;
CREATE INDEX feeds_hubs ON feeds (id) WHERE hubs <> '';
