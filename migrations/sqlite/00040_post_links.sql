-- +goose Up
-- Where posts lead that have gone to readers: store/links.go. Of an address only its key is
-- stored: the address itself stands in the post. No foreign keys: posts are stored many at once.
CREATE TABLE post_links (
    post_id  INTEGER NOT NULL,
    link_key INTEGER NOT NULL,
    site_key INTEGER NOT NULL,
    own      INTEGER NOT NULL,              -- 1: to the post's own site
    PRIMARY KEY (post_id, link_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX post_links_key ON post_links (link_key, post_id) WHERE own = 0;

-- By which a browser's extension asks in a reader's name, one a reader.
CREATE TABLE reader_tokens (
    user_id    INTEGER NOT NULL PRIMARY KEY,
    token_hash BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;
