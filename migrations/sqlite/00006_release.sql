-- +goose Up
ALTER TABLE digests ADD COLUMN mailed INTEGER NOT NULL DEFAULT 1;   -- 0: its editions stand in the web view only
ALTER TABLE digests ADD COLUMN filtered INTEGER NOT NULL DEFAULT 0; -- 1: it has filters

-- What a reader does not want to read of. Posts in which the words stand are held back when the edition is released.
CREATE TABLE filters (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    digest_id  INTEGER NOT NULL REFERENCES digests (id),
    feed_id    INTEGER NOT NULL DEFAULT 0, -- 0: all feeds
    words      TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX filters_digest ON filters (digest_id, id);
CREATE INDEX filters_feed ON filters (feed_id) WHERE feed_id > 0;

-- Posts that were held back: they would have been in the edition of due_at.
CREATE TABLE held_posts (
    digest_id INTEGER NOT NULL,
    due_at    INTEGER NOT NULL,
    post_id   INTEGER NOT NULL,
    words     TEXT    NOT NULL, -- of the filter
    PRIMARY KEY (digest_id, due_at, post_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX held_posts_due ON held_posts (due_at);

-- Subscriptions that a reader has put aside.
CREATE TABLE rested (
    digest_id  INTEGER NOT NULL REFERENCES digests (id),
    feed_id    INTEGER NOT NULL REFERENCES feeds (id),
    title      TEXT    NOT NULL DEFAULT '',
    folder     TEXT    NOT NULL DEFAULT '',
    display    TEXT    NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL, -- of the subscription
    rested_at  INTEGER NOT NULL,
    PRIMARY KEY (digest_id, feed_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX rested_feed ON rested (feed_id, digest_id);

-- Days in another zone, planned ahead.
CREATE TABLE stays (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id   INTEGER NOT NULL REFERENCES users (id),
    from_date TEXT    NOT NULL,           -- YYYY-MM-DD, the first day
    to_date   TEXT    NOT NULL,           -- the last
    time_zone TEXT    NOT NULL,
    begun     INTEGER NOT NULL DEFAULT 0  -- 1: the reader is there
) STRICT;
CREATE INDEX stays_user ON stays (user_id, from_date);

ALTER TABLE users ADD COLUMN home_zone TEXT NOT NULL DEFAULT '';   -- where a reader comes back to; empty: they are at home
ALTER TABLE users ADD COLUMN travel_at INTEGER NOT NULL DEFAULT 0; -- when their zone changes next; 0: it does not
CREATE INDEX users_travel ON users (travel_at) WHERE travel_at > 0;
