-- +goose Up
-- The digests that are planned and wait for feeds, apart from what seldom changes
-- of them: see store/digests_waiting.go.
CREATE TABLE waiting_digests (
    digest_id  BIGINT NOT NULL PRIMARY KEY,
    feed_id    BIGINT NOT NULL, -- the last it waits for; 0: to be looked up; -1: none, it can be released
    planned_at BIGINT NOT NULL  -- the release deadline counts from here
);
CREATE INDEX waiting_digests_feed ON waiting_digests (feed_id);
CREATE INDEX waiting_digests_planned ON waiting_digests (planned_at);
INSERT INTO waiting_digests (digest_id, feed_id, planned_at)
    SELECT id, 0, planned_at FROM digests WHERE planned_due_at > 0 AND planned_due_at = next_due_at;
