-- +goose Up
-- When the owner offered the newsletter to this editor, who may accept it; 0: not.
ALTER TABLE newsletter_roles ADD COLUMN offered_at INTEGER NOT NULL DEFAULT 0;
