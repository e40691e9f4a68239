-- +goose Up
-- Of whom a newsletter has asked, and when: read for each letter that asks somebody.
CREATE INDEX newsletter_asks_of ON newsletter_asks (newsletter_id, asked_at);
