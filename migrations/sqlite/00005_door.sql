-- +goose Up
ALTER TABLE users ADD COLUMN handle BLOB;                                -- random: what passkeys know their owner by; NULL: none yet
CREATE UNIQUE INDEX users_handle ON users (handle);
ALTER TABLE sessions ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN passkey_id INTEGER NOT NULL DEFAULT 0;   -- it began with; 0: with a link

-- Letters that were asked for at the door: what each address, and each mail
-- domain, has had. One that is not sent counts only while it may be on its way.
CREATE TABLE knocks (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    kind      TEXT    NOT NULL,             -- sign-up, sign-in or address
    email_key TEXT    NOT NULL,
    domain    TEXT    NOT NULL,
    asked_at  INTEGER NOT NULL,
    sent_at   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX knocks_address ON knocks (email_key, kind);
CREATE INDEX knocks_domain ON knocks (domain, asked_at);
CREATE INDEX knocks_age ON knocks (asked_at);

-- Sign-ups that wait for the button behind the link.
CREATE TABLE sign_ups (
    token_hash    BLOB    NOT NULL PRIMARY KEY,
    email_key     TEXT    NOT NULL,
    email         TEXT    NOT NULL,
    time_zone     TEXT    NOT NULL,
    invitation_id INTEGER NOT NULL DEFAULT 0, -- 0: none was needed
    expires_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_ups_address ON sign_ups (email_key);

CREATE TABLE invitations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    token_hash BLOB    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER NOT NULL DEFAULT 0      -- by whom is nobody's business
) STRICT;

-- The link that makes its holder the owner, while there is no operator.
CREATE TABLE owner_links (
    token_hash BLOB    NOT NULL PRIMARY KEY,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A reader's wish for another address, until both sides have said yes.
CREATE TABLE address_changes (
    user_id    INTEGER NOT NULL PRIMARY KEY REFERENCES users (id),
    email      TEXT    NOT NULL,
    old_hash   BLOB    NOT NULL UNIQUE,        -- of the token mailed to the present address
    new_hash   BLOB    NOT NULL UNIQUE,        -- of the one mailed to the wished one
    old_yes    INTEGER NOT NULL DEFAULT 0,
    new_yes    INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL                -- in the past: done or taken back
) STRICT;

CREATE TABLE passkeys (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id       INTEGER NOT NULL REFERENCES users (id),
    credential_id BLOB    NOT NULL UNIQUE,
    credential    TEXT    NOT NULL,            -- its public key and flags, as JSON
    sign_count    INTEGER NOT NULL DEFAULT 0,
    name          TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    used_at       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX passkeys_user ON passkeys (user_id);

-- What a passkey was asked, until it answers.
CREATE TABLE ceremonies (
    token_hash BLOB    NOT NULL PRIMARY KEY,
    user_id    INTEGER NOT NULL DEFAULT 0,     -- who adds a passkey; 0: somebody signs in with one
    data       TEXT    NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ceremonies_age ON ceremonies (expires_at);
