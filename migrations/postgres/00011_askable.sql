-- +goose Up
-- From when a feed may be asked (I5), as package poller says; 0: at once. The
-- poll gap and skipped hours, which SQL does not know, are added by who claims.
ALTER TABLE feeds ADD COLUMN askable_at BIGINT NOT NULL DEFAULT 0;
UPDATE feeds SET askable_at = GREATEST(not_before, fresh_until, lease_until, last_attempt_at + own_interval, last_attempt_at + host_interval);
