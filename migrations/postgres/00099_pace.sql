-- +goose Up
-- roll_up has the day of the week on which the posts of a subscription come together, as a bit; 0: they come every day.
ALTER TABLE subscriptions ADD COLUMN roll_up BIGINT NOT NULL DEFAULT 0;
CREATE INDEX subscriptions_roll_up ON subscriptions (digest_id, feed_id) WHERE roll_up > 0;
-- budget limits the minutes of reading that an edition shows above its headlines; 0: no limit.
ALTER TABLE digests ADD COLUMN budget BIGINT NOT NULL DEFAULT 0;
