-- +goose Up
-- A list without titles used to make a feed's address the reader's own title for
-- it, which hid the title that the feed gives itself. An address, present or
-- former, is no title; that letters' case or a last "/" differ says nothing.
UPDATE subscriptions SET title = ''
    WHERE title LIKE '%://%' AND EXISTS (SELECT 1 FROM feeds f WHERE f.id = subscriptions.feed_id
        AND (rtrim(lower(f.url), '/') = rtrim(lower(subscriptions.title), '/')
            OR EXISTS (SELECT 1 FROM former_addresses a WHERE a.feed_id = f.id
                AND rtrim(lower(a.url), '/') = rtrim(lower(subscriptions.title), '/'))));
