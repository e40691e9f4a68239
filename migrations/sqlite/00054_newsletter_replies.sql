-- +goose Up
-- Whether the answers to a newsletter's letters are counted, and how many came on a day.
ALTER TABLE newsletters ADD COLUMN count_replies INTEGER NOT NULL DEFAULT 0;
ALTER TABLE newsletter_days ADD COLUMN replied INTEGER NOT NULL DEFAULT 0;

-- Answers of the last days, so that none is counted twice: store/newsletters_replies.go. A message is a token that says
-- nothing of it.
CREATE TABLE newsletter_replies (
    newsletter_id INTEGER NOT NULL,
    message       TEXT NOT NULL,
    day           TEXT NOT NULL,   -- YYYY-MM-DD
    PRIMARY KEY (newsletter_id, message)
) STRICT, WITHOUT ROWID;
