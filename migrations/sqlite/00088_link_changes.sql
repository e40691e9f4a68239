-- +goose Up
-- Changes made by links in emails without a sign-in: store/link_changes.go. An edition that tells of one has a row in
-- notices of the kind 'changed', whose feed_id is the key of the change with a minus sign.
CREATE TABLE link_changes (
    id         INTEGER PRIMARY KEY,
    digest_id  INTEGER NOT NULL,
    feed_id    INTEGER NOT NULL,              -- of the subscription; 0: the digest itself
    setting    TEXT NOT NULL,                -- what was changed
    was        TEXT NOT NULL,                -- its value before
    is_now     TEXT NOT NULL,                -- its value after
    title      TEXT NOT NULL,                -- of the digest or the feed
    host       TEXT NOT NULL DEFAULT '',     -- of the feed
    new_host   TEXT NOT NULL DEFAULT '',     -- of the feed that took its place
    email_date TEXT NOT NULL DEFAULT '',     -- of the edition whose email had the link; '': not known
    made_at    INTEGER NOT NULL,
    told_by    TEXT NOT NULL,                -- edition, email or nobody
    email_at   INTEGER NOT NULL DEFAULT 0,    -- when an email may tell the reader; 0: none does
    told_at    INTEGER NOT NULL DEFAULT 0,    -- when it did; 0: not yet
    undone_at  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX link_changes_digest ON link_changes (digest_id);
CREATE INDEX link_changes_untold ON link_changes (email_at) WHERE told_by = 'email' AND told_at = 0;
