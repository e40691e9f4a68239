-- +goose Up
-- What was done, by the hour; what is older than some days is summed up under
-- the hour 0. Nothing is ever taken away, so the sums only grow.
CREATE TABLE tallies (
    hour     BIGINT  NOT NULL, -- the instant at which it begins
    kind     TEXT COLLATE "C" NOT NULL, -- poll changed, mail sent, edition, post and so on
    slot     BIGINT  NOT NULL, -- workers that count at the same time do not wait for each other
    n        BIGINT  NOT NULL,
    requests BIGINT  NOT NULL DEFAULT 0, -- of polls
    bytes    BIGINT  NOT NULL DEFAULT 0, -- of polls
    PRIMARY KEY (hour, kind, slot)
);

-- What was done before there was this table, as far as it is still known.
INSERT INTO tallies (hour, kind, slot, n, requests, bytes)
    SELECT x.hour, x.kind, 0, count(*), SUM(x.requests), SUM(x.bytes) FROM (
        SELECT at - at % 3600 AS hour, requests, bytes, 'poll ' || CASE WHEN outcome IN ('changed', 'unchanged') THEN outcome WHEN status = 429 THEN 'limited'
            WHEN status >= 500 THEN 'broken' WHEN status >= 400 THEN 'refused' ELSE 'silent' END AS kind FROM polls) x
    GROUP BY x.hour, x.kind;
INSERT INTO tallies (hour, kind, slot, n) SELECT due_at - due_at % 3600, 'edition', 0, count(*) FROM editions GROUP BY due_at - due_at % 3600;
INSERT INTO tallies (hour, kind, slot, n) SELECT sent_at - sent_at % 3600, 'mail sent', 0, count(*)
    FROM editions WHERE sent_at > 0 GROUP BY sent_at - sent_at % 3600;
INSERT INTO tallies (hour, kind, slot, n) SELECT 0, 'post', 0, count(*) FROM posts HAVING count(*) > 0;

-- Mail that was given up, for the operator.
CREATE INDEX editions_given_up ON editions (id) WHERE state IN ('failed', 'sent_unconfirmed');
