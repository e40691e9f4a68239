-- +goose Up
-- undelivered is 1 while the next edition of the digest still has to mention this one and bring its posts.
ALTER TABLE editions ADD COLUMN undelivered BIGINT NOT NULL DEFAULT 0;
UPDATE editions SET undelivered = 1 WHERE state = 'expired' AND NOT EXISTS (SELECT 1 FROM carried y WHERE y.from_id = editions.id);
DROP INDEX editions_lost;
CREATE INDEX editions_undelivered ON editions (digest_id) WHERE undelivered = 1;
