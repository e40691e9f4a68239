-- +goose Up
-- Whom a newsletter asks, or has asked, whether they want it: people of imported lists that prove
-- nothing. A row stays, so that nobody is asked twice; the address in it goes when it is needed no more.
CREATE TABLE newsletter_asks (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    newsletter_id INTEGER NOT NULL,
    address_hash  BLOB    NOT NULL,
    email         TEXT    NOT NULL,            -- '' once it is forgotten
    domain        TEXT    NOT NULL,            -- the lane of the address; '' likewise
    time_zone     TEXT    NOT NULL,
    state         TEXT    NOT NULL DEFAULT 'waiting',
    queued_at     INTEGER NOT NULL,
    next_at       INTEGER NOT NULL,            -- while it waits: not before; a worker that has it puts it off
    tries         INTEGER NOT NULL DEFAULT 0,
    asked_at      INTEGER NOT NULL DEFAULT 0,
    UNIQUE (newsletter_id, address_hash)
) STRICT;
CREATE INDEX newsletter_asks_state ON newsletter_asks (newsletter_id, state, next_at);
CREATE INDEX newsletter_asks_asked ON newsletter_asks (asked_at);
CREATE INDEX newsletter_asks_address ON newsletter_asks (address_hash);
