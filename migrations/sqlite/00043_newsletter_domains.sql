-- +goose Up
-- The address of its publisher's own that a newsletter comes from, with the DKIM key of its domain.
-- Several newsletters may name one domain: each has a key and a record of its own.
CREATE TABLE newsletter_domains (
    newsletter_id INTEGER NOT NULL PRIMARY KEY,
    from_address  TEXT NOT NULL,
    selector      TEXT NOT NULL,
    sealed        TEXT NOT NULL,             -- the private key, PKCS #8, encrypted: internal/seal
    created_at    INTEGER NOT NULL,
    signs         INTEGER NOT NULL DEFAULT 0,  -- 1: its record is seen
    finding       TEXT NOT NULL DEFAULT '',
    checked_at    INTEGER NOT NULL DEFAULT 0,
    seen_at       INTEGER NOT NULL DEFAULT 0,
    next_at       INTEGER NOT NULL DEFAULT 0   -- when its record is looked for again
) STRICT;
CREATE INDEX newsletter_domains_next ON newsletter_domains (next_at);
