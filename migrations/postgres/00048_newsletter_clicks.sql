-- +goose Up
-- Whether the headlines of a newsletter's letters lead to posts by links that are counted.
ALTER TABLE newsletters ADD COLUMN count_clicks BIGINT NOT NULL DEFAULT 0;

-- How often they were followed: store/newsletters_clicks.go. Of who followed them nothing is known.
CREATE TABLE newsletter_clicks (
    newsletter_id BIGINT NOT NULL,
    post_id       BIGINT NOT NULL,
    title         TEXT NOT NULL,
    url           TEXT NOT NULL,
    since         TEXT NOT NULL,   -- YYYY-MM-DD
    clicks        BIGINT NOT NULL,
    PRIMARY KEY (newsletter_id, post_id)
);
