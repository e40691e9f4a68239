-- +goose Up
-- A member of a newsletter is a user with a digest whose newsletter_id is set; its feeds are
-- the subscriptions of the digest archive_id.
CREATE TABLE newsletters (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    slug           TEXT NOT NULL UNIQUE,
    name           TEXT NOT NULL,
    description    TEXT NOT NULL DEFAULT '',
    site_url       TEXT NOT NULL DEFAULT '',
    address_line   TEXT NOT NULL DEFAULT '',
    from_name      TEXT NOT NULL DEFAULT '',
    reply_to       TEXT NOT NULL DEFAULT '',
    layout         TEXT NOT NULL DEFAULT 'full',
    images         TEXT NOT NULL DEFAULT 'proxy',
    threaded       INTEGER NOT NULL DEFAULT 0,
    weekdays       INTEGER NOT NULL DEFAULT 127,
    send_delay     INTEGER NOT NULL DEFAULT 0,  -- seconds
    approve_within INTEGER NOT NULL DEFAULT 0,  -- seconds that a letter waits for approval; 0: none does
    return_urls    TEXT NOT NULL DEFAULT '',
    state          TEXT NOT NULL DEFAULT 'pending',
    held_reason    TEXT NOT NULL DEFAULT '',
    held_at        INTEGER NOT NULL DEFAULT 0,
    archive_id     INTEGER NOT NULL DEFAULT 0,  -- the digest whose editions are the archive
    created_at     INTEGER NOT NULL
) STRICT;

CREATE TABLE newsletter_roles (
    newsletter_id INTEGER NOT NULL REFERENCES newsletters (id),
    user_id       INTEGER NOT NULL REFERENCES users (id),
    role          TEXT NOT NULL,             -- owner or editor
    created_at    INTEGER NOT NULL,
    PRIMARY KEY (newsletter_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX newsletter_roles_user ON newsletter_roles (user_id);

-- How the digests of members came to be; one row a digest with a newsletter, but for archives.
CREATE TABLE memberships (
    digest_id     INTEGER NOT NULL PRIMARY KEY,
    newsletter_id INTEGER NOT NULL,
    user_id       INTEGER NOT NULL,
    own_days      INTEGER NOT NULL DEFAULT 0,  -- 1: the days are the member's own choice
    joined_at     INTEGER NOT NULL,
    left_at       INTEGER NOT NULL DEFAULT 0,
    form          TEXT NOT NULL,             -- by which page, list or person
    address       TEXT NOT NULL DEFAULT '',  -- of the network that confirmed
    asked_at      INTEGER NOT NULL DEFAULT 0,
    confirmed_at  INTEGER NOT NULL DEFAULT 0,
    UNIQUE (newsletter_id, user_id)
) STRICT;
CREATE INDEX memberships_user ON memberships (user_id);

-- What happened to a member of a newsletter, under their address: it outlives the membership.
CREATE TABLE membership_events (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    newsletter_id INTEGER NOT NULL,
    email_key     TEXT NOT NULL,
    at            INTEGER NOT NULL,
    kind          TEXT NOT NULL,             -- joined, left, back, imported
    detail        TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX membership_events_member ON membership_events (newsletter_id, email_key, id);

-- Whom a newsletter is not sent to, whatever list names them.
CREATE TABLE newsletter_suppressions (
    newsletter_id INTEGER NOT NULL,
    email_key     TEXT NOT NULL,
    email         TEXT NOT NULL,
    reason        TEXT NOT NULL,
    at            INTEGER NOT NULL,
    PRIMARY KEY (newsletter_id, email_key)
) STRICT, WITHOUT ROWID;

-- Wishes to join that wait for the button behind the link.
CREATE TABLE join_requests (
    token_hash    BLOB NOT NULL PRIMARY KEY,
    newsletter_id INTEGER NOT NULL REFERENCES newsletters (id),
    email_key     TEXT NOT NULL,
    email         TEXT NOT NULL,
    time_zone     TEXT NOT NULL,
    form          TEXT NOT NULL,
    return_url    TEXT NOT NULL DEFAULT '',
    latest        INTEGER NOT NULL DEFAULT 0,  -- 1: they want the latest letter at once
    asked_at      INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX join_requests_address ON join_requests (email_key);

-- What a publisher has decided of the letter of one date.
CREATE TABLE newsletter_letters (
    newsletter_id INTEGER NOT NULL,
    local_date    TEXT NOT NULL,
    subject       TEXT NOT NULL DEFAULT '',
    note          TEXT NOT NULL DEFAULT '',
    skipped       INTEGER NOT NULL DEFAULT 0,
    approved_at   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (newsletter_id, local_date)
) STRICT, WITHOUT ROWID;

-- Posts that no letter of a newsletter holds.
CREATE TABLE newsletter_pulled (
    newsletter_id INTEGER NOT NULL,
    post_id       INTEGER NOT NULL,
    pulled_at     INTEGER NOT NULL,
    PRIMARY KEY (newsletter_id, post_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX digests_newsletter ON digests (newsletter_id) WHERE newsletter_id IS NOT NULL;

-- 1: came to join a newsletter, and has no digest of their own until they begin one.
ALTER TABLE users ADD COLUMN member_only INTEGER NOT NULL DEFAULT 0;
