-- +goose Up
-- The digest of a membership whose letters bring the posts, so that the subscription rests: store/memberships_feeds.go. 0: none.
ALTER TABLE subscriptions ADD COLUMN rests_for INTEGER NOT NULL DEFAULT 0;
CREATE INDEX subscriptions_rests_for ON subscriptions (rests_for) WHERE rests_for > 0;
