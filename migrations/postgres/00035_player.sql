-- +goose Up
ALTER TABLE users ADD COLUMN player BIGINT NOT NULL DEFAULT 0;  -- 1: what a post comes with to be heard is played on its page
