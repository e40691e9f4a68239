-- +goose Up
-- What a reader had made of a feed that they have left, for the way back: JSON, empty where none is.
ALTER TABLE former_subscriptions ADD COLUMN made TEXT NOT NULL DEFAULT '';
-- What waited of a feed when it was paused: keys of posts as JSON.
ALTER TABLE subscriptions ADD COLUMN waited TEXT NOT NULL DEFAULT '';
