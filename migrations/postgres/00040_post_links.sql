-- +goose Up
-- Where posts lead that have gone to readers: store/links.go. Of an address only its key is
-- stored: the address itself stands in the post. No foreign keys: posts are stored many at once.
CREATE TABLE post_links (
    post_id  BIGINT NOT NULL,
    link_key BIGINT NOT NULL,
    site_key BIGINT NOT NULL,
    own      BIGINT NOT NULL,              -- 1: to the post's own site
    PRIMARY KEY (post_id, link_key)
);
CREATE INDEX post_links_key ON post_links (link_key, post_id) WHERE own = 0;

-- By which a browser's extension asks in a reader's name, one a reader.
CREATE TABLE reader_tokens (
    user_id    BIGINT NOT NULL PRIMARY KEY,
    token_hash BYTEA NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);
