-- +goose Up
-- Ids are never used twice (AUTOINCREMENT): they are signed into links that outlive the row.
CREATE TABLE settings (
    key   TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
) STRICT;

CREATE TABLE users (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    email      TEXT    NOT NULL,        -- as typed
    email_key  TEXT    NOT NULL UNIQUE, -- lower case: one account an address
    time_zone  TEXT    NOT NULL,
    state      TEXT    NOT NULL DEFAULT 'confirmed',
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE digests (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id        INTEGER NOT NULL REFERENCES users (id),
    newsletter_id  INTEGER,             -- NULL: the user's own daily digest
    name           TEXT    NOT NULL,
    next_due_at    INTEGER NOT NULL,
    planned_due_at INTEGER NOT NULL DEFAULT 0, -- the next_due_at its feeds have been queued for
    planned_at     INTEGER NOT NULL DEFAULT 0, -- when they were: the release deadline counts from here
    last_due_at    INTEGER NOT NULL DEFAULT 0, -- posts up to this midnight are visible
    released_at    INTEGER NOT NULL DEFAULT 0, -- when last_due_at was set
    send_delay     INTEGER NOT NULL DEFAULT 0, -- seconds
    weekdays       INTEGER NOT NULL DEFAULT 127,
    state          TEXT    NOT NULL DEFAULT 'active',
    edition_count  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX digests_due ON digests (next_due_at) WHERE state = 'active';
CREATE INDEX digests_user ON digests (user_id);

CREATE TABLE feeds (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    url               TEXT    NOT NULL UNIQUE,
    host              TEXT    NOT NULL,
    kind              TEXT    NOT NULL DEFAULT '',
    title             TEXT    NOT NULL DEFAULT '',
    site_url          TEXT    NOT NULL DEFAULT '',
    language          TEXT    NOT NULL DEFAULT '',
    etag              TEXT    NOT NULL DEFAULT '',
    last_modified     TEXT    NOT NULL DEFAULT '',
    validator_url     TEXT    NOT NULL DEFAULT '',
    body_hash         TEXT    NOT NULL DEFAULT '',
    last_attempt_at   INTEGER NOT NULL DEFAULT 0,
    last_ok_at        INTEGER NOT NULL DEFAULT 0,
    parsed_at         INTEGER NOT NULL DEFAULT 0,
    listed_at         INTEGER NOT NULL DEFAULT 0, -- when the listed_at of its posts was last brought up to date
    not_before        INTEGER NOT NULL DEFAULT 0,
    fresh_until       INTEGER NOT NULL DEFAULT 0,
    poll_at           INTEGER,                    -- the queue; NULL: not in it
    lease_until       INTEGER NOT NULL DEFAULT 0,
    lease_token       TEXT    NOT NULL DEFAULT '',
    errors            INTEGER NOT NULL DEFAULT 0,
    first_error_at    INTEGER NOT NULL DEFAULT 0,
    last_status       INTEGER NOT NULL DEFAULT 0,
    last_error        TEXT    NOT NULL DEFAULT '',
    state             TEXT    NOT NULL DEFAULT 'active',
    head_state        TEXT    NOT NULL DEFAULT '',
    conditional_state TEXT    NOT NULL DEFAULT '',
    head_retest_at    INTEGER NOT NULL DEFAULT 0,
    moved_to          TEXT    NOT NULL DEFAULT '',
    moved_since       INTEGER NOT NULL DEFAULT 0,
    merged_into       INTEGER NOT NULL DEFAULT 0  -- the feed that this one has become part of
) STRICT;
CREATE INDEX feeds_queue ON feeds (poll_at, id) WHERE poll_at IS NOT NULL;

-- Where feeds were before they moved for good: who asks for one under its old
-- address gets the feed and not a second one.
CREATE TABLE former_addresses (
    url     TEXT    NOT NULL PRIMARY KEY,
    feed_id INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX former_addresses_feed ON former_addresses (feed_id);

-- A host is leased while a poll of one of its feeds is in flight, and until
-- the pause between two requests to it is over.
CREATE TABLE hosts (
    host        TEXT    NOT NULL PRIMARY KEY,
    lease_until INTEGER NOT NULL DEFAULT 0,
    token       TEXT    NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

CREATE TABLE subscriptions (
    digest_id  INTEGER NOT NULL REFERENCES digests (id),
    feed_id    INTEGER NOT NULL REFERENCES feeds (id),
    title      TEXT    NOT NULL DEFAULT '', -- the reader's own; empty: the feed's
    folder     TEXT    NOT NULL DEFAULT '',
    display    TEXT    NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL,
    PRIMARY KEY (digest_id, feed_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX subscriptions_feed ON subscriptions (feed_id, digest_id);

CREATE TABLE posts (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    feed_id      INTEGER NOT NULL REFERENCES feeds (id),
    identity     TEXT    NOT NULL,
    fingerprint  TEXT    NOT NULL, -- the same under a changed identity
    published_at INTEGER NOT NULL DEFAULT 0,
    seen_at      INTEGER NOT NULL,
    listed_at    INTEGER NOT NULL, -- last known in the document; brought up to date every 30 days
    shown_at     INTEGER NOT NULL, -- last put before a reader: when a hidden row was made or moved; 0: never
    frozen       INTEGER NOT NULL DEFAULT 0, -- 1: known to be in a released edition
    content_hash TEXT    NOT NULL DEFAULT '',
    url          TEXT    NOT NULL DEFAULT '',
    title        TEXT    NOT NULL DEFAULT '',
    author       TEXT    NOT NULL DEFAULT '',
    language     TEXT    NOT NULL DEFAULT '',
    image_url    TEXT    NOT NULL DEFAULT '',
    summary      TEXT    NOT NULL DEFAULT '',
    content      TEXT    NOT NULL DEFAULT ''
) STRICT;
CREATE UNIQUE INDEX posts_identity ON posts (feed_id, identity);
CREATE INDEX posts_fingerprint ON posts (feed_id, fingerprint);

-- No foreign keys and no second index: this is the hottest insert of all.
CREATE TABLE digest_posts (
    digest_id  INTEGER NOT NULL,
    visible_at INTEGER NOT NULL,
    post_id    INTEGER NOT NULL,
    PRIMARY KEY (digest_id, visible_at, post_id)
) STRICT, WITHOUT ROWID;

-- No foreign keys here either: rows are made from digests, many at once.
CREATE TABLE editions (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    digest_id    INTEGER NOT NULL,
    local_date   TEXT    NOT NULL, -- YYYY-MM-DD
    due_at       INTEGER NOT NULL, -- its posts are (digest_id, visible_at = due_at)
    send_at      INTEGER NOT NULL,
    number       INTEGER NOT NULL,
    state        TEXT    NOT NULL,
    attempt      INTEGER NOT NULL DEFAULT 0,
    message_id   TEXT    NOT NULL DEFAULT '',
    date         INTEGER NOT NULL,
    next_at      INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    dot_at       INTEGER NOT NULL DEFAULT 0,
    sent_at      INTEGER NOT NULL DEFAULT 0,
    reply        TEXT    NOT NULL DEFAULT '',
    error        TEXT    NOT NULL DEFAULT '',
    lease_token  TEXT    NOT NULL DEFAULT '',
    lease_until  INTEGER NOT NULL DEFAULT 0,
    was_in_doubt INTEGER NOT NULL DEFAULT 0,
    UNIQUE (digest_id, local_date),
    UNIQUE (digest_id, due_at)
) STRICT;
CREATE INDEX editions_ready ON editions (next_at, id) WHERE state = 'ready';
CREATE INDEX editions_leased ON editions (lease_until) WHERE state IN ('leased', 'dotting');

CREATE TABLE sign_in_tokens (
    token_hash BLOB    NOT NULL PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES users (id),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_tokens_user ON sign_in_tokens (user_id);

CREATE TABLE sessions (
    token_hash BLOB    NOT NULL PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES users (id),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_user ON sessions (user_id);
