-- +goose Up
-- Of a notice that a feed is sick: the reason.
ALTER TABLE notices ADD COLUMN illness TEXT NOT NULL DEFAULT '';
