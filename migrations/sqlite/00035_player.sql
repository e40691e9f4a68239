-- +goose Up
ALTER TABLE users ADD COLUMN player INTEGER NOT NULL DEFAULT 0;  -- 1: what a post comes with to be heard is played on its page
