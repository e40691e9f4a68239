-- +goose Up
-- The server requests the first bytes of a post's picture before an edition shows it, and keeps what it learns.
ALTER TABLE picture_sizes RENAME TO pictures;
ALTER TABLE pictures ADD COLUMN url TEXT NOT NULL DEFAULT '';        -- of a picture that will be requested
ALTER TABLE pictures ADD COLUMN failures INTEGER NOT NULL DEFAULT 0; -- in a row; more than 0: the picture does not load
ALTER TABLE pictures ADD COLUMN next_at INTEGER NOT NULL DEFAULT 0;  -- of the next request; 0: none
CREATE INDEX pictures_next ON pictures (next_at) WHERE next_at > 0;
