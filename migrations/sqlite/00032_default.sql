-- +goose Up
-- On PostgreSQL the default partition of digest_posts has an index by midnights. Here is none.
SELECT 1;
