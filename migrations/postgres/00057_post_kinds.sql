-- +goose Up
-- Whether the title of a post was made from its words, as it has none, and the page elsewhere that it is about: ''
-- for most.
ALTER TABLE posts ADD COLUMN untitled BIGINT NOT NULL DEFAULT 0;
ALTER TABLE posts ADD COLUMN leads_to TEXT NOT NULL DEFAULT '';
