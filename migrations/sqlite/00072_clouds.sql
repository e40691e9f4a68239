-- +goose Up
-- The rssCloud server that a feed names: poller/topic.go.
ALTER TABLE feeds ADD COLUMN cloud TEXT NOT NULL DEFAULT '';
CREATE INDEX feeds_cloud ON feeds (id) WHERE cloud <> '';
-- What these were asked for: digest.CloudSubscription.
CREATE TABLE cloud_subscriptions (
    id          INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: a callback is made of it
    feed_id     INTEGER NOT NULL UNIQUE,
    cloud       TEXT NOT NULL,
    topic       TEXT NOT NULL,
    asked_at    INTEGER NOT NULL DEFAULT 0,
    verified_at INTEGER NOT NULL DEFAULT 0,
    expires_at  INTEGER NOT NULL DEFAULT 0,
    next_at     INTEGER NOT NULL,
    errors      INTEGER NOT NULL DEFAULT 0,
    last_error  TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX cloud_subscriptions_next ON cloud_subscriptions (next_at);
