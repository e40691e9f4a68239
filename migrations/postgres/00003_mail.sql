-- +goose Up
ALTER TABLE users ADD COLUMN mail_domain TEXT COLLATE "C" NOT NULL DEFAULT ''; -- of the address, in lower case
UPDATE users SET mail_domain = substr(email_key, length(rtrim(email_key, replace(email_key, '@', ''))) + 1) WHERE email_key LIKE '%@%';

-- send_delay is the hour of the mail by the reader's clock: seconds after 00:00.
ALTER TABLE digests ADD COLUMN layout TEXT NOT NULL DEFAULT 'excerpts';     -- headlines, excerpts or full
ALTER TABLE digests ADD COLUMN images TEXT NOT NULL DEFAULT 'off';          -- off, linked or proxy
ALTER TABLE digests ADD COLUMN threaded BIGINT NOT NULL DEFAULT 0;         -- 1: a mail program shows all editions as one conversation
ALTER TABLE digests ADD COLUMN paused_until BIGINT NOT NULL DEFAULT 0;     -- 0: until the reader says so
CREATE INDEX digests_resume ON digests (paused_until) WHERE state = 'paused' AND paused_until > 0;

ALTER TABLE editions ADD COLUMN domain TEXT COLLATE "C" NOT NULL DEFAULT '';            -- of the recipient: its lane
ALTER TABLE editions ADD COLUMN recipient TEXT NOT NULL DEFAULT '';         -- the address it was last sent to
CREATE INDEX editions_lanes ON editions (next_at, id, domain, expires_at) WHERE state = 'ready';
CREATE INDEX editions_lost ON editions (digest_id) WHERE state = 'expired';
DROP INDEX editions_ready;
UPDATE editions SET domain = (SELECT u.mail_domain FROM digests d JOIN users u ON u.id = d.user_id WHERE d.id = editions.digest_id)
    WHERE state IN ('ready', 'leased', 'dotting') AND digest_id IN (SELECT id FROM digests);

-- What expired is carried from now on. What another edition has followed since is past.
UPDATE editions SET state = 'failed' WHERE state = 'expired'
    AND EXISTS (SELECT 1 FROM editions n WHERE n.digest_id = editions.digest_id AND n.local_date > editions.local_date);

-- The posts of one edition that are in another too, because it never left.
CREATE TABLE carried (
    edition_id BIGINT NOT NULL,
    from_id    BIGINT NOT NULL,
    PRIMARY KEY (edition_id, from_id)
);
CREATE INDEX carried_from ON carried (from_id);

-- Ways that mail takes, with limits of their own or trouble: the route, whose
-- name is empty, and recipient domains. One without either has no row.
CREATE TABLE lanes (
    name        TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    connections BIGINT NOT NULL DEFAULT 0, -- the operator's limit; 0: the setting's
    messages    BIGINT NOT NULL DEFAULT 0, -- the operator's rate: so many; 0: the setting's
    per         BIGINT NOT NULL DEFAULT 0, -- in so many seconds
    width       BIGINT NOT NULL DEFAULT 0, -- messages at once while it recovers; 0: it is well
    pause       BIGINT NOT NULL DEFAULT 0, -- seconds: the latest
    until_at    BIGINT NOT NULL DEFAULT 0, -- nothing is sent before
    failures    BIGINT NOT NULL DEFAULT 0, -- in a row
    alarm       BIGINT NOT NULL DEFAULT 0, -- 1: the operator has to put something right
    reason      TEXT    NOT NULL DEFAULT '',
    changed_at  BIGINT NOT NULL DEFAULT 0,
    free_us     BIGINT NOT NULL DEFAULT 0  -- the rate is used up to here, in microseconds
);

-- Addresses that are not mailed.
CREATE TABLE suppressions (
    email_key  TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- lower case, as users have it
    email      TEXT    NOT NULL,
    reason     TEXT    NOT NULL,             -- hard_bounce, soft_bounces, complaint or manual
    evidence   TEXT    NOT NULL DEFAULT '',  -- what was said, in one line
    edition_id BIGINT NOT NULL DEFAULT 0,   -- of which it was said
    created_at BIGINT NOT NULL
);

-- What came back of editions that a server had taken, or was refused for good.
CREATE TABLE bounces (
    edition_id BIGINT NOT NULL,
    kind       TEXT    NOT NULL,             -- hard, soft or complaint
    email_key  TEXT COLLATE "C" NOT NULL,
    status     TEXT    NOT NULL DEFAULT '',  -- RFC 3463
    evidence   TEXT    NOT NULL DEFAULT '',
    at         BIGINT NOT NULL,
    PRIMARY KEY (edition_id, kind)
);
CREATE INDEX bounces_address ON bounces (email_key, at);

CREATE TABLE dkim_keys (
    domain      TEXT COLLATE "C" NOT NULL,
    selector    TEXT    NOT NULL,
    private_key BYTEA   NOT NULL,            -- PKCS #8
    active      BIGINT NOT NULL DEFAULT 0,  -- 1: it signs; one a domain
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (domain, selector)
);
