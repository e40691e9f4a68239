-- +goose Up
-- Whether the subject of a mail is the headline of the post that leads. 0: the date, and how much there is.
ALTER TABLE digests ADD COLUMN lead_subject INTEGER NOT NULL DEFAULT 0;
