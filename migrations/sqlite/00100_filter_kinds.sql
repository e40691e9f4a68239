-- +goose Up
ALTER TABLE filters ADD COLUMN kind TEXT NOT NULL DEFAULT '';        -- '': hides posts with its words; 'only': hides the others of its feed; 'shorts'
ALTER TABLE filtered_posts ADD COLUMN kind TEXT NOT NULL DEFAULT ''; -- of the filter
