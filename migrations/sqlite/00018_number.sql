-- +goose Up
-- Sites are told a feed's number, and a feed that was made for a move goes on under
-- that of the one that moved.
ALTER TABLE feeds ADD COLUMN number INTEGER NOT NULL DEFAULT 0; -- 0: its key
