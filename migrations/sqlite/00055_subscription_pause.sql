-- +goose Up
-- When a paused subscription comes back by itself: store/subscriptions_paused.go. 0: when its reader says so.
ALTER TABLE subscriptions ADD COLUMN paused_until INTEGER NOT NULL DEFAULT 0;
CREATE INDEX subscriptions_paused_until ON subscriptions (paused_until) WHERE paused_until > 0;
