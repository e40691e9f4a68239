-- +goose Up
-- Of a private feed what it is asked with, as package seal has encrypted it; empty of
-- all others, and once nobody is subscribed to it any more. The address of a private
-- feed ends in "#private-" and a name, and holds nothing secret.
ALTER TABLE feeds ADD COLUMN sealed TEXT NOT NULL DEFAULT '';
CREATE INDEX feeds_sealed ON feeds (id) WHERE sealed <> '';
