-- +goose Up
-- What the hubs and rssCloud servers of one registered domain were asked: digest.HubHost.
CREATE TABLE hub_hosts (
    domain      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    confirmed   BIGINT NOT NULL DEFAULT 0,
    unconfirmed BIGINT NOT NULL DEFAULT 0,
    failed      BIGINT NOT NULL DEFAULT 0,
    quiet_until BIGINT NOT NULL DEFAULT 0
);
ALTER TABLE push_subscriptions ADD COLUMN domain TEXT COLLATE "C" NOT NULL DEFAULT '';  -- '': its hub was not asked since this migration
ALTER TABLE cloud_subscriptions ADD COLUMN domain TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX push_subscriptions_domain ON push_subscriptions (domain);
