-- +goose Up
ALTER TABLE feeds ADD COLUMN domain TEXT NOT NULL DEFAULT '';              -- registrable domain of the host
ALTER TABLE feeds ADD COLUMN doc_interval INTEGER NOT NULL DEFAULT 0;      -- seconds between two polls by its own word: ttl, sy:
ALTER TABLE feeds ADD COLUMN skip_hours INTEGER NOT NULL DEFAULT 0;        -- bit h: not in hour h of the UTC day
ALTER TABLE feeds ADD COLUMN skip_days INTEGER NOT NULL DEFAULT 0;         -- bit d: not on weekday d in UTC, Sunday is 0
ALTER TABLE feeds ADD COLUMN newest_at INTEGER NOT NULL DEFAULT 0;         -- date of its newest entry
ALTER TABLE feeds ADD COLUMN own_interval INTEGER NOT NULL DEFAULT 0;      -- seconds between two polls by our manners
ALTER TABLE feeds ADD COLUMN host_interval INTEGER NOT NULL DEFAULT 0;     -- seconds between two polls by the operator's rule for its host
ALTER TABLE feeds ADD COLUMN busy_interval INTEGER NOT NULL DEFAULT 0;     -- seconds between two polls while it outruns its readers; 0: it does not
ALTER TABLE feeds ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0;           -- full answers in a row with the same bytes and the same ETag
ALTER TABLE feeds ADD COLUMN by_date INTEGER NOT NULL DEFAULT 0;           -- 1: asked by If-Modified-Since alone
ALTER TABLE feeds ADD COLUMN gone_at INTEGER NOT NULL DEFAULT 0;           -- when it first said 410
ALTER TABLE feeds ADD COLUMN pinged_at INTEGER NOT NULL DEFAULT 0;         -- the ping that no poll has answered yet
ALTER TABLE feeds ADD COLUMN doubted INTEGER NOT NULL DEFAULT 0;           -- 1: its validators may lie; asked without them once
ALTER TABLE feeds ADD COLUMN failing_since INTEGER NOT NULL DEFAULT 0;     -- the first of the failed polls in a row, throttled ones too
ALTER TABLE feeds ADD COLUMN length INTEGER NOT NULL DEFAULT 0;            -- Content-Length of the last 200; 0: it had none
ALTER TABLE feeds ADD COLUMN moved_from TEXT NOT NULL DEFAULT '';          -- where it was before it moved for good
ALTER TABLE feeds ADD COLUMN moved_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE feeds ADD COLUMN parser INTEGER NOT NULL DEFAULT 0;            -- the version of the parser that read its document

CREATE INDEX feeds_host ON feeds (host);
CREATE INDEX feeds_said_gone ON feeds (id) WHERE gone_at > 0;

-- When the feed had last been read before the post was found: what was missed, and is late.
ALTER TABLE posts ADD COLUMN read_before INTEGER NOT NULL DEFAULT 0;

-- The midnight before the last one, and when it was released; an edition keeps them.
ALTER TABLE digests ADD COLUMN prev_due_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE digests ADD COLUMN prev_released_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE editions ADD COLUMN prev_due_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE editions ADD COLUMN prev_released_at INTEGER NOT NULL DEFAULT 0;

-- What an edition tells its reader of a feed. They wait, move and go as hidden posts do.
CREATE TABLE notices (
    digest_id  INTEGER NOT NULL,
    visible_at INTEGER NOT NULL,
    feed_id    INTEGER NOT NULL,
    kind       TEXT    NOT NULL,           -- gone, dead or gap
    title      TEXT    NOT NULL DEFAULT '', -- of the feed, when it was told
    url        TEXT    NOT NULL DEFAULT '',
    from_at    INTEGER NOT NULL DEFAULT 0,
    to_at      INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (digest_id, visible_at, feed_id, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX notices_due ON notices (visible_at);

-- What the operator has decided for a host and all below it.
CREATE TABLE host_rules (
    host       TEXT    NOT NULL PRIMARY KEY,
    every      INTEGER NOT NULL, -- seconds between two polls of one feed, at least
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Registrable domains that have limited us: asked slowly while pace is not 0.
CREATE TABLE domains (
    domain       TEXT    NOT NULL PRIMARY KEY,
    limited_at   INTEGER NOT NULL DEFAULT 0, -- when a feed of it last was
    limited_feed INTEGER NOT NULL DEFAULT 0,
    pace         INTEGER NOT NULL DEFAULT 0, -- seconds between two polls
    free_at      INTEGER NOT NULL DEFAULT 0  -- when it may be asked next
) STRICT, WITHOUT ROWID;

-- What the robots.txt of a site says to this program by its name.
CREATE TABLE robots (
    origin        TEXT    NOT NULL PRIMARY KEY, -- scheme://host:port
    fetched_at    INTEGER NOT NULL,
    etag          TEXT    NOT NULL DEFAULT '',
    last_modified TEXT    NOT NULL DEFAULT '',
    rules         TEXT    NOT NULL DEFAULT ''   -- our group's, a line each; empty: none
) STRICT, WITHOUT ROWID;

-- Every poll of the last 90 days.
CREATE TABLE polls (
    feed_id  INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    outcome  TEXT    NOT NULL,
    status   INTEGER NOT NULL DEFAULT 0, -- of the last answer; 0: none
    requests INTEGER NOT NULL DEFAULT 0,
    bytes    INTEGER NOT NULL DEFAULT 0, -- of bodies, as they travelled
    millis   INTEGER NOT NULL DEFAULT 0,
    note     TEXT    NOT NULL DEFAULT '',
    PRIMARY KEY (feed_id, at)
) STRICT, WITHOUT ROWID;

-- The last document of each feed, so that a better parser needs no second request.
CREATE TABLE bodies (
    feed_id      INTEGER NOT NULL PRIMARY KEY,
    content_type TEXT    NOT NULL DEFAULT '',
    url          TEXT    NOT NULL DEFAULT '', -- where it was found, for relative links
    body         BLOB    NOT NULL             -- zstd
) STRICT;

-- Addresses that a person asked for and whose site refused: not feeds, but left alone all the same.
CREATE TABLE refusals (
    url        TEXT    NOT NULL PRIMARY KEY,
    not_before INTEGER NOT NULL,
    why        TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
