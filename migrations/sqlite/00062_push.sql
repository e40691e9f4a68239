-- +goose Up
-- What hubs were asked for: digest.PushSubscription.
CREATE TABLE push_subscriptions (
    id          INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: a callback is made of it
    feed_id     INTEGER NOT NULL,
    hub         TEXT    NOT NULL,
    topic       TEXT    NOT NULL,
    secret      TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    asked_at    INTEGER NOT NULL DEFAULT 0,
    verified_at INTEGER NOT NULL DEFAULT 0,
    expires_at  INTEGER NOT NULL DEFAULT 0,
    next_at     INTEGER NOT NULL,
    errors      INTEGER NOT NULL DEFAULT 0,
    last_error  TEXT    NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX push_subscriptions_feed ON push_subscriptions (feed_id);
CREATE INDEX push_subscriptions_hub ON push_subscriptions (hub, feed_id);
CREATE INDEX push_subscriptions_next ON push_subscriptions (next_at);
-- Bodies that hubs have sent, signed, until their posts are stored: store/pushes.go.
CREATE TABLE pushes (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    feed_id      INTEGER NOT NULL,
    received_at  INTEGER NOT NULL,
    content_type TEXT    NOT NULL,
    body         BLOB    NOT NULL,
    lease_until  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX pushes_feed ON pushes (feed_id);
-- How the news of a feed comes: digest.News.
CREATE TABLE feed_news (
    feed_id      INTEGER NOT NULL PRIMARY KEY,
    pushes       INTEGER NOT NULL DEFAULT 0,
    all_pushes   INTEGER NOT NULL DEFAULT 0,
    last_push_at INTEGER NOT NULL DEFAULT 0,
    pings        INTEGER NOT NULL DEFAULT 0,
    last_ping_at INTEGER NOT NULL DEFAULT 0,
    missed_at    INTEGER NOT NULL DEFAULT 0,
    trusted_at   INTEGER NOT NULL DEFAULT 0,
    saved_polls  INTEGER NOT NULL DEFAULT 0,
    pushed_since INTEGER NOT NULL DEFAULT 0,
    demotes      INTEGER NOT NULL DEFAULT 0 -- 1: its hubs have missed a post, and their other feeds are still to lose their trust
) STRICT;
CREATE INDEX feed_news_demotes ON feed_news (feed_id) WHERE demotes = 1;
