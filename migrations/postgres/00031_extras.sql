-- +goose Up
-- What a post of an account is beside the account's own posts: 1 passed on, 2 an answer to
-- somebody; and the sum of those that the reader of a subscription wants.
ALTER TABLE posts ADD COLUMN extra BIGINT NOT NULL DEFAULT 0;
ALTER TABLE subscriptions ADD COLUMN extras BIGINT NOT NULL DEFAULT 0;
