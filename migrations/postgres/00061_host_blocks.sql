-- +goose Up
-- What the operator has decided for a host and all below it, and what its owner has asked for.
ALTER TABLE host_rules ADD COLUMN by_owner BIGINT NOT NULL DEFAULT 0; -- 1: the owner of the host has asked for it
ALTER TABLE host_rules ADD COLUMN blocked  BIGINT NOT NULL DEFAULT 0; -- 1: nothing is asked there
ALTER TABLE host_rules DROP CONSTRAINT host_rules_pkey;
ALTER TABLE host_rules ADD PRIMARY KEY (host, by_owner);
