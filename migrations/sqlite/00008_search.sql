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

-- Posts whose words are to be put into the index, the older ones all at first.
-- A table and no column of posts: to change a row writes all of its text again.
CREATE TABLE index_queue (
    post_id INTEGER PRIMARY KEY
) STRICT;
INSERT INTO index_queue (post_id) SELECT id FROM posts ORDER BY id;

-- The words of posts, normalised by package search and parted by spaces: this
-- tokenizer takes them as they are. The text itself is not kept twice.
CREATE VIRTUAL TABLE post_words USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'ascii');
