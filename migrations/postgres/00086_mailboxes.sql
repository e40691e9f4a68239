-- +goose Up
-- Letters that strangers cause are counted by mailbox (allowance.Mailbox), and within the share of an instance that
-- their kind has (allowance.Share). domain is the registered one from now on.
ALTER TABLE knocks ADD COLUMN mailbox TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE knocks ADD COLUMN share TEXT NOT NULL DEFAULT '';
UPDATE knocks SET mailbox = email_key WHERE kind <> 'sign-in' AND kind <> 'sign-in-known' AND kind <> 'passkeys';
DROP INDEX knocks_domain;
CREATE INDEX knocks_mailbox ON knocks (mailbox, asked_at);
CREATE INDEX knocks_share ON knocks (share, asked_at) WHERE share <> '';
-- The mailbox of whom a newsletter asks, while their address is kept.
ALTER TABLE newsletter_asks ADD COLUMN mailbox TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE newsletter_asks SET mailbox = lower(email);
CREATE INDEX newsletter_asks_mailbox ON newsletter_asks (newsletter_id, mailbox) WHERE mailbox <> '';
-- The names that a publisher wants, until the operator approves them; '' for none.
ALTER TABLE newsletters ADD COLUMN wanted_name TEXT NOT NULL DEFAULT '';
ALTER TABLE newsletters ADD COLUMN wanted_from_name TEXT NOT NULL DEFAULT '';
