-- +goose Up
-- What readers keep for good, and in which edition it came.
CREATE TABLE saved_posts (
    user_id    BIGINT NOT NULL REFERENCES users (id),
    post_id    BIGINT NOT NULL REFERENCES posts (id),
    saved_at   BIGINT NOT NULL,
    digest_id  BIGINT NOT NULL,
    due_at     BIGINT NOT NULL,
    local_date TEXT   NOT NULL, -- YYYY-MM-DD
    PRIMARY KEY (user_id, post_id)
);
CREATE INDEX saved_posts_order ON saved_posts (user_id, saved_at, post_id);
CREATE INDEX saved_posts_post ON saved_posts (post_id);
