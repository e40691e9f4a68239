-- +goose Up
ALTER TABLE users ADD COLUMN operator BIGINT NOT NULL DEFAULT 0;   -- 1: runs this instance
ALTER TABLE users ADD COLUMN direction TEXT NOT NULL DEFAULT 'ltr'; -- in which the pages around the posts run: ltr or rtl
ALTER TABLE users ADD COLUMN shortcuts BIGINT NOT NULL DEFAULT 1;  -- 1: single keys do something (WCAG 2.1.4)
