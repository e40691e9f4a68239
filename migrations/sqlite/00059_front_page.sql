-- +goose Up
-- How a reader arranges their editions: the order of their folders, names one a line ('': none chosen), and the feed
-- whose section comes first of all.
ALTER TABLE digests ADD COLUMN folder_order TEXT NOT NULL DEFAULT '';
ALTER TABLE subscriptions ADD COLUMN leads INTEGER NOT NULL DEFAULT 0;
