-- +goose Up
-- Programs that are told at once of the letters of a newsletter: who subscribed to its feed at our hub (WebSub).
CREATE TABLE hub_subscriptions (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    newsletter_id INTEGER NOT NULL,
    topic         TEXT    NOT NULL,            -- the feed's address, as the subscriber wrote it
    callback      TEXT    NOT NULL,
    domain        TEXT    NOT NULL,            -- the registered domain of the callback
    home          INTEGER NOT NULL,            -- 1: it may lie in DIGEST_ALLOW_NETWORKS
    secret        BLOB    NOT NULL,
    confirmed_at  INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL,
    announced_at  INTEGER NOT NULL,            -- when the newest letter left for which a delivery was queued
    delivered_at  INTEGER NOT NULL,            -- when the newest left that the callback has accepted
    given_up      INTEGER NOT NULL DEFAULT 0,  -- letters in a row that it did not
    UNIQUE (newsletter_id, callback)
) STRICT;
CREATE INDEX hub_subscriptions_announced ON hub_subscriptions (newsletter_id, announced_at);
CREATE INDEX hub_subscriptions_expires ON hub_subscriptions (expires_at);
CREATE INDEX hub_subscriptions_domain ON hub_subscriptions (domain, newsletter_id);

-- The queue of requests to callbacks: whether a subscription is meant (subscribe, unsubscribe), that it
-- is no more (denied), and letters (deliver).
CREATE TABLE hub_calls (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    newsletter_id INTEGER NOT NULL,
    topic         TEXT    NOT NULL,
    callback      TEXT    NOT NULL,
    domain        TEXT    NOT NULL,
    home          INTEGER NOT NULL,
    kind          TEXT    NOT NULL,
    secret        BLOB    NOT NULL,            -- of subscribe
    lease         INTEGER NOT NULL DEFAULT 0,  -- of subscribe, in seconds
    letter_at     INTEGER NOT NULL DEFAULT 0,  -- of deliver: when the newest letter left
    next_at       INTEGER NOT NULL,
    lease_until   INTEGER NOT NULL DEFAULT 0,  -- somebody makes the request until then
    attempt       INTEGER NOT NULL DEFAULT 0,
    last_error    TEXT    NOT NULL DEFAULT '',
    UNIQUE (newsletter_id, callback, kind)
) STRICT;
CREATE INDEX hub_calls_next ON hub_calls (kind, next_at, id);
CREATE INDEX hub_calls_domain ON hub_calls (domain, lease_until);

-- Domains whose callbacks did not confirm what was asked for in their name.
CREATE TABLE hub_domains (
    domain        TEXT    NOT NULL PRIMARY KEY,
    doubted_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
