-- +goose Up
-- The colours of a newsletter, as #rrggbb; '' is the program's own.
ALTER TABLE newsletters ADD COLUMN paper TEXT NOT NULL DEFAULT '';
ALTER TABLE newsletters ADD COLUMN ink TEXT NOT NULL DEFAULT '';
ALTER TABLE newsletters ADD COLUMN accent TEXT NOT NULL DEFAULT '';
