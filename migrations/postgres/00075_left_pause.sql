-- +goose Up
-- The pause that a digest had when its reader left, for the way back: 1, and its end, 0 for none.
ALTER TABLE digests ADD COLUMN was_paused BIGINT NOT NULL DEFAULT 0;
ALTER TABLE digests ADD COLUMN was_paused_until BIGINT NOT NULL DEFAULT 0;
