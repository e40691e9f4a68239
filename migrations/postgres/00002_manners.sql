-- +goose Up
ALTER TABLE feeds ADD COLUMN domain TEXT COLLATE "C" NOT NULL DEFAULT '';              -- registrable domain of the host
ALTER TABLE feeds ADD COLUMN doc_interval BIGINT NOT NULL DEFAULT 0;      -- seconds between two polls by its own word: ttl, sy:
ALTER TABLE feeds ADD COLUMN skip_hours BIGINT NOT NULL DEFAULT 0;        -- bit h: not in hour h of the UTC day
ALTER TABLE feeds ADD COLUMN skip_days BIGINT NOT NULL DEFAULT 0;         -- bit d: not on weekday d in UTC, Sunday is 0
ALTER TABLE feeds ADD COLUMN newest_at BIGINT NOT NULL DEFAULT 0;         -- date of its newest entry
ALTER TABLE feeds ADD COLUMN own_interval BIGINT NOT NULL DEFAULT 0;      -- seconds between two polls by our manners
ALTER TABLE feeds ADD COLUMN host_interval BIGINT NOT NULL DEFAULT 0;     -- seconds between two polls by the operator's rule for its host
ALTER TABLE feeds ADD COLUMN busy_interval BIGINT NOT NULL DEFAULT 0;     -- seconds between two polls while it outruns its readers; 0: it does not
ALTER TABLE feeds ADD COLUMN repeats BIGINT NOT NULL DEFAULT 0;           -- full answers in a row with the same bytes and the same ETag
ALTER TABLE feeds ADD COLUMN by_date BIGINT NOT NULL DEFAULT 0;           -- 1: asked by If-Modified-Since alone
ALTER TABLE feeds ADD COLUMN gone_at BIGINT NOT NULL DEFAULT 0;           -- when it first said 410
ALTER TABLE feeds ADD COLUMN pinged_at BIGINT NOT NULL DEFAULT 0;         -- the ping that no poll has answered yet
ALTER TABLE feeds ADD COLUMN doubted BIGINT NOT NULL DEFAULT 0;           -- 1: its validators may lie; asked without them once
ALTER TABLE feeds ADD COLUMN failing_since BIGINT NOT NULL DEFAULT 0;     -- the first of the failed polls in a row, throttled ones too
ALTER TABLE feeds ADD COLUMN length BIGINT NOT NULL DEFAULT 0;            -- Content-Length of the last 200; 0: it had none
ALTER TABLE feeds ADD COLUMN moved_from TEXT NOT NULL DEFAULT '';          -- where it was before it moved for good
ALTER TABLE feeds ADD COLUMN moved_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE feeds ADD COLUMN parser BIGINT NOT NULL DEFAULT 0;            -- the version of the parser that read its document

CREATE INDEX feeds_host ON feeds (host);
CREATE INDEX feeds_said_gone ON feeds (id) WHERE gone_at > 0;

-- When the feed had last been read before the post was found: what was missed, and is late.
ALTER TABLE posts ADD COLUMN read_before BIGINT NOT NULL DEFAULT 0;

-- The midnight before the last one, and when it was released; an edition keeps them.
ALTER TABLE digests ADD COLUMN prev_due_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE digests ADD COLUMN prev_released_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE editions ADD COLUMN prev_due_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE editions ADD COLUMN prev_released_at BIGINT NOT NULL DEFAULT 0;

-- What an edition tells its reader of a feed. They wait, move and go as hidden posts do.
CREATE TABLE notices (
    digest_id  BIGINT NOT NULL,
    visible_at BIGINT NOT NULL,
    feed_id    BIGINT NOT NULL,
    kind       TEXT    NOT NULL,           -- gone, dead or gap
    title      TEXT    NOT NULL DEFAULT '', -- of the feed, when it was told
    url        TEXT    NOT NULL DEFAULT '',
    from_at    BIGINT NOT NULL DEFAULT 0,
    to_at      BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (digest_id, visible_at, feed_id, kind)
);

CREATE INDEX notices_due ON notices (visible_at);

-- What the operator has decided for a host and all below it.
CREATE TABLE host_rules (
    host       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    every      BIGINT NOT NULL, -- seconds between two polls of one feed, at least
    created_at BIGINT NOT NULL
);

-- Registrable domains that have limited us: asked slowly while pace is not 0.
CREATE TABLE domains (
    domain       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    limited_at   BIGINT NOT NULL DEFAULT 0, -- when a feed of it last was
    limited_feed BIGINT NOT NULL DEFAULT 0,
    pace         BIGINT NOT NULL DEFAULT 0, -- seconds between two polls
    free_at      BIGINT NOT NULL DEFAULT 0  -- when it may be asked next
);

-- What the robots.txt of a site says to this program by its name.
CREATE TABLE robots (
    origin        TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- scheme://host:port
    fetched_at    BIGINT NOT NULL,
    etag          TEXT    NOT NULL DEFAULT '',
    last_modified TEXT    NOT NULL DEFAULT '',
    rules         TEXT    NOT NULL DEFAULT ''   -- our group's, a line each; empty: none
);

-- Every poll of the last 90 days.
CREATE TABLE polls (
    feed_id  BIGINT NOT NULL,
    at       BIGINT NOT NULL,
    outcome  TEXT    NOT NULL,
    status   BIGINT NOT NULL DEFAULT 0, -- of the last answer; 0: none
    requests BIGINT NOT NULL DEFAULT 0,
    bytes    BIGINT NOT NULL DEFAULT 0, -- of bodies, as they travelled
    millis   BIGINT NOT NULL DEFAULT 0,
    note     TEXT    NOT NULL DEFAULT '',
    PRIMARY KEY (feed_id, at)
);

-- The last document of each feed, so that a better parser needs no second request.
CREATE TABLE bodies (
    feed_id      BIGINT NOT NULL PRIMARY KEY,
    content_type TEXT    NOT NULL DEFAULT '',
    url          TEXT    NOT NULL DEFAULT '', -- where it was found, for relative links
    body         BYTEA   NOT NULL             -- zstd
);

-- Addresses that a person asked for and whose site refused: not feeds, but left alone all the same.
CREATE TABLE refusals (
    url        TEXT    COLLATE "C" NOT NULL PRIMARY KEY,
    not_before BIGINT  NOT NULL,
    why        TEXT    NOT NULL
);
