-- +goose Up
-- When a post was taken back from those who waited for it, as its publisher had deleted it;
-- 0: never. That happens once: a post that comes and goes is not deleted.
ALTER TABLE posts ADD COLUMN withdrawn_at BIGINT NOT NULL DEFAULT 0;
