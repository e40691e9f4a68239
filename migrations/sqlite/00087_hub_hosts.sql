-- +goose Up
-- What the hubs and rssCloud servers of one registered domain were asked: digest.HubHost.
CREATE TABLE hub_hosts (
    domain      TEXT    NOT NULL PRIMARY KEY,
    confirmed   INTEGER NOT NULL DEFAULT 0,
    unconfirmed INTEGER NOT NULL DEFAULT 0,
    failed      INTEGER NOT NULL DEFAULT 0,
    quiet_until INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
ALTER TABLE push_subscriptions ADD COLUMN domain TEXT NOT NULL DEFAULT '';  -- '': its hub was not asked since this migration
ALTER TABLE cloud_subscriptions ADD COLUMN domain TEXT NOT NULL DEFAULT '';
CREATE INDEX push_subscriptions_domain ON push_subscriptions (domain);
