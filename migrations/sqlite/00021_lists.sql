-- +goose Up
-- The list of suppressed addresses is read a page at a time.
CREATE INDEX suppressions_order ON suppressions (created_at DESC, email_key);
