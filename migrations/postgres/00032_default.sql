-- +goose Up
-- The oldest row of the default partition is looked for each hour: its key begins with the digest.
CREATE INDEX digest_posts_default_months ON digest_posts_default (visible_at);
