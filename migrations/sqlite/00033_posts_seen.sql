-- +goose Up
-- The latest posts of a feed: store/record_recognise.go and store/record_withdrawn.go.
CREATE INDEX posts_seen ON posts (feed_id, seen_at);
