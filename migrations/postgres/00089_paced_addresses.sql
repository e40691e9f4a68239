-- +goose Up
-- A domain is paced after several refusals within an hour, and so is an IP address that serves many hosts: then it
-- has a row in domains too, under its address.
ALTER TABLE domains ADD COLUMN limits BIGINT NOT NULL DEFAULT 0;  -- refusals since, while it is not paced
ALTER TABLE domains ADD COLUMN since  BIGINT NOT NULL DEFAULT 0;
ALTER TABLE domains ADD COLUMN good   BIGINT NOT NULL DEFAULT 0;  -- polls answered well since the pace or limits changed
ALTER TABLE domains DROP COLUMN limited_feed;
ALTER TABLE feeds ADD COLUMN address TEXT NOT NULL DEFAULT '';  -- IP address of host; '': not known, or host is one
CREATE INDEX feeds_address ON feeds (address) WHERE address <> '';
