-- +goose Up
-- lead_post_id is the post that led an edition when it was first sent or opened. It leads whenever the edition is shown.
ALTER TABLE editions ADD COLUMN lead_post_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE mail_claims ADD COLUMN lead_post_id INTEGER NOT NULL DEFAULT 0;
-- The leading headline is the usual subject now. date_subject puts the date and the number of posts in its place.
ALTER TABLE digests ADD COLUMN date_subject INTEGER NOT NULL DEFAULT 0;
ALTER TABLE digests DROP COLUMN lead_subject;
-- The history of a feed is read from this index alone.
DROP INDEX posts_seen;
CREATE INDEX posts_seen ON posts (feed_id, seen_at, published_at);
