-- +goose Up
-- On PostgreSQL digest_posts is partitioned by the month. Here nothing changes: a file
-- is pruned in small steps.
SELECT 1;
