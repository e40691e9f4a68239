-- +goose Up
-- The feeds to which a digest was subscribed once: a search finds also what came of them.
CREATE TABLE former_subscriptions (
    digest_id BIGINT NOT NULL,
    feed_id   BIGINT NOT NULL,
    PRIMARY KEY (digest_id, feed_id)
);
CREATE INDEX former_subscriptions_feed ON former_subscriptions (feed_id);
INSERT INTO former_subscriptions (digest_id, feed_id) SELECT x.digest_id, x.feed_id
    FROM (SELECT DISTINCT dp.digest_id, p.feed_id FROM digest_posts dp JOIN posts p ON p.id = dp.post_id
        UNION SELECT v.digest_id, p.feed_id FROM saved_posts v JOIN posts p ON p.id = v.post_id) x
    WHERE NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.digest_id = x.digest_id AND s.feed_id = x.feed_id);
