-- +goose Up
-- How many members a newsletter may have at once; 0: as many as come.
ALTER TABLE newsletters ADD COLUMN member_limit BIGINT NOT NULL DEFAULT 0;
