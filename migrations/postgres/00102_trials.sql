-- +goose Up
-- trial_until is the date on which an edition asks about a trial or, once it has asked, decides; '': no trial.
ALTER TABLE subscriptions ADD COLUMN trial_until TEXT NOT NULL DEFAULT '';
-- trial_ends is 1 if the subscription ends without an answer. trial_asked is 1 from the question on.
ALTER TABLE subscriptions ADD COLUMN trial_ends BIGINT NOT NULL DEFAULT 0;
ALTER TABLE subscriptions ADD COLUMN trial_asked BIGINT NOT NULL DEFAULT 0;
CREATE INDEX subscriptions_trial ON subscriptions (digest_id, feed_id) WHERE trial_until <> '';
