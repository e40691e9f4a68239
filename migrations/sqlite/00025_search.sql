-- +goose Up
-- The feeds to which a digest was subscribed once: a search finds also what came of them.
CREATE TABLE former_subscriptions (
    digest_id INTEGER NOT NULL,
    feed_id   INTEGER NOT NULL,
    PRIMARY KEY (digest_id, feed_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX former_subscriptions_feed ON former_subscriptions (feed_id);
INSERT INTO former_subscriptions (digest_id, feed_id) SELECT DISTINCT dp.digest_id, p.feed_id FROM digest_posts dp CROSS JOIN posts p
    WHERE p.id = dp.post_id AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.digest_id = dp.digest_id AND s.feed_id = p.feed_id);
INSERT INTO former_subscriptions (digest_id, feed_id) SELECT v.digest_id, p.feed_id FROM saved_posts v CROSS JOIN posts p
    WHERE p.id = v.post_id AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.digest_id = v.digest_id AND s.feed_id = p.feed_id) ON CONFLICT DO NOTHING;

-- The words of posts without their feeds, each once and without its place: says which
-- posts have a rare word. The second table is a view of it, by word.
CREATE VIRTUAL TABLE bare_words USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'ascii', detail = none);
CREATE VIRTUAL TABLE bare_words_places USING fts5vocab (bare_words, instance);
-- Filled step by step, as the index is: what stands in the queue is looked through without it.
INSERT INTO index_queue (post_id) SELECT rowid FROM post_words WHERE TRUE ORDER BY rowid ON CONFLICT DO NOTHING;
