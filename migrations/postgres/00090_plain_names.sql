-- +goose Up
-- Tables and columns get the words of docs/glossary.md. No row changes.
ALTER TABLE carried RENAME TO carried_posts;
ALTER INDEX carried_from RENAME TO carried_posts_from;

ALTER TABLE ceremonies RENAME TO passkey_challenges;
ALTER INDEX ceremonies_age RENAME TO passkey_challenges_age;

ALTER TABLE held_posts RENAME TO filtered_posts;
ALTER INDEX held_posts_due RENAME TO filtered_posts_due;

ALTER TABLE knocks RENAME TO letter_requests;
ALTER TABLE letter_requests RENAME COLUMN asked_at TO requested_at;
ALTER INDEX knocks_address RENAME TO letter_requests_address;
ALTER INDEX knocks_age RENAME TO letter_requests_age;
ALTER INDEX knocks_mailbox RENAME TO letter_requests_mailbox;
ALTER INDEX knocks_share RENAME TO letter_requests_share;

ALTER TABLE newsletter_asks RENAME TO confirmation_requests;
ALTER TABLE confirmation_requests RENAME COLUMN asked_at TO requested_at;
ALTER INDEX newsletter_asks_state RENAME TO confirmation_requests_state;
ALTER INDEX newsletter_asks_asked RENAME TO confirmation_requests_age;
ALTER INDEX newsletter_asks_address RENAME TO confirmation_requests_address;
ALTER INDEX newsletter_asks_of RENAME TO confirmation_requests_newsletter;
ALTER INDEX newsletter_asks_mailbox RENAME TO confirmation_requests_mailbox;

ALTER TABLE newsletter_pulled RENAME TO newsletter_pulled_posts;
ALTER TABLE owner_links RENAME TO operator_links;

ALTER TABLE stays RENAME TO trips;
ALTER INDEX stays_user RENAME TO trips_user;

ALTER TABLE tallies RENAME TO counters;

ALTER TABLE address_changes RENAME COLUMN old_yes TO old_confirmed;
ALTER TABLE address_changes RENAME COLUMN new_yes TO new_confirmed;

ALTER TABLE cloud_subscriptions RENAME COLUMN asked_at TO requested_at;
ALTER TABLE push_subscriptions RENAME COLUMN asked_at TO requested_at;
ALTER TABLE join_requests RENAME COLUMN asked_at TO requested_at;

ALTER TABLE digests RENAME COLUMN send_delay TO deliver_at; -- seconds after midnight
ALTER TABLE digests RENAME COLUMN weekdays TO cadence;      -- see cadence.go
ALTER TABLE digests RENAME COLUMN asks_at TO next_poll_at;  -- of the feeds of a paused digest; 0: none
ALTER INDEX digests_asks RENAME TO digests_next_poll;
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
ALTER INDEX link_changes_untold RENAME TO link_changes_notify;
ALTER TABLE newsletter_notices RENAME COLUMN told_at TO notified_at;
ALTER INDEX newsletter_notices_untold RENAME TO newsletter_notices_notify;

ALTER TABLE subscriptions RENAME COLUMN rests TO paused;
ALTER TABLE subscriptions RENAME COLUMN rests_for TO paused_for; -- the member's digest that brings the posts meanwhile; 0: none
ALTER TABLE subscriptions RENAME COLUMN waited TO waiting_posts; -- keys of posts as JSON that waited when it was paused
ALTER INDEX subscriptions_rests_for RENAME TO subscriptions_paused_for;

-- The names that PostgreSQL itself made from those of the tables: of keys, other constraints and sequences.
-- +goose StatementBegin
DO $$
DECLARE
    t RECORD;
    x RECORD;
BEGIN
    FOR t IN SELECT * FROM (VALUES
        ('carried', 'carried_posts'),
        ('ceremonies', 'passkey_challenges'),
        ('held_posts', 'filtered_posts'),
        ('knocks', 'letter_requests'),
        ('newsletter_asks', 'confirmation_requests'),
        ('newsletter_pulled', 'newsletter_pulled_posts'),
        ('owner_links', 'operator_links'),
        ('stays', 'trips'),
        ('tallies', 'counters')) AS v (was, is_now)
    LOOP
        FOR x IN SELECT conname AS name FROM pg_constraint
            WHERE conrelid = t.is_now::regclass AND starts_with(conname, t.was || '_')
        LOOP
            EXECUTE format('ALTER TABLE %I RENAME CONSTRAINT %I TO %I', t.is_now, x.name, t.is_now || substr(x.name, length(t.was) + 1));
        END LOOP;
        FOR x IN SELECT s.relname AS name FROM pg_class s JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass
            WHERE s.relkind = 'S' AND d.refobjid = t.is_now::regclass AND starts_with(s.relname, t.was || '_')
        LOOP
            EXECUTE format('ALTER SEQUENCE %I RENAME TO %I', x.name, t.is_now || substr(x.name, length(t.was) + 1));
        END LOOP;
    END LOOP;
END $$;
-- +goose StatementEnd
