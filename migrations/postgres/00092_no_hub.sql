-- +goose Up
-- This program is no WebSub hub any more: the feeds of newsletters are polled. hub_hosts stays, for the hubs of others.
DROP TABLE hub_calls;
DROP TABLE hub_subscriptions;
DROP TABLE hub_domains;
DELETE FROM counters WHERE kind LIKE 'hub %';
