-- +goose Up
-- The pattern of the subjects of a newsletter's issues, with {title}, {date} and {name}.
ALTER TABLE newsletters ADD COLUMN subject_pattern TEXT NOT NULL DEFAULT '';
