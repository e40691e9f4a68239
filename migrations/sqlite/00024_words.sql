-- +goose Up
-- The index knows of which feed a post is (store/search_match.go). All posts are indexed
-- again, the newest first, in the small steps of every hour: until then an older one is
-- not found, and whoever searches is told so.
INSERT INTO index_queue (post_id) SELECT rowid FROM post_words WHERE TRUE ORDER BY rowid ON CONFLICT DO NOTHING;
