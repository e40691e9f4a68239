-- +goose Up
-- comments is the address of the page with comments on a post, such as its page on Hacker News.
ALTER TABLE posts ADD COLUMN comments TEXT NOT NULL DEFAULT '';
