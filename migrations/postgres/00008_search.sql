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

-- Posts whose words are to be put into the index, the older ones all at first.
-- A table and no column of posts: to change a row writes all of it again.
CREATE TABLE index_queue (
    post_id BIGINT PRIMARY KEY
);
INSERT INTO index_queue (post_id) SELECT id FROM posts ORDER BY id;

-- The words of posts, normalised by package search. The column has the name
-- that it has in the other database. Words lie beside the rows, so that those
-- can be visited fast, and not compressed, so that they can be compared fast.
CREATE TABLE post_words (
    rowid BIGINT   PRIMARY KEY, -- the post's
    words TSVECTOR NOT NULL
) WITH (toast_tuple_target = 128);
ALTER TABLE post_words ALTER COLUMN words SET STORAGE EXTERNAL;
-- Whoever knows that a word is in most posts reads all posts to find it: no statistics.
ALTER TABLE post_words ALTER COLUMN words SET STATISTICS 0;
CREATE INDEX post_words_words ON post_words USING gin (words) WITH (fastupdate = off);
