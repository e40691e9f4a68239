-- +goose Up
-- The logo of a newsletter: what its letters say of it, and the pictures. Those that it had before stay for
-- the letters in which they are.
ALTER TABLE newsletters ADD COLUMN logo_file TEXT NOT NULL DEFAULT '';
ALTER TABLE newsletters ADD COLUMN logo_width BIGINT NOT NULL DEFAULT 0;
ALTER TABLE newsletters ADD COLUMN logo_height BIGINT NOT NULL DEFAULT 0;
ALTER TABLE newsletters ADD COLUMN logo_clear BIGINT NOT NULL DEFAULT 0;
CREATE TABLE newsletter_logos (
    newsletter_id BIGINT NOT NULL,
    file          TEXT NOT NULL,
    picture       BYTEA NOT NULL,
    added_at      BIGINT NOT NULL,
    PRIMARY KEY (newsletter_id, file)
);
