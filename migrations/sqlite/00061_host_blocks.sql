-- +goose Up
-- What the operator has decided for a host and all below it, and what its owner has asked for.
CREATE TABLE host_rules_of_two (
    host       TEXT    NOT NULL,
    by_owner   INTEGER NOT NULL DEFAULT 0, -- 1: the owner of the host has asked for it
    blocked    INTEGER NOT NULL DEFAULT 0, -- 1: nothing is asked there
    every      INTEGER NOT NULL,           -- seconds between two polls of one feed, at least; 0 of a block
    created_at INTEGER NOT NULL,
    PRIMARY KEY (host, by_owner)
) STRICT;
INSERT INTO host_rules_of_two (host, every, created_at) SELECT host, every, created_at FROM host_rules;
DROP TABLE host_rules;
ALTER TABLE host_rules_of_two RENAME TO host_rules;
