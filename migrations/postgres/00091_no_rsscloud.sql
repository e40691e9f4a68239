-- +goose Up
-- rssCloud is gone.
DROP TABLE cloud_subscriptions;
DROP INDEX feeds_cloud;
ALTER TABLE feeds DROP COLUMN cloud;
