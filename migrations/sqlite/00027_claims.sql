-- +goose Up
-- Editions that a mailer holds: a row from the claim to the record of what became of
-- it. Few and narrow, they take the writes that come before and after each final dot;
-- editions are written when they are claimed, and when that is over.
CREATE TABLE mail_claims (
    edition_id  INTEGER NOT NULL PRIMARY KEY,
    domain      TEXT NOT NULL DEFAULT '', -- the edition's lane
    lease_token TEXT    NOT NULL,
    lease_until INTEGER NOT NULL,
    state       TEXT    NOT NULL DEFAULT 'leased', -- leased, dotting, or sent: accepted, which the edition does not say yet
    at          INTEGER NOT NULL DEFAULT 0,      -- when it came to dotting, or sent
    message_id  TEXT    NOT NULL DEFAULT '',       -- of the dot
    date        INTEGER NOT NULL DEFAULT 0,
    recipient   TEXT    NOT NULL DEFAULT '',
    reply       TEXT    NOT NULL DEFAULT '',       -- of the server that took it
    error       TEXT    NOT NULL DEFAULT ''
);
INSERT INTO mail_claims (edition_id, domain, lease_token, lease_until, state, at, message_id, date, recipient)
    SELECT id, domain, lease_token, lease_until, state, dot_at, message_id, date, recipient FROM editions WHERE state IN ('leased', 'dotting');
UPDATE editions SET state = 'leased' WHERE state = 'dotting';
DROP INDEX editions_leased;
ALTER TABLE editions DROP COLUMN lease_token;
ALTER TABLE editions DROP COLUMN lease_until;
ALTER TABLE editions DROP COLUMN dot_at;
