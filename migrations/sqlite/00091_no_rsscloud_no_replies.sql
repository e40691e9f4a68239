-- +goose Up
-- rssCloud is gone.
DROP TABLE cloud_subscriptions;
DROP INDEX feeds_cloud;
ALTER TABLE feeds DROP COLUMN cloud;

-- Nor are replies to newsletters counted.
DROP TABLE newsletter_replies;
ALTER TABLE newsletters DROP COLUMN count_replies;
ALTER TABLE newsletter_days DROP COLUMN replied;
