-- +goose Up
-- What is shown under a feed came from its address: a feed that moves becomes part
-- of the one that is at the new address, and readers keep the way back.
ALTER TABLE posts ADD COLUMN read_address TEXT NOT NULL DEFAULT '';    -- where its text was read; '': at the feed's own address
ALTER TABLE subscriptions ADD COLUMN address TEXT NOT NULL DEFAULT ''; -- at which the reader subscribed; '': at the feed's
ALTER TABLE feeds ADD COLUMN stays BIGINT NOT NULL DEFAULT 0;         -- 1: a reader came back to it: it moves to no other site any more
ALTER TABLE notices ADD COLUMN moved_to TEXT NOT NULL DEFAULT '';      -- of a move: the new address

-- Feeds used to take their posts and their readers along to another address. A
-- change of https or www is none.
UPDATE posts SET read_address = (SELECT f.moved_from FROM feeds f WHERE f.id = posts.feed_id)
    WHERE EXISTS (SELECT 1 FROM feeds f WHERE f.id = posts.feed_id AND f.moved_from <> '' AND posts.seen_at < f.moved_at
        AND replace(replace(f.moved_from, '://www.', '://'), 'https://', 'http://') <> replace(replace(f.url, '://www.', '://'), 'https://', 'http://'));
UPDATE subscriptions SET address = (SELECT f.moved_from FROM feeds f WHERE f.id = subscriptions.feed_id)
    WHERE EXISTS (SELECT 1 FROM feeds f WHERE f.id = subscriptions.feed_id AND f.moved_from <> '' AND subscriptions.created_at < f.moved_at
        AND replace(replace(f.moved_from, '://www.', '://'), 'https://', 'http://') <> replace(replace(f.url, '://www.', '://'), 'https://', 'http://'));
