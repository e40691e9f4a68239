-- +goose Up
-- The files that belong to a post (sound, film, pictures), as JSON:
-- [{"url":…,"type":…,"length":…}], in the order of its document; '' where there are none.
ALTER TABLE posts ADD COLUMN enclosures TEXT NOT NULL DEFAULT '';
