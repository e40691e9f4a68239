-- +goose Up
-- How often a reader has made the links in older mail void: those of another round are.
ALTER TABLE digests ADD COLUMN link_round INTEGER NOT NULL DEFAULT 0;
