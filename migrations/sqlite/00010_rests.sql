-- +goose Up
-- A paused subscription is a subscription that rests: for its reader the feed is
-- not asked, and nothing of it comes. It used to have a table of its own.
ALTER TABLE subscriptions ADD COLUMN rests INTEGER NOT NULL DEFAULT 0; -- 1: it is paused

INSERT INTO subscriptions (digest_id, feed_id, title, folder, display, created_at, rests)
    SELECT r.digest_id, r.feed_id, r.title, r.folder, r.display, r.created_at, 1 FROM rested r
    WHERE NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.digest_id = r.digest_id AND s.feed_id = r.feed_id)
    ORDER BY r.digest_id, r.feed_id;
DROP TABLE rested;

-- Whoever looks for the readers of a feed reads this index alone.
DROP INDEX subscriptions_feed;
CREATE INDEX subscriptions_feed ON subscriptions (feed_id, rests, digest_id);
