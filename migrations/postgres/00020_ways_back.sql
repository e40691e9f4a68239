-- +goose Up
-- A reader may have been subscribed at several addresses that are one feed now: each
-- stands between two line feeds, which no address holds, and the feed's own is *.
UPDATE subscriptions SET address = chr(10) || address || chr(10) WHERE address <> '';

-- Since when a feed is not at an address any more. After a while that is forgotten.
ALTER TABLE former_addresses ADD COLUMN since BIGINT NOT NULL DEFAULT 0;
UPDATE former_addresses SET since = COALESCE((SELECT MAX(f.moved_at) FROM feeds f WHERE f.moved_from = former_addresses.url), 0);

CREATE INDEX feeds_merged ON feeds (merged_into) WHERE merged_into > 0;
