-- +goose Up
-- Who asked for a letter counts as well as to which address, and a link that was
-- used makes room for the next letter.
ALTER TABLE knocks ADD COLUMN asker TEXT NOT NULL DEFAULT '';         -- a network's or browser's name that only this instance can make
ALTER TABLE knocks ADD COLUMN answered BIGINT NOT NULL DEFAULT 0;   -- 1: its link was used, or is void
