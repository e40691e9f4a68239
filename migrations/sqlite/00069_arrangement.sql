-- +goose Up
-- How editions are put together in the mail, and where the pages differ from it (digest.Arrangement); empty: as in the
-- mail. And the colours and the size of the letters on a reader's pages.
ALTER TABLE digests ADD COLUMN grouping TEXT NOT NULL DEFAULT 'folders';
ALTER TABLE digests ADD COLUMN web_layout TEXT NOT NULL DEFAULT '';
ALTER TABLE digests ADD COLUMN web_grouping TEXT NOT NULL DEFAULT '';
ALTER TABLE digests ADD COLUMN web_images TEXT NOT NULL DEFAULT 'proxy';
ALTER TABLE users ADD COLUMN theme TEXT NOT NULL DEFAULT 'device';
ALTER TABLE users ADD COLUMN type_size TEXT NOT NULL DEFAULT 'browser';
