-- +goose Up
-- What readers keep for good, and in which edition it came.
CREATE TABLE saved_posts (
    user_id    INTEGER NOT NULL REFERENCES users (id),
    post_id    INTEGER NOT NULL REFERENCES posts (id),
    saved_at   INTEGER NOT NULL,
    digest_id  INTEGER NOT NULL,
    due_at     INTEGER NOT NULL,
    local_date TEXT    NOT NULL, -- YYYY-MM-DD
    PRIMARY KEY (user_id, post_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX saved_posts_order ON saved_posts (user_id, saved_at, post_id);
CREATE INDEX saved_posts_post ON saved_posts (post_id);
