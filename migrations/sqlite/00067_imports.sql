-- +goose Up
-- The latest list of feeds that a digest has imported.
CREATE TABLE imports (
	digest_id   INTEGER PRIMARY KEY,
	imported_at INTEGER NOT NULL,
	report      TEXT NOT NULL, -- what became of it, as JSON (web/feeds_import_report.go)
	first_polls TEXT NOT NULL  -- the keys of its feeds that had never been read, separated by commas
);
