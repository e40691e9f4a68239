-- +goose Up
-- By which the copies of a post in other feeds of a reader are known: edition/copies.go.
ALTER TABLE posts ADD COLUMN syndication TEXT NOT NULL DEFAULT '';  -- where its author says they are, with spaces between them
ALTER TABLE feeds ADD COLUMN me TEXT NOT NULL DEFAULT '';           -- the pages that its author says are theirs (rel=me), likewise
