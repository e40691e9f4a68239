-- +goose Up
-- digest_posts is partitioned by the month (UTC) of the midnights in it, so that a
-- month is dropped whole once nobody keeps it. What is there stays where it is: it becomes
-- the partition of this month and of all before it, and no row is copied but those of later
-- months. Partitions are made by store/partitions.go; what has none yet lies in
-- digest_posts_default.
-- +goose StatementBegin
DO $$
DECLARE
    month TIMESTAMP := date_trunc('month', now() AT TIME ZONE 'UTC');
    ends  BIGINT    := extract(epoch FROM month + INTERVAL '1 month')::BIGINT;
    first TEXT      := 'digest_posts_' || to_char(month, 'YYYY_MM');
BEGIN
    EXECUTE format('ALTER TABLE digest_posts RENAME TO %I', first);
    EXECUTE format('ALTER INDEX digest_posts_pkey RENAME TO %I', first || '_pkey');
    CREATE TABLE digest_posts (
        digest_id  BIGINT  NOT NULL,
        visible_at BIGINT  NOT NULL,
        post_id    BIGINT  NOT NULL,
        PRIMARY KEY (digest_id, visible_at, post_id)
    ) PARTITION BY RANGE (visible_at);
    CREATE TABLE digest_posts_default PARTITION OF digest_posts DEFAULT;
    EXECUTE format('WITH later AS (DELETE FROM %I WHERE visible_at >= %s RETURNING *)
        INSERT INTO digest_posts_default SELECT * FROM later', first, ends);
    EXECUTE format('ALTER TABLE digest_posts ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%s)', first, ends);
END $$;
-- +goose StatementEnd
