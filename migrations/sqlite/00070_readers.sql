-- +goose Up
-- Operators list readers by the state of their own digest; most are active.
CREATE INDEX digests_own ON digests (state, user_id) WHERE newsletter_id IS NULL AND state <> 'active';
