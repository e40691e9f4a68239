-- +goose Up
-- read_here: headlines on web pages open the text on this instance, where a post has one, not the author's page.
ALTER TABLE digests ADD COLUMN read_here BIGINT NOT NULL DEFAULT 0;
