-- +goose Up
-- Tables and columns get the words of docs/glossary.md. No row changes.
ALTER TABLE carried RENAME TO carried_posts;
DROP INDEX carried_from;
CREATE INDEX carried_posts_from ON carried_posts (from_id);

ALTER TABLE ceremonies RENAME TO passkey_challenges;
DROP INDEX ceremonies_age;
CREATE INDEX passkey_challenges_age ON passkey_challenges (expires_at);

ALTER TABLE held_posts RENAME TO filtered_posts;
DROP INDEX held_posts_due;
CREATE INDEX filtered_posts_due ON filtered_posts (due_at);

ALTER TABLE knocks RENAME TO letter_requests;
ALTER TABLE letter_requests RENAME COLUMN asked_at TO requested_at;
DROP INDEX knocks_address;
DROP INDEX knocks_age;
DROP INDEX knocks_mailbox;
DROP INDEX knocks_share;
CREATE INDEX letter_requests_address ON letter_requests (email_key, kind);
CREATE INDEX letter_requests_age ON letter_requests (requested_at);
CREATE INDEX letter_requests_mailbox ON letter_requests (mailbox, requested_at);
CREATE INDEX letter_requests_share ON letter_requests (share, requested_at) WHERE share <> '';

ALTER TABLE newsletter_asks RENAME TO confirmation_requests;
ALTER TABLE confirmation_requests RENAME COLUMN asked_at TO requested_at;
DROP INDEX newsletter_asks_state;
DROP INDEX newsletter_asks_asked;
DROP INDEX newsletter_asks_address;
DROP INDEX newsletter_asks_of;
DROP INDEX newsletter_asks_mailbox;
CREATE INDEX confirmation_requests_state ON confirmation_requests (newsletter_id, state, next_at);
CREATE INDEX confirmation_requests_age ON confirmation_requests (requested_at);
CREATE INDEX confirmation_requests_address ON confirmation_requests (address_hash);
CREATE INDEX confirmation_requests_newsletter ON confirmation_requests (newsletter_id, requested_at);
CREATE INDEX confirmation_requests_mailbox ON confirmation_requests (newsletter_id, mailbox) WHERE mailbox <> '';

ALTER TABLE newsletter_pulled RENAME TO newsletter_pulled_posts;
ALTER TABLE owner_links RENAME TO operator_links;

ALTER TABLE stays RENAME TO trips;
DROP INDEX stays_user;
CREATE INDEX trips_user ON trips (user_id, from_date);

ALTER TABLE tallies RENAME TO counters;

ALTER TABLE address_changes RENAME COLUMN old_yes TO old_confirmed;
ALTER TABLE address_changes RENAME COLUMN new_yes TO new_confirmed;

ALTER TABLE cloud_subscriptions RENAME COLUMN asked_at TO requested_at;
ALTER TABLE push_subscriptions RENAME COLUMN asked_at TO requested_at;
ALTER TABLE join_requests RENAME COLUMN asked_at TO requested_at;

ALTER TABLE digests RENAME COLUMN send_delay TO deliver_at; -- seconds after midnight
ALTER TABLE digests RENAME COLUMN weekdays TO cadence;      -- see cadence.go
ALTER TABLE digests RENAME COLUMN asks_at TO next_poll_at;  -- of the feeds of a paused digest; 0: none
DROP INDEX digests_asks;
CREATE INDEX digests_next_poll ON digests (next_poll_at) WHERE next_poll_at > 0;
ALTER TABLE newsletters RENAME COLUMN send_delay TO deliver_at;
ALTER TABLE newsletters RENAME COLUMN weekdays TO cadence;

ALTER TABLE feeds RENAME COLUMN doubted TO validators_doubted; -- 1: the next poll sends no validators
ALTER TABLE feeds RENAME COLUMN outside TO public_only;        -- 1: it is never requested in a private network
ALTER TABLE feeds RENAME COLUMN standing TO reliability;       -- proven, troubled or '' (unproven)
ALTER TABLE feeds RENAME COLUMN stays TO move_undone;          -- 1: a reader went back to the old address

ALTER TABLE former_subscriptions RENAME COLUMN made TO settings; -- JSON: title, folder, display …
ALTER TABLE host_rules RENAME COLUMN every TO interval;          -- seconds
ALTER TABLE refusals RENAME COLUMN why TO reason;

ALTER TABLE link_changes RENAME COLUMN was TO old_value;
ALTER TABLE link_changes RENAME COLUMN is_now TO new_value;
ALTER TABLE link_changes RENAME COLUMN made_at TO changed_at;
ALTER TABLE link_changes RENAME COLUMN told_by TO notify_by;
ALTER TABLE link_changes RENAME COLUMN told_at TO notified_at;
DROP INDEX link_changes_untold;
CREATE INDEX link_changes_notify ON link_changes (email_at) WHERE notify_by = 'email' AND notified_at = 0;
ALTER TABLE newsletter_notices RENAME COLUMN told_at TO notified_at;
DROP INDEX newsletter_notices_untold;
CREATE INDEX newsletter_notices_notify ON newsletter_notices (newsletter_id) WHERE notified_at = 0;

ALTER TABLE subscriptions RENAME COLUMN rests TO paused;
ALTER TABLE subscriptions RENAME COLUMN rests_for TO paused_for; -- the member's digest that brings the posts meanwhile; 0: none
ALTER TABLE subscriptions RENAME COLUMN waited TO waiting_posts; -- keys of posts as JSON that waited when it was paused
DROP INDEX subscriptions_rests_for;
CREATE INDEX subscriptions_paused_for ON subscriptions (paused_for) WHERE paused_for > 0;
