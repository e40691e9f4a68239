-- +goose Up
-- What each poll of a feed changes, apart from what few polls do: a poll that finds
-- nothing new neither writes nor locks the wide record. Room is left (fillfactor) for the
-- three versions of a row that a poll makes: see store/feeds_times.go.
CREATE TABLE feed_times (
    feed_id         BIGINT NOT NULL PRIMARY KEY,
    poll_at         BIGINT,                          -- the queue; NULL: not in it
    askable_at      BIGINT NOT NULL DEFAULT 0,       -- from when it may be asked (I5), as package poller says; 0: at once
    lease_until     BIGINT NOT NULL DEFAULT 0,
    lease_token     TEXT COLLATE "C" NOT NULL DEFAULT '',
    last_attempt_at BIGINT NOT NULL DEFAULT 0,
    last_ok_at      BIGINT NOT NULL DEFAULT 0,
    not_before      BIGINT NOT NULL DEFAULT 0,
    fresh_until     BIGINT NOT NULL DEFAULT 0,
    unchanged       TEXT   NOT NULL DEFAULT ''         -- polls that found nothing new and are not in polls yet: store/polls_packed.go
) WITH (fillfactor = 50);
INSERT INTO feed_times (feed_id, poll_at, askable_at, lease_until, lease_token, last_attempt_at, last_ok_at, not_before, fresh_until)
    SELECT id, poll_at, askable_at, lease_until, lease_token, last_attempt_at, last_ok_at, not_before, fresh_until FROM feeds ORDER BY id;
DROP INDEX feeds_queue;
ALTER TABLE feeds DROP COLUMN poll_at, DROP COLUMN askable_at, DROP COLUMN lease_until, DROP COLUMN lease_token,
    DROP COLUMN last_attempt_at, DROP COLUMN last_ok_at, DROP COLUMN not_before, DROP COLUMN fresh_until;
-- Of a row that stands for several polls: all of them. Its other columns are of the last.
ALTER TABLE polls ADD COLUMN unchanged TEXT NOT NULL DEFAULT '';
CREATE INDEX feed_times_queue ON feed_times (poll_at, feed_id) WHERE poll_at IS NOT NULL;
