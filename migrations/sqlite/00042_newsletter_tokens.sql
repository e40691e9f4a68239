-- +goose Up
-- By which programs of a publisher's look after a newsletter: web/api.go. A token says no more than the
-- role of who made it, as it is when it is used.
CREATE TABLE newsletter_tokens (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    newsletter_id INTEGER NOT NULL REFERENCES newsletters (id),
    user_id       INTEGER NOT NULL REFERENCES users (id),
    name          TEXT NOT NULL,
    token_hash    BLOB NOT NULL UNIQUE,
    read_only     INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    used_on       TEXT NOT NULL DEFAULT ''      -- the last day, in UTC
) STRICT;
CREATE INDEX newsletter_tokens_newsletter ON newsletter_tokens (newsletter_id);
CREATE INDEX newsletter_tokens_user ON newsletter_tokens (user_id);
