-- +goose Up
-- How many posts of a feed one edition shows: edition/most.go. 0: all.
ALTER TABLE subscriptions ADD COLUMN most INTEGER NOT NULL DEFAULT 0;
