-- +goose Up
-- How often an operator has had an edition sent again.
ALTER TABLE editions ADD COLUMN resent BIGINT NOT NULL DEFAULT 0;
