-- +goose Up
-- A pause that has an end loses nothing: the feeds of its digest are asked at
-- the midnights in between, and what they bring waits for one bound edition.
ALTER TABLE digests ADD COLUMN paused_at INTEGER NOT NULL DEFAULT 0;   -- when what waits began to gather; 0: there is nothing to be bound
ALTER TABLE digests ADD COLUMN paused_to INTEGER NOT NULL DEFAULT 0;   -- when that ended; 0: it goes on
ALTER TABLE digests ADD COLUMN asks_at INTEGER NOT NULL DEFAULT 0;     -- the next midnight at which the feeds of a paused digest are asked; 0: they are not
ALTER TABLE digests ADD COLUMN bound_from INTEGER NOT NULL DEFAULT 0;  -- of the edition released last; it keeps both
ALTER TABLE digests ADD COLUMN bound_to INTEGER NOT NULL DEFAULT 0;
ALTER TABLE editions ADD COLUMN bound_from INTEGER NOT NULL DEFAULT 0; -- when the pause began of which it holds all; 0: an ordinary edition
ALTER TABLE editions ADD COLUMN bound_to INTEGER NOT NULL DEFAULT 0;   -- when that ended
CREATE INDEX digests_gathering ON digests (paused_at) WHERE paused_at > 0;
CREATE INDEX digests_asks ON digests (asks_at) WHERE asks_at > 0;

-- Who pauses now: from their last midnight on, and asked for at once.
UPDATE digests SET asks_at = next_due_at, paused_at = CASE WHEN last_due_at > 0 THEN last_due_at ELSE next_due_at END
    WHERE state = 'paused' AND paused_until > 0;
