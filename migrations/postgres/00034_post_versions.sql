-- +goose Up
-- What delivered posts said later: store/versions.go.
CREATE TABLE post_versions (
    post_id BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    title   TEXT   NOT NULL,
    content TEXT   NOT NULL,
    PRIMARY KEY (post_id, seen_at)
);
